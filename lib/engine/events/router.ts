import { type Candidates, candidatesOf } from '../../domain/events/candidates.ts';
import * as events from '../../domain/events/events.ts';
import type * as listeners from '../../domain/events/listeners.ts';
import * as traces from '../../domain/events/traces.ts';
import type { MatchResult } from '../../events/matching.ts';
import { toJson } from '../../language/json.ts';
import type { Message } from '../../ports/bus.ts';
import type { EnginePorts } from '../ports.ts';
import { nameOfWait, offer } from './listening.ts';
import { startByEvent } from './starts.ts';

/** How many listeners get the event side by side. */
const CONCURRENCY = 16;
/** After this many listeners a call of the router ends and lets the bus call it again: it has five minutes on AWS. */
const MAX_PER_CALL = 5000;
/** How many listeners that do not match are in the traces of an event. */
const MAX_MISMATCHES = 20;
/** A value in a trace is cut here, in characters. */
const MAX_SHOWN_LENGTH = 200;

/** The progress of one call of the router. */
interface Progress {
  /** What the event did to listeners, for `explain`. */
  readonly found: events.Trace[];
  readonly faults: unknown[];
  /** How many listeners were offered the event. */
  offered: number;
  /** The place of the last listener up to which all have got the event. */
  served: string;
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
  const progress: Progress = { found: [], faults: [], offered: 0, served: recorded.served };
  for await (const part of candidatesOf(ports, message.namespaceId, recorded.event, recorded.served)) {
    if (progress.served !== recorded.served) await traces.noteServed(ports, recorded, progress.served);
    if (progress.offered >= MAX_PER_CALL && progress.faults.length === 0) {
      return continueLater(ports, message, recorded, progress);
    }
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
  noteMismatches(progress, part);
  // The next call begins before the first listener that could not be served.
  if (progress.faults.length === 0) progress.served = part.last || progress.served;
}

/** Traces some of the listeners that do not match: they show what to change in a filter. */
function noteMismatches({ found }: Progress, { mismatches }: Candidates): void {
  const before = found.filter(({ matches }) => !matches).length;
  for (const { listener, result } of mismatches.slice(0, Math.max(MAX_MISMATCHES - before, 0))) {
    found.push({ listener: nameOf(listener), workflow: listener.path, ...toShown(result), did: 'nothing' });
  }
}

/** Whether an earlier call has started or collected for a start listener. Waits and replays keep their own account. */
function isServed({ traces: known, replay }: events.Recorded, listener: listeners.Listener): boolean {
  if (replay !== undefined || listener.kind === 'wait') return false;
  const name = nameOf(listener);
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
  const trace = { listener: nameOf(listener), workflow: path, matches: true };
  if (kind === 'wait') return { ...trace, did: await offer(ports, { run: owner, number }, recorded) };
  return { ...trace, ...(await startByEvent(ports, message.namespace, listener, recorded)) };
}

const nameOf = ({ kind, owner }: listeners.Listener): string =>
  kind === 'wait' ? nameOfWait(owner) : `start ${owner}`;

function toShown({ matches, failed }: MatchResult): Pick<events.Trace, 'matches' | 'failed'> {
  if (failed === undefined) return { matches };
  const { attribute, expected, found } = failed;
  return { matches, failed: { attribute: String(shown(attribute)), expected: shown(expected), found: shown(found) } };
}

function shown(value: unknown): unknown {
  const text = typeof value === 'string' ? value : toJson(value ?? null);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…`.toWellFormed() : value;
}

/** The fields that name the listener of a failed delivery in the log record of a fault that `route` threw. */
export function logFieldsOfFault(error: unknown): Readonly<Record<string, string>> {
  const listener = typeof error === 'object' && error !== null ? listenersOfFaults.get(error) : undefined;
  if (listener === undefined) return {};
  const { kind, owner, path } = listener;
  return { workflow: path, ...(kind === 'wait' ? { instance: owner } : {}) };
}
