import type { ListenTask } from '../../compiler/emit/task-protocol.ts';
import * as events from '../../domain/events/events.ts';
import { nameOf } from '../../domain/events/identity.ts';
import { displayName } from '../../domain/events/listeners.ts';
import * as traces from '../../domain/events/traces.ts';
import { homeOf } from '../../domain/namespaces/partitions.ts';
import * as runs from '../../domain/runs/runs.ts';
import { isFulfilled, type Listening } from '../../domain/runs/waits.ts';
import { retryOnConflict } from '../../domain/storage/conflicts.ts';
import { type CloudEvent, toText } from '../../events/cloud-event.ts';
import { matches } from '../../events/matching.ts';
import type { EnginePorts } from '../ports.ts';
import { isListening, type ListeningRun, type WaitKey } from '../run/waiting-run.ts';
import { addProcessed, processedIn } from './processed-events.ts';

/** The outcome of an event that was offered to a wait; `explain` shows these words. */
export type Offered =
  | 'taken'
  /** The run has taken it before. */
  | 'had'
  | 'not wanted'
  /** It was published before the time from which events count. */
  | 'too early'
  /** The wait is over, or has all its events. */
  | 'gone';

/**
 * Begins the wait of a machine's task: from now on an event that fulfils the wait ends the task. Events since the state
 * was entered count, so the router may have missed the run's listeners. Returns false if the run
 * does not stand at the wait. `until`: the time after which the router has found the listeners, milliseconds since 1970.
 * Safe to repeat.
 */
export async function beginListening(
  ports: EnginePorts,
  { run: id, listen, token }: ListenTask,
  until?: number,
): Promise<boolean> {
  const key = { run: id, number: listen };
  // The machine has gone on from the wait before. That of a detached wait has its token already.
  const run = await updateWait(ports, key, ({ wait: { listening } }) =>
    listening.token === token ? undefined : { listening: withToken(listening, token), hasGoneOn: true },
  );
  if (run !== undefined) await offerPast(ports, key, run, until);
  return run !== undefined;
}

/** How many tokens of earlier calls are kept. */
const MAX_OTHER_TOKENS = 3;

/** The call that stores its token last may not be the one whose task is open, so the others are kept too. */
function withToken({ token, otherTokens = [] }: Listening, added: string): Partial<Listening> {
  const others = [token, ...otherTokens].filter((one) => one !== '' && one !== added);
  return others.length === 0 ? { token: added } : { token: added, otherTokens: others.slice(0, MAX_OTHER_TOKENS) };
}

/** The outcome of an offer. The caller wakes a run that has received the events that it waits for. */
export interface Offer {
  readonly did: Offered;
  /** The run, if it waits there. */
  readonly run?: ListeningRun;
}

/**
 * Offers an event to a run that waits. A run takes an event once, however often and in whichever of its waits it is
 * offered; a replay counts as another event, of the time when it was asked for. `read`: the run, if it was just read.
 */
export async function offerToRun(
  ports: EnginePorts,
  key: WaitKey,
  recorded: events.Recorded,
  read?: runs.Run,
): Promise<Offer> {
  const offered = await retryOnConflict(async (attempt): Promise<Offer> => {
    const run = attempt === 1 && read !== undefined ? read : await runs.find(ports, key.run);
    if (run === undefined || !isListening(run, key.number)) return { did: 'gone' };
    const decision = decide(run, recorded);
    if (typeof decision === 'string') return { did: decision, run };
    const taken = await runs.commit(ports, { ...withChange(run, decision), seq: run.seq + 1 });
    return isListening(taken, key.number) ? { did: 'taken', run: taken } : { did: 'taken' };
  });
  if (offered.did === 'taken') ports.meter?.note({ EventsDelivered: 1 });
  return offered;
}

/**
 * The run as it is with an event that fulfils its wait, for the commit with which it leaves the wait; undefined if it does not
 * take the event, or waits for others too.
 */
export function fulfilledBy(run: ListeningRun, recorded: events.Recorded): ListeningRun | undefined {
  const decision = decide(run, recorded);
  if (typeof decision === 'string') return undefined;
  const taken = withChange(run, decision);
  return isFulfilled(taken.wait.listening) ? taken : undefined;
}

