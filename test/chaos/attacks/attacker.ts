import { parentPort, workerData } from 'node:worker_threads';
import type { Place } from './requests.ts';
import { ATTACKS, type AttackName, strikeUntil } from './workloads.ts';

/** A thread of its own: the requests of an attacker must not delay those whose latency is measured. */
const { place, name } = workerData as { readonly place: Place; readonly name: AttackName };
const stop = new AbortController();
parentPort?.once('message', () => stop.abort());
parentPort?.postMessage(await strikeUntil(place, ATTACKS[name], stop.signal));
