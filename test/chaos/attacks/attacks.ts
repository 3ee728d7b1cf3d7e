import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Client } from '../../service/access/client.ts';
import { startProcess } from '../../service/access/process.ts';
import type { ModeOptions, Verdict } from '../modes.ts';
import { type Latencies, measure, prepareTenant } from './latencies.ts';
import type { Place } from './requests.ts';
import { ATTACKS, type AttackName, prepare } from './workloads.ts';

/** What the requests of another tenant may take during an attack, milliseconds. */
const MAX_P99_MS = 250;
const MAX_MS = 1000;

/** How long each attack is measured, and how long it lasts before. */
const MEASURED_MS = 5000;
const LEAD_MS = 1000;

async function placeOf(client: Client, namespace: string): Promise<Place> {
  await client.call('PUT', `/api/namespaces/${namespace}`);
  const json = { name: namespace, permission: 'write', namespaces: [namespace] };
  const { secret } = (await client.call('POST', '/api/keys', { json })).json();
  return { url: client.url, key: String(secret), namespace };
}

const textOf = ({ count, p50, p99, max }: Latencies): string =>
  `${count} requests, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, max ${max.toFixed(0)} ms`;

/** Why the latencies during an attack are too long; undefined: they are not. */
function excessOf({ p99, max, failed }: Latencies): string | undefined {
  if (failed.length > 0) return `${failed.length} requests failed, the first: ${failed[0]}`;
  return p99 > MAX_P99_MS || max > MAX_MS
    ? `p99 ${p99.toFixed(0)} ms of ${MAX_P99_MS}, max ${max.toFixed(0)} ms of ${MAX_MS}`
    : undefined;
}

/** The latencies of a tenant without the attack and during it, and how many requests the attacker sent. */
interface Measured {
  readonly before: Latencies;
  readonly during: Latencies;
  readonly requests: number;
}

async function measureDuring(attacker: Place, tenant: Place, name: AttackName): Promise<Measured> {
  await prepare(attacker, ATTACKS[name]);
  await prepareTenant(tenant);
  // What is compiled and started at the first use.
  await measure(tenant, LEAD_MS);
  const before = await measure(tenant, LEAD_MS);
  const worker = new Worker(new URL('attacker.ts', import.meta.url), { workerData: { place: attacker, name } });
  const ended = once(worker, 'message') as Promise<[number]>;
  await measure(tenant, LEAD_MS);
  const during = await measure(tenant, MEASURED_MS);
  worker.postMessage('stop');
  const [requests] = await ended;
  await worker.terminate();
  return { before, during, requests };
}

/** Attacks a new service in one way, and measures what another tenant notices. */
export async function attack(name: AttackName): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-attacks-'));
  const service = await startProcess(folder);
  try {
    const [attacker, tenant] = [await placeOf(service.client, 'attacker'), await placeOf(service.client, 'tenant')];
    return await measureDuring(attacker, tenant, name);
  } finally {
    await service.end('SIGKILL');
    await rm(folder, { recursive: true });
  }
}

/** Attacks services in each way. A way in which the requests of another tenant take too long is a failure. */
export async function attacks({ print }: ModeOptions): Promise<Verdict> {
  const failures: string[] = [];
  const names = Object.keys(ATTACKS) as AttackName[];
  for (const name of names) {
    const { before, during, requests } = await attack(name);
    print(`${name}: ${ATTACKS[name].about}, ${requests} requests`);
    print(`  another tenant before: ${textOf(before)}`);
    print(`  another tenant during: ${textOf(during)}`);
    const excess = excessOf(during);
    if (excess !== undefined) failures.push(`${name}: ${excess}`);
  }
  return { passed: names.length - failures.length, failures };
}
