import type { Recorded } from '../../domain/events/events.ts';
import * as listeners from '../../domain/events/listeners.ts';
import * as runs from '../../domain/runs/runs.ts';
import { isFulfilled, type Wait } from '../../domain/runs/waits.ts';
import { retryOnConflict } from '../../domain/storage/conflicts.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { ConflictError } from '../../ports/table.ts';
import { childId } from '../calls/children.ts';
import { announceEnd, signalOf } from '../calls/run-ends.ts';
import { OutOfTimeError } from '../evaluation/tenants.ts';
import {
  answerIfFulfilled,
  fulfilledBy,
  isListening,
  type ListeningRun,
  tokensOf,
  type WaitKey,
} from '../events/listening.ts';
import { startBudgetOf } from '../executions/start-budget.ts';
import { TASK_ERROR } from '../executions/task-errors.ts';
import { answerOfWoken, endWokenTasks } from '../executions/woken.ts';
import type { RunnerPorts } from '../ports.ts';
import { notifyEnd } from '../run/end-waiters.ts';
import { ownerOf } from '../run/listener-writes.ts';
import { publishOutbox } from '../run/outbox.ts';
import type { ResumeSignal } from '../run/suspension.ts';
import { type Advance, advance, latestOf, mayGoOn } from './advance.ts';
import { repeatByTimer } from './repeating.ts';

/**
 * Resumes a run whose wait is fulfilled, here: runs the states up to the next wait, within the budget of the settings, and
 * ends the task of its machine with the outcome, so that the machine goes on to the next wait. Where that is not possible
 * the step after the wait resumes the run. A run whose machine has not begun the wait is left to it. Safe to repeat.
 */
export async function wake(ports: RunnerPorts, run: ListeningRun): Promise<void> {
  const key = { run: run.id, number: run.wait.number };
  if (startBudgetOf(ports.settings) === 0) return answerIfFulfilled(ports, run);
  const woken = await retryOnConflict(async (attempt) => {
    const current = attempt === 1 ? run : await runs.find(ports, run.id);
    if (current === undefined || !isListening(current, key) || !isFulfilled(current.wait.listening)) return current;
    const tokens = tokensOf(current.wait.listening);
    if (tokens.length === 0) return undefined;
    const resumed = await resume(ports, current, { signal: { kind: 'eventsReceived' }, tokens });
    if (resumed === undefined) await answerIfFulfilled(ports, current);
    return resumed;
  });
  if (woken !== undefined) await endListening(ports, woken, run);
}

/** Ends the tasks of the wait that a run has left, and deletes its listeners; `waiting` is the run as it waited. */
async function endListening(ports: RunnerPorts, woken: runs.Run, waiting: ListeningRun): Promise<void> {
  await endWokenTasks(ports, woken);
  const { listening, number } = waiting.wait;
  await listeners.removeAll(ports, ownerOf(waiting, 'wait', listening), listening.filters, number);
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
  if (startBudgetOf(ports.settings) === 0) return 'not here';
  const key = { run: run.id, number };
  const did = await retryOnConflict(async (attempt) => {
    const current = attempt === 1 ? run : await runs.find(ports, run.id);
    const taken = current !== undefined && isListening(current, key) ? fulfilledBy(current, recorded) : undefined;
    const tokens = taken === undefined ? [] : tokensOf(taken.wait.listening);
    if (taken === undefined || tokens.length === 0) return 'not here';
    const woken = await resume(ports, taken, { signal: { kind: 'eventsReceived' }, tokens, holdsEvent: true });
    return woken === undefined ? 'too slow' : { woken, taken };
  });
  if (typeof did === 'string') return did;
  ports.meter?.note({ EventsDelivered: 1 });
  await endListening(ports, did.woken, did.taken);
  return 'taken';
}

/** Whether a run stands at a wait. */
const isAt = (run: runs.Run | undefined, number: number): run is WaitingRun =>
  run?.status === 'pending' && run.wait?.isWaiting === true && run.wait.number === number;

/**
 * Resumes a run whose delay is over, as `wake` does, and ends the task of its machine. A task of a run that has left the
 * wait is ended as well: another timer, or a process that crashed, has resumed the run. Safe to repeat.
 */
export async function wakeAtItsTime(ports: RunnerPorts, { run: id, number }: WaitKey, token: string): Promise<void> {
  const mayResume = startBudgetOf(ports.settings) > 0;
  const run = await retryOnConflict(async () => {
    const found = await runs.find(ports, id);
    if (!mayResume || !isAt(found, number)) return found;
    return (await resume(ports, found, { signal: { kind: 'due' }, tokens: [token] })) ?? found;
  });
  if (run?.woken?.number === number) {
    await answerWoken(ports, run);
    if (!run.woken.tokens.includes(token)) await ports.executions.answer(token, answerOfWoken(run, ports.clock.now()));
    return;
  }
  const error = isAt(run, number) ? TASK_ERROR.due : TASK_ERROR.left;
  await ports.executions.answer(token, { error, cause: '' });
}

