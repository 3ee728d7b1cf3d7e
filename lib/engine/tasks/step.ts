import type { Outcome, StepInput, TaskReply, WaitingInput } from '../../compiler/emit/task-protocol.ts';
import * as runs from '../../domain/runs/runs.ts';
import { standsAt, waitOfToken } from '../machines/detached-waits.ts';
import { END } from '../machines/outcomes.ts';
import { endTask } from '../machines/tasks.ts';
import type { RunnerPorts } from '../ports.ts';
import { listen } from './listen-task.ts';
import { makeCallOrSetTimer, repeatCall } from './retry-call.ts';
import { continueRun } from './run-task.ts';
import { beginSleep, endSleep } from './sleep-task.ts';

export type { StepInput } from '../../compiler/emit/task-protocol.ts';

/** Begins or ends the wait of a task. Returns the reply to one that is over at once; the run's end or wait ends any other. */
function serveWaitingTask(ports: RunnerPorts, input: WaitingInput): Promise<TaskReply | undefined> {
  if ('call' in input) return makeCallOrSetTimer(ports, input);
  if ('listen' in input) return listen(ports, input);
  if ('sleep' in input) return beginSleep(ports, input);
  if ('timer' in input) return endSleep(ports, input);
  return repeatCall(ports, input);
}

const isForWaitingTask = (input: StepInput): input is WaitingInput => 'token' in input || 'retry' in input;

/**
 * The input of a task of a process that starts no execution twice, and that calls a task again with the same input after a
 * restart: what seems to be a first attempt may follow a crash.
 */
export function withoutAttempt(input: StepInput): StepInput {
  if (!('attempt' in input)) return input;
  const { attempt: _, ...task } = input;
  return task;
}

/**
 * One call of the steps function by a state machine or a timer. Throws RetryError to be called again, and RunFailedError for
 * a run that failed.
 */
export async function step(ports: RunnerPorts, input: StepInput): Promise<Outcome> {
  if (!isForWaitingTask(input)) return continueRun(ports, input);
  const { token } = 'retry' in input ? input.retry : input;
  const detached = waitOfToken(token);
  // A machine goes on with a wait whose step or timer seemed lost, and was late.
  if (detached !== undefined && standsAt(await runs.find(ports, detached.run), detached, true)) return END;
  const reply = await serveWaitingTask(ports, input);
  if (reply !== undefined) await endTask(ports, token, reply);
  return END;
}
