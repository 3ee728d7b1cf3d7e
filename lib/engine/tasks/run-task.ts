import { isFault, type Outcome, type RunTask, toResumeSignal } from '../../compiler/emit/task-protocol.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Wait } from '../../domain/runs/waits.ts';
import { onConflict } from '../../domain/storage/conflicts.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { beginHeld } from '../admission/admission.ts';
import { serve } from '../calls/serving.ts';
import { noteUnawaitedFailure } from '../containers/caller-log.ts';
import { deliver } from '../delivery/deliver.ts';
import { owesAnswer } from '../delivery/outbox.ts';
import { isDetached } from '../machines/call-machines.ts';
import { canBeginAt, continueAsNew, executionAtWait, shouldContinueAsNew } from '../machines/continue-as-new.ts';
import { startExecution } from '../machines/executions.ts';
import { END, isAtFirstWait, outcomeOfHold, outcomeOfWait } from '../machines/outcomes.ts';
import { isMadeByMachine, prepareForMachine, takeFromMachine } from '../native/machine-calls.ts';
import type { NativeChild } from '../native/serving.ts';
import type { EnginePorts, RunnerPorts } from '../ports.ts';
import { inLargeTurns } from '../run/large-runs.ts';
import { advanceUntilWait } from '../step/advance.ts';
import { reportEnd, wakeCaller } from '../step/resume.ts';
import { RetryError, RunFailedError } from './results.ts';

/** A batch commits at least this often, so that a crash repeats little work and progress is visible. */
const CHECKPOINT_MS = 2_000;
/** One call of the step goes on for this long, over many commits. */
const CALL_MS = 60_000;

/** Of a step that an execution of the tier EXPRESS calls, at least a second apart. */
const MAX_ATTEMPTS = 60;

/** A run as this call found it, or as it committed it, which was delivered with the commit. */
interface Current {
  readonly run: runs.Run | undefined;
  readonly isDelivered: boolean;
}

/**
 * Advances a run until it waits or ends. A repeated call is harmless: each batch commits only on the sequence number that
 * it read, a run that has ended or gone on returns its stored outcome, and a wait is resumed only by the call that names
 * its number. Throws RetryError to be called again, and RunFailedError for a run that failed.
 */
export async function continueRun(ports: RunnerPorts, task: RunTask): Promise<Outcome> {
  const end = ports.clock.now() + CALL_MS;
  let current: Current = { run: await runs.find(inLargeTurns(ports), task.run), isDelivered: false };
  for (;;) {
    const { run, isDelivered } = current;
    if (run === undefined) return END;
    const { status, wait } = run;
    const isAtOtherWait = status === 'pending' && wait?.isWaiting === true && wait.number !== task.resume;
    const isOver = status !== 'pending' || isAtOtherWait;
    const isLeftToOther = !isDelivered && isDuplicate(task);
    // The process that committed the run may have crashed before it delivered what that owes.
    if (isOver && !isDelivered && !isLeftToOther) await deliver(ports, run, { hasStopped: true });
    if (status !== 'pending') return outcomeOfEnd(run);
    const isElsewhere = isStale(run, task) || (isAtOtherWait && hasMoved(run, task));
    if (isElsewhere) return isLeftToOther ? END : restart(ports, run);
    if (runs.isQueued(run)) return beginLater(ports, run);
    if (isMadeByMachine(run)) return invokeByMachine(ports, run, task);
    if (run.kind === 'call') return serveHere(ports, run);
    if (isAtOtherWait) return suspend(ports, run, { wait, task });
    if (wait?.isWaiting && isFault(task.with)) return replaceExecution(ports, run);
    // An execution of the tier EXPRESS ends after five minutes, and nothing reports that.
    const isLong = ports.clock.now() >= end || (task.attempt ?? 0) >= MAX_ATTEMPTS;
    if (isLong && isDetached(run)) return replaceExecution(ports, run);
    if (ports.clock.now() >= end) throw new RetryError('the run continues in another call');
    current = await advanceOnce(ports, run, task);
  }
}

function outcomeOfEnd(run: runs.Run): Outcome {
  if (run.status === 'failed' || run.status === 'crashed') throw new RunFailedError(run);
  return END;
}

