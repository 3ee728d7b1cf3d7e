import { type TaskReply, toAnswer } from '../../compiler/emit/task-protocol.ts';
import type { Run } from '../../domain/runs/runs.ts';
import type { EnginePorts } from '../ports.ts';
import { shouldContinueAsNew } from './continue-as-new.ts';
import { END, outcomeOfWait } from './outcomes.ts';

/** Ends a task of a machine that waits for its token. An answer to a task that is over has no effect. */
export async function endTask(
  { executions }: Pick<EnginePorts, 'executions'>,
  token: string,
  reply: TaskReply,
): Promise<void> {
  await executions.answer(token, toAnswer(reply));
}

/** The reply to the tasks of a wait that a run has left: where it stands, or an error that leads the machine to the next step. */
export function replyToLeftWait(run: Run, now: number): TaskReply {
  const { status, wait } = run;
  if (status === 'complete') return { reply: 'moved', to: END };
  const mayGoTo = status === 'pending' && wait?.isWaiting === true && !shouldContinueAsNew(run);
  return mayGoTo ? { reply: 'moved', to: outcomeOfWait(wait, now) } : { reply: 'eventsReceived' };
}
