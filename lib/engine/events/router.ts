import { type Candidates, candidatesOf } from '../../domain/events/candidates.ts';
import * as events from '../../domain/events/events.ts';
import * as listeners from '../../domain/events/listeners.ts';
import * as traces from '../../domain/events/traces.ts';
import type { Message } from '../../ports/bus.ts';
import type { EnginePorts } from '../ports.ts';
import { offer } from './listening.ts';
import { startByEvent } from './starts.ts';

/** How many listeners get the event side by side. */
const CONCURRENCY = 16;
/** After this many listeners a call of the router ends and lets the bus call it again: it has five minutes on AWS. */
const MAX_PER_CALL = 5000;
/** The position is stored after so many listeners: a crash repeats at most these, and most events store none. */
const NOTED_AFTER = 250;

/** The progress of one call of the router. */
interface Progress {
  /** What the event did to listeners, for `explain`. */
  readonly found: events.Trace[];
  readonly faults: unknown[];
  /** How many listeners were offered the event. */
  offered: number;
  /** The place of the last listener up to which all have got the event. */
  served: string;
  /** How many listeners had been offered the event when the position was stored last. */
  noted: number;
}

/**
 * Delivers a recorded event to all listeners of its type, at least once; each wait and each start processes an event once.
 * Safe to repeat and to run concurrently. It stores how far it has come, so the call after a crash goes on there; after
 * `MAX_PER_CALL` listeners it publishes the message again for the others. If a delivery fails, the others are still made;
 * then it throws, and the bus delivers the message again.
 */
export async function route(ports: EnginePorts, message: Message): Promise<void> {
  const recorded = await events.read(ports, message.record);
  if (recorded === undefined || recorded.isRouted) return;
  const progress: Progress = { found: [], faults: [], offered: 0, served: recorded.served, noted: 0 };
  for await (const part of candidatesOf(ports, message.namespaceId, recorded.event, recorded.served)) {
    const isLast = progress.offered >= MAX_PER_CALL && progress.faults.length === 0;
    if (isLast || progress.offered - progress.noted >= NOTED_AFTER) {
      await traces.noteServed(ports, recorded, progress.served);
      progress.noted = progress.offered;
    }
    if (isLast) return continueLater(ports, message, recorded, progress);
    await deliverToPart(ports, { message, recorded, progress }, part);
  }
  await traces.add(ports, recorded, progress.found, progress.faults.length === 0);
  if (progress.faults.length > 0) throw progress.faults[0];
}

async function continueLater(
  ports: EnginePorts,
  message: Message,
  recorded: events.Recorded,
  { found }: Progress,
): Promise<void> {
  await traces.add(ports, recorded, found, false);
  await ports.bus.publish([{ ...message, round: (message.round ?? 0) + 1 }]);
}

interface Routing {
  readonly message: Message;
  readonly recorded: events.Recorded;
  readonly progress: Progress;
}

async function deliverToPart(ports: EnginePorts, routing: Routing, part: Candidates): Promise<void> {
  const { recorded, progress } = routing;
  const open = part.matching.filter((listener) => !isServed(recorded, listener));
  progress.offered += open.length;
  for (let from = 0; from < open.length; from += CONCURRENCY) {
    const some = open.slice(from, from + CONCURRENCY).map((listener) => deliverTo(ports, routing, listener));
    for (const result of await Promise.allSettled(some)) {
      if (result.status === 'rejected') progress.faults.push(result.reason);
      else if (progress.found.length < traces.MAX_TRACES && result.value.did !== 'had')
        progress.found.push(result.value);
    }
  }
  // The next call begins before the first listener that could not be served.
  if (progress.faults.length === 0) progress.served = part.last;
}

/** Whether an earlier call has started or collected for a start listener. Waits and replays keep their own account. */
function isServed({ traces: known, replay }: events.Recorded, listener: listeners.Listener): boolean {
  if (replay !== undefined || listener.kind === 'wait') return false;
  const name = listeners.displayName(listener);
  return known.some((trace) => trace.listener === name && (trace.did === 'started' || trace.did === 'collected'));
}

/** The listener of a failed delivery, by its fault. */
const listenersOfFaults = new WeakMap<object, listeners.Listener>();

async function deliverTo(ports: EnginePorts, routing: Routing, listener: listeners.Listener): Promise<events.Trace> {
  return deliver(ports, routing, listener).catch((error: unknown) => {
    if (typeof error === 'object' && error !== null) listenersOfFaults.set(error, listener);
    throw error;
  });
}

/** Offers the event to a run that waits, or starts a workflow. The listener's filter matches. Returns the trace. */
async function deliver(
  ports: EnginePorts,
  { message, recorded }: Routing,
  listener: listeners.Listener,
): Promise<events.Trace> {
  const { kind, owner, path, wait: number } = listener;
  const trace = { listener: listeners.displayName(listener), workflow: path, matches: true };
  if (kind === 'wait') {
    const did = await offer(ports, { run: owner, number }, recorded);
    if (did === 'gone') await listeners.removeStale(ports, message.namespaceId, listener);
    return { ...trace, did };
  }
  return { ...trace, ...(await startByEvent(ports, message.namespace, listener, recorded)) };
}

/** The fields that name the listener of a failed delivery in the log record of a fault that `route` threw. */
export function logFieldsOfFault(error: unknown): Readonly<Record<string, string>> {
  const listener = typeof error === 'object' && error !== null ? listenersOfFaults.get(error) : undefined;
  if (listener === undefined) return {};
  const { kind, owner, path } = listener;
  return { workflow: path, ...(kind === 'wait' ? { instance: owner } : {}) };
}
