import type { ResumeSignal, TaskReply } from '../../compiler/emit/task-protocol.ts';
import type { Recorded } from '../../domain/events/events.ts';
import * as runs from '../../domain/runs/runs.ts';
import { isFulfilled } from '../../domain/runs/waits.ts';
import { retryOnConflict } from '../../domain/storage/conflicts.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { signalOf } from '../delivery/call-ends.ts';
import { deliver, type WokenCaller } from '../delivery/deliver.ts';
import { tokensOf, type WaitListeners } from '../delivery/outbox.ts';
import { fulfilledBy } from '../events/listening.ts';
import { executionAtWait } from '../machines/continue-as-new.ts';
import { inPlaceBudgetOf } from '../machines/in-place-budget.ts';
import { replyToLeftWait } from '../machines/tasks.ts';
import type { RunnerPorts } from '../ports.ts';
import { childId } from '../run/child-ids.ts';
import { ownerOf } from '../run/commit/listener-writes.ts';
import { isListening, isWaiting, type ListeningRun, type WaitingRun, type WaitKey } from '../run/waiting-run.ts';
import { type Advance, advanceUntilWait, latestOf, runInPlace } from './advance.ts';

/** How a run is resumed in the process that learned that its wait is over. */
interface Resumption {
  readonly signal: ResumeSignal;
  /** The tasks of its machine that go on where the run stands then. */
  readonly tokens: readonly string[];
  /** The run has the event that ends the wait, which is not stored yet. */
  readonly holdsEvent?: boolean;
  /** The listeners of the wait. */
  readonly listeners?: WaitListeners;
}

/**
 * Resumes a run here, within the budget of the settings: runs its states until it waits, ends, or its machine must go on, and
 * delivers what that owes. Returns the run as it was committed; undefined if its queries took too long, and nothing was.
 * Throws ConflictError if another process has committed the run before.
 */
async function resumeHere(
  ports: RunnerPorts,
  run: WaitingRun,
  { signal, tokens, holdsEvent = false, listeners }: Resumption,
): Promise<runs.Run | undefined> {
  const revision = await revisions.need(ports, run.workflowId, run.revision);
  const how: Advance = {
    revision,
    chooseExecution: (current) => executionAtWait(ports, revisions.planOf(revision), current),
    until: ports.clock.now() + inPlaceBudgetOf(ports.settings),
    isBrief: true,
    signal,
    holdsEvent,
    leftWait: { number: run.wait.number, tokens },
    delivery: { wakeCaller, listeners },
  };
  const resumed = await advanceUntilWait(ports, run, { ...how, latest: latestOf(how) });
  return resumed.run === run ? undefined : resumed.run;
}

const mayResume = ({ settings }: RunnerPorts): boolean => inPlaceBudgetOf(settings) > 0;

const listenersOf = (run: ListeningRun): WaitListeners => {
  const { listening, number } = run.wait;
  return { owner: ownerOf(run, 'wait', listening), filters: listening.filters, number };
};

/** Resumes a run that has received its events; undefined if that is left to its machine. */
function resumeWithEvents(ports: RunnerPorts, run: ListeningRun, holdsEvent: boolean): Promise<runs.Run | undefined> {
  const tokens = tokensOf(run.wait.listening);
  return resumeHere(ports, run, {
    signal: { kind: 'eventsReceived' },
    tokens,
    holdsEvent,
    listeners: listenersOf(run),
  });
}

/**
 * Resumes a run whose wait is fulfilled. Where that is not possible here, the machine calls the step, which resumes it; so does a
 * machine that has not begun the wait yet. Safe to repeat.
 */
export async function wake(ports: RunnerPorts, run: ListeningRun): Promise<void> {
  if (!mayResume(ports)) return deliver(ports, run);
  await retryOnConflict(async (attempt) => {
    const current = attempt === 1 ? run : await runs.find(ports, run.id);
    if (current === undefined) return;
    const { number } = run.wait;
    if (!isListening(current, number)) return deliver(ports, current, { listeners: listenersOf(run) });
    const { listening } = current.wait;
    if (!isFulfilled(listening) || listening.token === '') return;
    if ((await resumeWithEvents(ports, current, false)) === undefined) await deliver(ports, current);
  });
}