/**
 * Gives an event to a wait that is for it alone, past the bus. Returns the run with the event that the wait has
 * received by then, this one or an earlier one; undefined if the run does not wait there any more. The caller wakes the
 * run.
 */
export const giveTo = (ports: EnginePorts, key: WaitKey, event: CloudEvent): Promise<ListeningRun | undefined> =>
  updateWait(ports, key, ({ wait: { listening } }) =>
    isFulfilled(listening) ? undefined : { listening: { received: [toText(event)] } },
  );

/** A change of a run that waits for events. */
interface WaitChange {
  readonly listening: Partial<Listening>;
  readonly processedEventIds?: readonly string[];
  /** The machine knows that the run has left the wait before. */
  readonly hasGoneOn?: boolean;
}

function withChange(current: ListeningRun, changed: WaitChange): ListeningRun {
  const { processedEventIds = current.processedEventIds } = changed;
  const listening = { ...current.wait.listening, ...changed.listening };
  const { answer: _, ...others } = current.outbox;
  const outbox = changed.hasGoneOn === true ? others : current.outbox;
  return { ...current, outbox, processedEventIds, wait: { ...current.wait, listening } };
}

/**
 * Commits a change of a wait; undefined from `change` leaves it as it is. Returns the run as it stands then, or undefined
 * if it does not wait there any more. `read`: the run, if it was just read.
 */
async function updateWait(
  ports: EnginePorts,
  key: WaitKey,
  change: (run: ListeningRun) => WaitChange | undefined,
  read?: runs.Run,
): Promise<ListeningRun | undefined> {
  const found = read ?? (await runs.find(ports, key.run));
  if (found === undefined) return undefined;
  const { run } = await runs.update(ports, found, (current) => {
    const changed = isListening(current, key.number) ? change(current) : undefined;
    return changed === undefined || !isListening(current, key.number)
      ? undefined
      : { run: withChange(current, changed) };
  });
  return isListening(run, key.number) ? run : undefined;
}

type Decision = Exclude<Offered, 'taken'> | WaitChange;

/** Decides whether a run takes an event. If so, returns how the run changes. */
function decide(
  { wait: { listening, approval }, processedEventIds }: ListeningRun,
  recorded: events.Recorded,
): Decision {
  const { event, due } = recorded;
  // No event of the bus decides an approval: `takeDecision` does.
  if (approval !== undefined) return 'not wanted';
  if (processedIn(processedEventIds)(recorded)) return 'had';
  if (isFulfilled(listening)) return 'gone';
  if (due < listening.since) return 'too early';
  const slot = freeSlot(listening, event);
  if (slot < 0) return 'not wanted';
  const received = listening.received.map((text, index) => (index === slot ? toText(event) : text));
  const name = nameOf(recorded);
  const names = name === event.id ? {} : { names: { ...listening.names, [slot]: name } };
  return {
    listening: { received, ...names },
    processedEventIds: addProcessed(processedEventIds, recorded, listening.since),
  };
}

/** The first filter that matches the event and has received none; -1 if there is none. */
const freeSlot = ({ filters, received }: Listening, event: CloudEvent): number =>
  filters.findIndex((filter, index) => received[index] === null && matches(filter, event));

/** Offers the events that were published since the wait counts them, oldest first. */
async function offerPast(ports: EnginePorts, key: WaitKey, run: ListeningRun, until?: number): Promise<void> {
  const { filters, since: from } = run.wait.listening;
  const home = await homeOf(ports, run);
  const types = [...new Set(filters.map(({ type }) => type))];
  const isWanted = (event: CloudEvent) => filters.some((filter) => matches(filter, event));
  const found = await Promise.all(types.map((type) => events.dueSince(ports, { home, type, from, until }, isWanted)));
  const isProcessed = processedIn(run.processedEventIds);
  const offered = found.flat().filter((recorded) => !isProcessed(recorded));
  for (const recorded of offered.sort((a, b) => a.due - b.due)) {
    const { did } = await offerToRun(ports, key, recorded);
    if (did === 'gone') return;
    const trace = { listener: displayName({ kind: 'wait', owner: run.id }), workflow: run.path, matches: true, did };
    if (did === 'taken') await traces.add(ports, recorded, [trace], false);
  }
}
