import { type Candidates, candidatesOf } from '../../domain/events/candidates.ts';
import * as events from '../../domain/events/events.ts';
import * as listeners from '../../domain/events/listeners.ts';
import * as traces from '../../domain/events/traces.ts';
import * as runs from '../../domain/runs/runs.ts';
import { alertIn } from '../../events/alerts.ts';
import type { Message } from '../../ports/bus.ts';
import { deliver } from '../delivery/deliver.ts';
import { owesAnswer } from '../delivery/outbox.ts';
import { offerToCancel } from '../events/cancelling.ts';
import { type Offered, offerToRun } from '../events/listening.ts';
import { OverRateError } from '../limits/starts.ts';
import type { RunnerPorts } from '../ports.ts';
import { isFulfilledRun, type WaitKey } from '../run/waiting-run.ts';
import { takeAndWake, wake } from '../step/resume.ts';
import { deliverAlert } from './alerts.ts';
import { startByEvent } from './starts.ts';

/** How many listeners get the event side by side. */
const CONCURRENCY = 16;
/** After this many listeners a call of the router ends and lets the bus call it again: it has five minutes on AWS. */
const MAX_PER_CALL = 5000;
/** The position is stored after this many listeners: a crash repeats at most these, and most events store none. */
const NOTED_AFTER = 250;

/** How long a call of the router runs states, milliseconds; after that the machines of the runs do. */
const MAX_RUNNING_MS = 30_000;