/**
 * Lets a run take the event that fulfils its wait and resumes it, as `wake` does, with one commit: a crash before it leaves
 * the run as it was. Returns `not here`, and changes nothing, if the run does not take the event, waits for others too, or is
 * resumed elsewhere; `too slow` if its queries take too long: then the run is left to its machine. `run`: as it was just read.
 */
export async function takeAndWake(
  ports: RunnerPorts,
  run: runs.Run,
  number: number,
  recorded: Recorded,
): Promise<'taken' | 'not here' | 'too slow'> {
  if (!mayResume(ports)) return 'not here';
  const did = await retryOnConflict(async (attempt) => {
    const current = attempt === 1 ? run : await runs.find(ports, run.id);
    const taken = current !== undefined && isListening(current, number) ? fulfilledBy(current, recorded) : undefined;
    if (taken === undefined || taken.wait.listening.token === '') return 'not here';
    return (await resumeWithEvents(ports, taken, true)) === undefined ? 'too slow' : 'taken';
  });
  if (did === 'taken') ports.meter?.note({ EventsDelivered: 1 });
  return did;
}

/** What the end of its time means for a run: a delay is over, any other wait was in vain. */
const endOf = ({ wait: { calls, listening } }: WaitingRun): 'due' | 'timedOut' =>
  calls === undefined && listening === undefined ? 'due' : 'timedOut';

/**
 * Resumes a run whose delay or other wait is over by its time, which ends the task of its machine. Returns the reply to a task of a run that goes on
 * elsewhere, or has left the wait: another timer, or a process that crashed, has resumed the run. Safe to repeat. `read`: the
 * run, as it was just read.
 */
export async function wakeAtItsTime(
  ports: RunnerPorts,
  { run: id, number }: WaitKey,
  { token, read }: { readonly token: string; readonly read: runs.Run | undefined },
): Promise<TaskReply | undefined> {
  let isResumed = false;
  const run = await retryOnConflict(async (attempt) => {
    const found = attempt === 1 ? read : await runs.find(ports, id);
    if (!mayResume(ports) || !isWaiting(found, number)) return found;
    const listeners = isListening(found, number) ? { listeners: listenersOf(found) } : {};
    const how = { signal: { kind: endOf(found) }, tokens: [token], ...listeners };
    const resumed = await resumeHere(ports, found, how);
    isResumed = resumed !== undefined;
    return resumed ?? found;
  });
  if (isResumed) return undefined;
  const { answer } = run?.outbox ?? {};
  if (run === undefined || answer?.number !== number) return { reply: isWaiting(run, number) ? endOf(run) : 'left' };
  await deliver(ports, run);
  return answer.tokens.includes(token) ? undefined : replyToLeftWait(run, ports.clock.now());
}

/** Whether a run waits for the end of another one. */
function awaits(run: runs.Run | undefined, { id, parent }: runs.Run): run is WaitingRun {
  if (!isWaiting(run) || parent === undefined) return false;
  return run.wait.calls !== undefined && childId(run, run.wait.origin, parent) === id;
}

/** Resumes the caller of a run that has ended, if it waits for this run alone. */
export async function wakeCaller(ports: RunnerPorts, child: runs.Run): Promise<WokenCaller> {
  const { parent } = child;
  const signal = signalOf(child, ports.settings.brand);
  if (parent === undefined || signal === undefined) return { caller: undefined, isResumed: false };
  return retryOnConflict(async () => {
    const caller = await runs.find(ports, parent.id);
    if (!awaits(caller, child)) return { caller, isResumed: false };
    const resumed = await resumeHere(ports, caller, { signal, tokens: [parent.token] });
    return { caller: resumed ?? caller, isResumed: resumed !== undefined };
  });
}

/** Delivers what a run owes that has just ended here: its caller is resumed here too, where that is possible. */
export const reportEnd = (ports: RunnerPorts, ended: runs.Run): Promise<void> => deliver(ports, ended, { wakeCaller });

/** Runs children of waiting runs in place, for the tasks of their machines. */
export const runChildInPlace = (ports: RunnerPorts) => runInPlace(ports, wakeCaller);
