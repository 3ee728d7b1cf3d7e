import { MIN_TIMER_MS } from '../../compiler/plan/execution.ts';
import * as listenerItems from '../../domain/events/listeners.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Abandoned, Parent, Publication, Wait } from '../../domain/runs/waits.ts';
import { waitOfToken } from '../machines/detached-waits.ts';
import { ensureStarted, startOrMove } from '../machines/executions.ts';
import { inPlaceBudgetOf } from '../machines/in-place-budget.ts';
import { endTask } from '../machines/tasks.ts';
import type { CleanupPorts, DeliveryPorts, EnginePorts } from '../ports.ts';
import { childId } from '../run/child-ids.ts';
import { nextAttemptOf, replyOfEnd, signalOf } from './call-ends.ts';
import { BY_API, BY_PARENT, type Cancellation, endRun } from './cancellation.ts';
import { notifyEnd } from './end-waiters.ts';
import { release } from './hand-over.ts';
import { type Entry, outboxOf, type WaitListeners } from './outbox.ts';
import { armNextAttempt, isTimerLost } from './retry-timers.ts';

/** The caller of a run that has ended, and whether it was resumed in this process, and its own outbox delivered. */
export interface WokenCaller {
  readonly caller: runs.Run | undefined;
  readonly isResumed: boolean;
}

/** How an outbox is delivered. By default nothing is known but the run, and no state is run. */
export interface Delivery<P extends DeliveryPorts> {
  /** The run goes on in this process: only its events are published, and the next commit owes the rest. */
  readonly goesOn?: boolean;
  /** The container or the execution of the run is known to have ended: it is not stopped again. */
  readonly hasStopped?: boolean;
  /** The caller makes sure that an execution drives the run: the answer is for machines alone. */
  readonly hasDriver?: boolean;
  /** Listeners that the commit left in the table. Lost by a crash, they are removed by the next event that they match. */
  readonly listeners?: WaitListeners | undefined;
  /** The caller of the run, if it was just read. */
  readonly caller?: runs.Run | undefined;
  /** Resumes the caller of an ended run in this process, if it waits for this run alone; without it, the task of its machine ends. */
  readonly wakeCaller?: (ports: P, child: runs.Run) => Promise<WokenCaller>;
}

/**
 * Delivers what the last commit of a run owes: after the commit, when the commit's cause is delivered again, and in the
 * reconciler. No other code does this first. Elsewhere are repetitions: the reconciler publishes an event again that was recorded
 * and not routed, the router removes a stale listener, and `tasks/step.ts` replies to a task that comes late.
 *
 * A process may crash between the commit and any line of this function, so each entry is delivered at least once, and each is
 * idempotent: the router processes an event once, the first answer to a task counts, a timer has the name of its attempt, a
 * run ends once, and a deletion may be repeated. An entry is only replaced by a commit of the run. A commit past a wait
 * needs the task of that wait, which a machine begins after its last task was answered; where no machine stands at the wait
 * before, its step has delivered its commit, or the reconciler does. So nothing owed is lost: what is left undone is found
 * again by the cause (a machine repeats its step, the bus its event, a client its request) or by the reconciler.
 */
export async function deliver<P extends DeliveryPorts>(ports: P, run: runs.Run, how: Delivery<P> = {}): Promise<void> {
  const owed = outboxOf(run, ports.clock.now());
  const isDue = (entry: Entry): boolean =>
    how.goesOn === true ? entry.do === 'publish' : entry.do !== 'stop' || how.hasStopped !== true;
  for (const entry of owed.filter(isDue)) await deliverEntry(ports, run, entry, how);
  if (how.listeners !== undefined) await deliverEntry(ports, run, { do: 'forget', listeners: how.listeners }, how);
}

type Kind = Entry['do'];
type EntryOf<K extends Kind> = Extract<Entry, { readonly do: K }>;
type Deliver<K extends Kind> = <P extends DeliveryPorts>(
  ports: P,
  run: runs.Run,
  entry: EntryOf<K>,
  how: Delivery<P>,
) => Promise<void>;

const DELIVER: { readonly [K in Kind]: Deliver<K> } = {
  publish: (ports, _run, { events }) => publish(ports, events),
  stop: (ports, run) => stop(ports, run),
  abandon: (ports, run, { abandoned }) => abandon(ports, run, abandoned),
  cancelCalls: (ports, run, { wait }) => cancelCalls(ports, run, wait),
  release,
  notify: async (_ports, run) => notifyEnd(run.id),
  tellCaller: (ports, run, { parent }, how) => tellCaller(ports, run, parent, how),
  answer: async (ports, run, { tokens, reply }, { hasDriver = false }) => {
    const detached = tokens.filter((token) => waitOfToken(token) !== undefined);
    // First: the commits of an execution that begins replace what this one owes.
    for (const token of tokens) if (!detached.includes(token)) await endTask(ports, token, reply);
    if (hasDriver) return;
    await ensureStarted(ports, run);
    // Nothing follows the detached wait of a run that has ended.
    if (run.status === 'pending') for (const token of detached) await endTask(ports, token, reply);
  },
  forget: (ports, _run, { listeners: { owner, filters, number } }) =>
    listenerItems.removeAll(ports, owner, filters, number),
};