/** Calls the container or the function of a call for which no task of a machine makes it. */
async function serveHere(ports: RunnerPorts, call: runs.Run): Promise<Outcome> {
  const isAwaited = (call.parent?.token ?? '') !== '';
  const ended = await serve(ports, call, isAwaited);
  await noteUnawaitedFailure(ports, ended);
  await deliver(ports, ended, { hasStopped: true });
  return outcomeOfEnd(ended);
}

/** Returns the invocation that the machine of a call makes or, with the machine's reply, ends the call. */
async function invokeByMachine(ports: RunnerPorts, child: NativeChild, { with: reply }: RunTask): Promise<Outcome> {
  if (reply === undefined) return { ...END, invoke: await prepareForMachine(ports, child) };
  const ended = await takeFromMachine(ports, child, reply);
  await noteUnawaitedFailure(ports, ended);
  await reportEnd(ports, ended);
  return outcomeOfEnd(ended);
}

/**
 * Whether the task of a run that has gone on is that of an execution which AWS started twice: it is a first attempt, and the other
 * one has crashed or starts what follows. Else every further execution of the run would be started twice, too.
 */
const isDuplicate = ({ attempt }: RunTask): boolean => attempt === 0;

/** Whether another execution drives the run by now. */
const isStale = (run: runs.Run, { execution }: RunTask): boolean =>
  execution !== undefined && run.machine !== '' && execution !== runs.executionOf(run);

/** Whether a later execution begins at the wait of the run: the call goes on after an earlier wait. */
const hasMoved = (run: runs.Run, { resume }: RunTask): boolean => resume !== undefined && isAtFirstWait(run);

/** The process that moved the run to another execution may have crashed before it started that one. */
async function restart(ports: RunnerPorts, run: runs.Run): Promise<Outcome> {
  if (owesAnswer(run)) await deliver(ports, run);
  await startExecution(ports, run);
  return END;
}

/** Lets a run begin that was held back, or its machine wait for longer. */
async function beginLater(ports: RunnerPorts, run: runs.Run): Promise<Outcome> {
  const begun = await beginHeld(ports, run);
  const isHere = runs.executionOf(begun) === runs.executionOf(run) && begun.machine !== '';
  if (runs.isQueued(begun)) return isHere ? outcomeOfHold(begun) : END;
  return begun.kind === 'call' && isHere ? serveHere(ports, begun) : END;
}

/** The attempts of a task of the wait are exhausted, or the execution would end before the run waits: a new one goes on. */
async function replaceExecution(ports: EnginePorts, run: runs.Run): Promise<Outcome> {
  await continueAsNew(ports, run);
  return END;
}

interface Suspension {
  readonly wait: Wait;
  readonly task: RunTask;
}

/** Sends the machine to the wait, or continues the run in a new execution. */
async function suspend(ports: EnginePorts, run: runs.Run, { wait, task }: Suspension): Promise<Outcome> {
  const isFirstTask = task.resume === undefined;
  const mustMove = shouldContinueAsNew(run) || (isFirstTask && !(await canBeginAt(ports, run, wait)));
  if (!mustMove) return outcomeOfWait(wait, ports.clock.now());
  await continueAsNew(ports, run);
  return END;
}

/** Advances the run for a while; after a conflict, returns it as the other commit left it. */
async function advanceOnce(ports: RunnerPorts, run: runs.Run, task: RunTask): Promise<Current> {
  const revision = await revisions.need(ports, run.workflowId, run.revision);
  const until = ports.clock.now() + CHECKPOINT_MS;
  const signal = run.wait?.isWaiting ? toResumeSignal(task.with) : { kind: 'due' as const };
  const advance = async (): Promise<Current> => {
    const chooseExecution = (current: runs.Run) => executionAtWait(ports, revisions.planOf(revision), current);
    const how = { revision, until, signal, chooseExecution, delivery: { wakeCaller } };
    const advanced = await advanceUntilWait(ports, run, how);
    if (advanced.stop === 'taken over') return readAgain(ports, run.id);
    return { run: advanced.run, isDelivered: true };
  };
  return onConflict(advance(), () => readAgain(ports, run.id));
}

async function readAgain(ports: RunnerPorts, id: string): Promise<Current> {
  const run = await runs.find(ports, id);
  const isComputing = run?.status === 'pending' && !run.wait?.isWaiting;
  if (isComputing) throw new RetryError('another call of the same run is at work');
  return { run, isDelivered: false };
}