/** The signal that resumes a run, and the tasks that it ends. */
interface Cause {
  readonly signal: ResumeSignal;
  readonly tokens: readonly string[];
  /** The run has the event that ends the wait, which is not stored yet. */
  readonly holdsEvent?: boolean;
}

/**
 * Returns the run where it has come to; undefined if its queries take too long before it has come anywhere. Throws
 * ConflictError if another process has committed the run before.
 */
async function resume(
  ports: RunnerPorts,
  run: WaitingRun,
  { signal, tokens, holdsEvent = false }: Cause,
): Promise<runs.Run | undefined> {
  let mustMove = false;
  const how: Advance = {
    revision: await revisions.need(ports, run.workflowId, run.revision),
    until: ports.clock.now() + startBudgetOf(ports.settings),
    isBrief: true,
    woken: { number: run.wait.number, tokens },
    announce: reportEnd,
    chooseExecution: async () => {
      mustMove = true;
      return {};
    },
  };
  const bounded = { ...how, latest: latestOf(how) };
  let current: runs.Run | undefined;
  try {
    current = await advance(ports, run, { ...bounded, signal, holdsEvent });
    while (!mustMove && mayGoOn(current, ports.clock.now(), how.until))
      current = await advance(ports, current, bounded);
  } catch (error) {
    // Another process has taken the run over from where it has come to.
    const isTakenOver = error instanceof ConflictError && current !== undefined;
    if (!isTakenOver && !(error instanceof OutOfTimeError)) throw error;
  }
  return current;
}

type WaitingRun = runs.Run & { readonly wait: Wait };

/** Whether a run waits for the end of another one. */
function awaits(run: runs.Run | undefined, { id, parent }: runs.Run): run is WaitingRun {
  if (run?.status !== 'pending' || !run.wait?.isWaiting || parent === undefined) return false;
  return run.wait.calls !== undefined && childId(run, run.wait.origin, parent) === id;
}

/**
 * Reports the end of a run that a step has just committed. A caller that makes this call only is resumed here, as by
 * `wake`; every other one by its machine.
 */
export async function reportEnd(ports: RunnerPorts, child: runs.Run): Promise<runs.Run> {
  const { parent } = child;
  const signal = signalOf(ports, child);
  if (signal === undefined || parent === undefined || parent.token === '' || startBudgetOf(ports.settings) === 0) {
    return announce(ports, child);
  }
  notifyEnd(child.id);
  const woken = await retryOnConflict(async () => {
    const caller = await runs.find(ports, parent.id);
    return awaits(caller, child) ? resume(ports, caller, { signal, tokens: [parent.token] }) : caller;
  });
  await answerCaller(ports, woken, child);
  return child;
}

/** Reports the end of a run again: the process that committed it may have crashed before, perhaps because of the caller. */
export async function reportEndAgain(ports: RunnerPorts, child: runs.Run): Promise<runs.Run> {
  const { parent } = child;
  if (parent?.isAlone !== true || parent.token === '') return announce(ports, child);
  await answerCaller(ports, await runs.find(ports, parent.id), child, answerWoken);
  return child;
}

/** Ends the task of the caller: with the outcome if the caller was resumed where the run ended, else with the end. */
async function answerCaller(
  ports: RunnerPorts,
  caller: runs.Run | undefined,
  child: runs.Run,
  answerFor: typeof answerWoken = endWokenTasks,
): Promise<void> {
  const { woken } = caller ?? {};
  const isWoken = woken?.tokens.includes(child.parent?.token ?? '') === true;
  if (caller !== undefined && isWoken) await answerFor(ports, caller);
  else await announce(ports, child);
}

/** Leaves the caller to its machine, or to the timer that repeats the call. */
async function announce(ports: RunnerPorts, child: runs.Run): Promise<runs.Run> {
  if (!(await repeatByTimer(ports, child))) return announceEnd(ports, child);
  notifyEnd(child.id);
  return child;
}

/**
 * Completes the work after a run was woken and left its wait: the process that woke it may have crashed before it
 * published the events of the run, reported its end, and ended the task of the machine.
 */
export async function answerWoken(ports: RunnerPorts, run: runs.Run): Promise<void> {
  if (run.woken === undefined) return;
  await publishOutbox(ports, run);
  if (run.status !== 'pending') await reportEndAgain(ports, run);
  await endWokenTasks(ports, run);
}
