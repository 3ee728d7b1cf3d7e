import type { CallTask, RetryCall, TaskReply } from '../../compiler/emit/task-protocol.ts';
import { MIN_TIMER_MS } from '../../compiler/plan/execution.ts';
import * as runs from '../../domain/runs/runs.ts';
import { retryReply } from '../delivery/call-ends.ts';
import { armRetry } from '../delivery/retry-timers.ts';
import { standsAt, waitOfToken } from '../machines/detached-waits.ts';
import { endTask } from '../machines/tasks.ts';
import type { RunnerPorts } from '../ports.ts';
import { childId } from '../run/child-ids.ts';
import { isWaiting } from '../run/waiting-run.ts';
import { makeCall } from './call-task.ts';

/** Sets the timer of an attempt that is due later: the first one is delayed, or failed in place. False: the machine pauses. */
async function postpone(ports: RunnerPorts, task: CallTask): Promise<boolean> {
  const { run, pause, call } = task;
  const { s: seconds = 0, ...attempt } = call;
  if (seconds * 1000 < MIN_TIMER_MS) return false;
  const caller = await runs.find(ports, run);
  if (!isWaiting(caller, pause)) return false;
  return armRetry(ports, caller, { ...task, call: attempt }, { due: ports.clock.now() + seconds * 1000 });
}

/** Makes a call for a machine, or sets the timer of an attempt that is due later. Returns the reply to a task that is over at once. */
export async function makeCallOrSetTimer(ports: RunnerPorts, task: CallTask): Promise<TaskReply | undefined> {
  return (await postpone(ports, task)) ? undefined : makeCall(ports, task);
}

/** Whether a task that is still open has made an attempt. A detached wait that a machine has taken over has none. */
function isOfAnother({ parent }: runs.Run, caller: runs.Run, token: string): boolean {
  const own = parent?.token ?? '';
  const detached = waitOfToken(own);
  return own !== token && !(detached !== undefined && standsAt(caller, detached, true));
}

/**
 * Makes the attempt of a call when its timer rings. If the timer rang early, the machine pauses for the rest: the reply says how
 * long. After a fault the machine makes the attempt; a delayed first attempt waits for its timer again, because some machines
 * cannot pause. Does nothing if another task has made the attempt; a task whose run has left the wait is led on.
 */
export async function repeatCall(ports: RunnerPorts, { run, retry, due }: RetryCall): Promise<TaskReply | undefined> {
  const caller = await runs.find(ports, run);
  if (!isWaiting(caller, retry.pause)) return { reply: 'left' };
  const timeLeft = caller.wait.wake - ports.clock.now();
  const pause = (delay: number): TaskReply =>
    retryReply(retry.call, { delay, timeLeft, isAlone: retry.alone === true });
  const early = due - ports.clock.now();
  const isDelayed = retry.call.k === 0;
  if (early > 0 && !isDelayed) return pause(early);
  const made = await runs.find(ports, childId(caller, caller.wait.origin, retry.call));
  if (made !== undefined && isOfAnother(made, caller, retry.token)) return undefined;
  try {
    const seconds = Math.max(Math.ceil(timeLeft / 1000), 1);
    return await makeCall(ports, { ...retry, call: { ...retry.call, seconds } });
  } catch (fault) {
    if (!isDelayed) await endTask(ports, retry.token, pause(1000));
    throw fault;
  }
}
