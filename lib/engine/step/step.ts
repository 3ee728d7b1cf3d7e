import * as runs from '../../domain/runs/runs.ts';
import type { Wait } from '../../domain/runs/waits.ts';
import { onConflict } from '../../domain/storage/conflicts.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { type CallSteps, type CallTask, makeCall } from '../calls/task.ts';
import { serve } from '../containers/serving.ts';
import { inLargeTurns } from '../evaluation/large-turns.ts';
import { beginListening, type ListenTask } from '../events/listening.ts';
import { canBeginAt, continueAsNew, shouldContinueAsNew } from '../executions/continue-as-new.ts';
import { startExecution } from '../executions/handles.ts';
import { END, type Outcome, outcomeOfWait } from '../executions/outcomes.ts';
import { isCarried, prepareForMachine, takeFromMachine } from '../native/carrying.ts';
import type { NativeChild } from '../native/serving.ts';
import type { EnginePorts, RunnerPorts } from '../ports.ts';
import { publishOutbox } from '../run/outbox.ts';
import { advance, runInPlace } from './advance.ts';
import { RetryError, RunFailedError } from './errors.ts';
import { postpone, type RetryCall, repeatCall } from './repeating.ts';
import { isFault, toResumeSignal, type WaitOutput } from './resume-signals.ts';
import { beginSleep, endSleep, type SleepTask, type TimerCall } from './sleeping.ts';
import { reportEnd, reportEndAgain, wake } from './waking.ts';

/**
 * The input of the steps function: a task of a state machine, which continues a run, makes one of its calls, or waits
 * for events or for a time; or a call of a timer.
 */
export type StepInput = RunTask | CallTask | ListenTask | SleepTask | TimerCall | RetryCall;

/** The task that continues a run. */
interface RunTask {
  readonly run: string;
  /** The name of the execution that asks. */
  readonly execution?: string;
  /** The number of the wait that is over. */
  readonly resume?: number;
  /** The output of the wait. */
  readonly with?: WaitOutput;
}

/** How the task of a call runs and ends children. */
const callSteps = (ports: RunnerPorts): CallSteps => ({
  runInPlace: runInPlace(ports, reportEnd),
  reportEnd,
  reportEndAgain,
});

/** A batch commits at least this often, so that a crash repeats little work and progress is visible. */
const CHECKPOINT_MS = 2_000;
/** One call of the step goes on for this long, over many commits. */
const CALL_MS = 60_000;

/**
 * One call of the steps function by a state machine or a timer. Throws RetryError to be called again, and RunFailedError for a run
 * that failed.
 */
export async function step(ports: RunnerPorts, input: StepInput): Promise<Outcome> {
  if ('call' in input) await call(ports, input);
  else if ('listen' in input) await listen(ports, input);
  else if ('sleep' in input) await beginSleep(ports, input);
  else if ('timer' in input) await endSleep(ports, input);
  else if ('retry' in input) await repeatCall(ports, input, callSteps(ports));
  else return continueRun(ports, input);
  return END;
}

/** Makes a call, or sets the timer of one that is repeated later. */
async function call(ports: RunnerPorts, task: CallTask): Promise<void> {
  if (!(await postpone(ports, task))) await makeCall(ports, task, callSteps(ports));
}

/** Begins a wait for events, which may have come before it. */
async function listen(ports: RunnerPorts, task: ListenTask): Promise<void> {
  const fulfilled = await beginListening(ports, task);
  if (fulfilled !== undefined) await wake(ports, fulfilled);
}

/**
 * Advances a run until it waits or ends. A repeated call is harmless: each batch commits only on the sequence number that
 * it read, a run that has ended or gone on returns its stored outcome, and a wait is resumed only by the call that names
 * its number.
 */
async function continueRun(ports: RunnerPorts, task: RunTask): Promise<Outcome> {
  const end = ports.clock.now() + CALL_MS;
  let run = await runs.find(inLargeTurns(ports), task.run);
  for (;;) {
    if (run === undefined) return END;
    if (run.status !== 'pending') return finish(ports, run);
    if (isCarried(run)) return carry(ports, run, task);
    if (run.service !== undefined) return outcomeOfEnd(await serve(ports, run, false));
    if (isStale(run, task)) return restart(ports, run);
    const { wait } = run;
    if (wait?.isWaiting && wait.number !== task.resume) return suspend(ports, run, { wait, task });
    if (wait?.isWaiting && isFault(task.with)) return continueElsewhere(ports, run);
    if (ports.clock.now() >= end) throw new RetryError('the run continues in another call');
    run = await advanceOnce(ports, run, task);
  }
}

/** The process that committed the end may have crashed before it published the events and answered the caller. */
async function finish(ports: RunnerPorts, run: runs.Run): Promise<Outcome> {
  await publishOutbox(ports, run);
  return outcomeOfEnd(await reportEndAgain(ports, run));
}

function outcomeOfEnd(run: runs.Run): Outcome {
  if (run.status === 'failed' || run.status === 'crashed') throw new RunFailedError(run);
  return END;
}

/** Returns the invocation that the machine of a call makes or, with the machine's reply, ends the call. */
async function carry(ports: RunnerPorts, child: NativeChild, { with: reply }: RunTask): Promise<Outcome> {
  if (reply === undefined) return { ...END, invoke: await prepareForMachine(ports, child) };
  const ended = await takeFromMachine(ports, child, reply);
  await publishOutbox(ports, ended);
  return outcomeOfEnd(await reportEnd(ports, ended));
}

/** Whether another execution carries the run by now. */
const isStale = (run: runs.Run, { execution }: RunTask): boolean =>
  execution !== undefined && run.machine !== '' && execution !== runs.executionOf(run);

/** The process that moved the run to another execution may have crashed before it started that one. */
async function restart(ports: EnginePorts, run: runs.Run): Promise<Outcome> {
  await startExecution(ports, run);
  return END;
}

/** The attempts of a task of the wait are exhausted: a new execution makes them again. */
async function continueElsewhere(ports: EnginePorts, run: runs.Run): Promise<Outcome> {
  await continueAsNew(ports, run);
  return END;
}

interface Suspension {
  readonly wait: Wait;
  readonly task: RunTask;
}

/** Sends the machine to the wait, or continues the run in a new execution. */
async function suspend(ports: EnginePorts, run: runs.Run, { wait, task }: Suspension): Promise<Outcome> {
  await publishOutbox(ports, run);
  const isFirstTask = task.resume === undefined;
  const mustMove = shouldContinueAsNew(run) || (isFirstTask && !(await canBeginAt(ports, run, wait)));
  if (!mustMove) return outcomeOfWait(wait, ports.clock.now());
  await continueAsNew(ports, run);
  return END;
}

/** Advances the run by one batch; after a conflict, returns it as the other commit left it. */
async function advanceOnce(ports: RunnerPorts, run: runs.Run, task: RunTask): Promise<runs.Run | undefined> {
  const revision = await revisions.need(ports, run.workflowId, run.revision);
  const until = ports.clock.now() + CHECKPOINT_MS;
  const signal = toResumeSignal(run.wait, task.with);
  return onConflict(advance(ports, run, { revision, until, signal, announce: reportEnd }), async () => {
    const now = await runs.find(ports, run.id);
    const isComputing = now?.status === 'pending' && !now.wait?.isWaiting;
    if (isComputing) throw new RetryError('another call of the same run is at work');
    return now;
  });
}