function deliverEntry<P extends DeliveryPorts>(ports: P, run: runs.Run, entry: Entry, how: Delivery<P>): Promise<void> {
  return (DELIVER[entry.do] as Deliver<Kind>)(ports, run, entry, how);
}

async function publish({ bus }: Pick<EnginePorts, 'bus'>, events: readonly Publication[]): Promise<void> {
  const now = events.filter(({ at }) => at === undefined);
  if (now.length > 0) await bus.publish(now.map(({ message }) => message));
  for (const { message, at } of events) if (at !== undefined) await bus.publishAt(at, `event-${message.id}`, message);
}

/** Ends the container and the execution of a run that was cancelled. */
async function stop(ports: CleanupPorts, run: runs.Run): Promise<void> {
  const { id, machine, code, message } = run;
  if (runs.isContainerCall(run)) {
    // The call is over for the run, whether its container can be reached or not.
    await ports.containers.cancel(run.callee.revision, id).catch((error: unknown) => {
      console.error(`cannot cancel the container call ${id}`, error);
    });
  }
  if (machine !== '') await ports.executions.stop(machine, runs.executionOf(run), code, message);
}

/** Ends the execution that a handler replaced, after which that cannot make calls, and cancels those that it made. */
async function abandon(
  ports: DeliveryPorts,
  { id, handling }: runs.Run,
  { machine, execution, step, wait }: Abandoned,
): Promise<void> {
  const { code, message } = { code: '', message: '', ...handling?.end };
  if (machine !== '') await ports.executions.stop(machine, execution, code, message);
  await cancelCalls(ports, { id, step }, wait);
}

/**
 * Reports the end of a child to its caller: the caller is resumed here, or the task of its machine ends, or a timer is set for
 * the next attempt. Where another process has resumed the caller already, that commit's outbox is delivered instead.
 */
async function tellCaller<P extends DeliveryPorts>(
  ports: P,
  child: runs.Run,
  parent: Parent,
  { caller: known, wakeCaller }: Delivery<P>,
): Promise<void> {
  const { brand } = ports.settings;
  // A caller is only resumed away from its machine by an end that is the last of its state.
  const mayBeResumed =
    signalOf(child, brand) !== undefined && inPlaceBudgetOf(ports.settings) > 0 && child.outbox.stop !== true;
  if (mayBeResumed) {
    const { caller, isResumed } =
      wakeCaller === undefined
        ? { caller: known ?? (await runs.find(ports, parent.id)), isResumed: false }
        : await wakeCaller(ports, child);
    if (isResumed) return;
    if (caller?.outbox.answer?.tokens.includes(parent.token)) return deliver(ports, caller);
  }
  const now = ports.clock.now();
  const next = nextAttemptOf(child, brand);
  const isLost = next !== undefined && next.delay >= MIN_TIMER_MS && isTimerLost(child, next, now);
  const findCaller = async () => known ?? runs.find(ports, parent.id);
  if (next !== undefined && !isLost && (await armNextAttempt(ports, { child, parent, next }, findCaller))) return;
  await endTask(ports, parent.token, replyOfEnd(child, parent, { brand, now, isLost }));
}

/**
 * Cancels a pending run and every child that it waits for; a run that has ended stays as it is. Repeat it to finish a
 * cancellation that was interrupted. Returns the run as it ended, or as a handler of its workflow took it over.
 */
export async function cancel(ports: DeliveryPorts, run: runs.Run, why: Cancellation = BY_API): Promise<runs.Run> {
  const ended = await endRun(ports, run, why);
  const isTakenOver = ended.outbox.abandoned !== undefined;
  if (ended.outbox.stop === true || isTakenOver) await deliver(ports, ended);
  return isTakenOver ? startOrMove(ports, ended) : ended;
}

/** Cancels the children that a run waits for in a wait, and everything that those wait for. */
export async function cancelCalls(
  ports: DeliveryPorts,
  caller: Pick<runs.Run, 'id' | 'step'>,
  wait: Pick<Wait, 'origin' | 'calls'> | undefined,
): Promise<void> {
  if (wait?.calls === undefined) return;
  // The machine makes the attempts from the one that it waits for; each exists only if the one before it does.
  let open = wait.calls.waiting.map(({ i, k }) => ({ i, k }));
  while (open.length > 0) {
    const ids = open.map((key) => childId(caller, wait.origin, key));
    const found = await runs.findMany(ports, ids);
    for (const child of found) if (child?.status === 'pending') await cancel(ports, child, BY_PARENT);
    open = open.filter((_, index) => found[index] !== undefined).map(({ i, k }) => ({ i, k: k + 1 }));
  }
}
