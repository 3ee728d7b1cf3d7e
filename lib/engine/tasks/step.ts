import type { Outcome, StepInput, TaskReply, WaitingInput } from '../../compiler/emit/task-protocol.ts';
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
 * One call of the steps function by a state machine or a timer. Throws RetryError to be called again, and RunFailedError for
 * a run that failed.
 */
export async function step(ports: RunnerPorts, input: StepInput): Promise<Outcome> {
  if (!isForWaitingTask(input)) return continueRun(ports, input);
  const reply = await serveWaitingTask(ports, input);
  const { token } = 'retry' in input ? input.retry : input;
  if (reply !== undefined) await endTask(ports, token, reply);
  return END;
}