/** The progress of one call of the router. */
interface Progress {
  /** When no more states are run here, milliseconds since 1970. */
  readonly runsUntil: number;
  /** The outcomes of the event for listeners, for `explain`. */
  readonly found: events.Trace[];
  readonly faults: unknown[];
  /** When the starts that are delayed may be tried again, milliseconds since 1970; undefined: none is delayed. */
  delayedUntil: number | undefined;
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
export async function route(ports: RunnerPorts, message: Message): Promise<void> {
  const recorded = await events.read(ports, message.record);
  if (recorded === undefined || recorded.isRouted) return;
  const facts = alertIn(recorded.event, ports.settings.brand);
  if (facts !== undefined) return deliverAlert(ports, { message, recorded, facts });
  const progress: Progress = {
    runsUntil: ports.clock.now() + MAX_RUNNING_MS,
    ...{ found: [], faults: [], delayedUntil: undefined, offered: 0, served: recorded.served, noted: 0 },
  };
  for await (const part of candidatesOf(ports, message.namespaceId, recorded.event, recorded.served)) {
    const isLast = progress.offered >= MAX_PER_CALL && isServedSoFar(progress);
    if (isLast || progress.offered - progress.noted >= NOTED_AFTER) {
      await traces.noteServed(ports, recorded, progress.served);
      progress.noted = progress.offered;
    }
    if (isLast) return continueLater(ports, message, recorded, progress);
    await serveListeners(ports, { message, recorded, progress }, part);
  }
  await traces.add(ports, recorded, progress.found, isServedSoFar(progress));
  if (progress.faults.length > 0) throw progress.faults[0];
  if (progress.delayedUntil !== undefined) await comeAgain(ports, message, progress.delayedUntil);
}

const isServedSoFar = ({ faults, delayedUntil }: Progress): boolean =>
  faults.length === 0 && delayedUntil === undefined;

/** Delivers the message again when the starts that are delayed may be made; nothing waits for them meanwhile. */
async function comeAgain({ bus }: RunnerPorts, message: Message, at: number): Promise<void> {
  await bus.publishAt(at, `turn-${message.id}-${at}`, { ...message, round: (message.round ?? 0) + 1 });
}

async function continueLater(
  ports: RunnerPorts,
  message: Message,
  recorded: events.Recorded,
  { found }: Progress,
): Promise<void> {
  await traces.add(ports, recorded, found, false);
  await ports.bus.publish([{ ...message, round: (message.round ?? 0) + 1 }]);
}

const withoutRunning = (ports: RunnerPorts): RunnerPorts => ({
  ...ports,
  settings: { ...ports.settings, startBudgetMs: 0 },
});

interface Routing {
  readonly message: Message;
  readonly recorded: events.Recorded;
  readonly progress: Progress;
}

async function serveListeners(ports: RunnerPorts, routing: Routing, part: Candidates): Promise<void> {
  const { recorded, progress } = routing;
  const open = part.matching.filter((listener) => !isServed(recorded, listener));
  progress.offered += open.length;
  for (let from = 0; from < open.length; from += CONCURRENCY) {
    const now = ports.clock.now() < progress.runsUntil ? ports : withoutRunning(ports);
    const some = open.slice(from, from + CONCURRENCY).map((listener) => serveListener(now, routing, listener));
    for (const result of await Promise.allSettled(some)) {
      if (result.status === 'rejected') noteFault(progress, result.reason, ports.clock.now());
      else if (progress.found.length < traces.MAX_TRACES && result.value.did !== 'had')
        progress.found.push(result.value);
    }
  }
  // The next call begins before the first listener that could not be served.
  if (isServedSoFar(progress)) progress.served = part.last;
}

/** A delayed start is no fault. The listeners that had the event already are not served twice. */
function noteFault(progress: Progress, error: unknown, now: number): void {
  if (!(error instanceof OverRateError)) progress.faults.push(error);
  else progress.delayedUntil = Math.max(progress.delayedUntil ?? 0, now + error.delayMs);
}

/** Whether an earlier call has started or collected for a start listener. Waits and replays keep their own account. */
function isServed({ traces: known, replay }: events.Recorded, listener: listeners.Listener): boolean {
  if (replay !== undefined || listener.kind !== 'start') return false;
  const name = listeners.displayName(listener);
  return known.some((trace) => trace.listener === name && (trace.did === 'started' || trace.did === 'collected'));
}

/** The listener of a failed delivery, by its fault. */
const listenersOfFaults = new WeakMap<object, listeners.Listener>();

async function serveListener(
  ports: RunnerPorts,
  routing: Routing,
  listener: listeners.Listener,
): Promise<events.Trace> {
  return offerEvent(ports, routing, listener).catch((error: unknown) => {
    if (typeof error === 'object' && error !== null) listenersOfFaults.set(error, listener);
    throw error;
  });
}

/** Offers the event to a run that waits, or starts a workflow. The listener's filter matches. Returns the trace. */
async function offerEvent(
  ports: RunnerPorts,
  { message, recorded }: Routing,
  listener: listeners.Listener,
): Promise<events.Trace> {
  const { kind, owner, path, wait: number } = listener;
  const trace = { listener: listeners.displayName(listener), workflow: path, matches: true };
  if (kind === 'cancel') {
    const did = await offerToCancel(ports, owner, recorded);
    if (did === 'gone') await listeners.removeStale(ports, listener);
    return { ...trace, did };
  }
  if (kind === 'wait') {
    const did = await giveToWait(ports, { run: owner, number }, recorded);
    if (did === 'gone') await listeners.removeStale(ports, listener);
    return { ...trace, did };
  }
  return { ...trace, ...(await startByEvent(ports, message.namespace, listener, recorded)) };
}

/** A delivery this long after the event may repeat one that ended its process, milliseconds: Lambda repeats after a minute. */
const FIRST_DELIVERY_MS = 30_000;

/**
 * Offers the event to a run that waits, and resumes the run if its wait is fulfilled. A recent delivery takes the event and runs
 * states with one commit. A late one may repeat a delivery that ended its process: it commits the event first, then resumes the
 * run; if the run has the event already, it only delivers what the run owes. The listener leads later deliveries to the run
 * until the task of the machine has ended. After `too slow`, `offerToRun` stores the event, `deliver` ends the task, and the
 * machine resumes the run.
 */
async function giveToWait(ports: RunnerPorts, key: WaitKey, recorded: events.Recorded): Promise<Offered> {
  const read = await runs.find(ports, key.run);
  const isRecent = ports.clock.now() - recorded.due < FIRST_DELIVERY_MS;
  const woke = isRecent && read !== undefined ? await takeAndWake(ports, read, key.number, recorded) : 'not here';
  if (woke === 'taken') return woke;
  const offered = await offerToRun(ports, key, recorded, read);
  const run = offered.run ?? (await runs.find(ports, key.run));
  if (run === undefined) return offered.did;
  const mayWake = offered.did === 'taken' && woke === 'not here' && isFulfilledRun(run);
  const isLeft = run.outbox.answer !== undefined;
  if (isLeft || (!mayWake && owesAnswer(run))) await deliver(ports, run);
  if (mayWake) await wake(ports, run);
  return offered.did;
}

/** The fields that name the listener of a failed delivery in the log record of a fault that `route` threw. */
export function logFieldsOfFault(error: unknown): Readonly<Record<string, string>> {
  const listener = typeof error === 'object' && error !== null ? listenersOfFaults.get(error) : undefined;
  if (listener === undefined) return {};
  const { kind, owner, path } = listener;
  return { workflow: path, ...(kind === 'start' ? {} : { instance: owner }) };
}
