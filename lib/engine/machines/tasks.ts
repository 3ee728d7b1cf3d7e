import { type TaskReply, toAnswer } from '../../compiler/emit/task-protocol.ts';
import type { Run } from '../../domain/runs/runs.ts';
import type { Ports } from '../../ports/ports.ts';
import type { EnginePorts } from '../ports.ts';
import { shouldContinueAsNew } from './continue-as-new.ts';
import { followReply } from './detached-replies.ts';
import { waitOfToken } from './detached-waits.ts';
import { END, isAtFirstWait, outcomeOfWait } from './outcomes.ts';

/** Ends a task of a machine that waits for its token, or a detached wait. An answer to a task that is over has no effect. */
export async function endTask(
  ports: EnginePorts & Partial<Pick<Ports, 'timers'>>,
  token: string,
  reply: TaskReply,
): Promise<void> {
  const detached = waitOfToken(token);
  if (detached !== undefined) return followReply(ports, detached, reply);
  await ports.executions.answer(token, toAnswer(reply));
}

/** The reply to the tasks of a wait that a run has left: where it stands, or an error that leads the machine to the next step. */
export function replyToLeftWait(run: Run, now: number): TaskReply {
  const { status, wait } = run;
  // Another execution begins at a first wait.
  if (status === 'complete' || (status === 'pending' && isAtFirstWait(run))) return { reply: 'moved', to: END };
  const mayGoTo = status === 'pending' && wait?.isWaiting === true && !shouldContinueAsNew(run);
  return mayGoTo ? { reply: 'moved', to: outcomeOfWait(wait, now) } : { reply: 'eventsReceived' };
}
