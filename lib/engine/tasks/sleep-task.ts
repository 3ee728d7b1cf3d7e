import type { SleepTask, TaskReply, TimerCall } from '../../compiler/emit/task-protocol.ts';
import * as runs from '../../domain/runs/runs.ts';
import { sha256 } from '../../domain/storage/ids.ts';
import { isDetached } from '../machines/call-machines.ts';
import { limitWait } from '../machines/detached-waits.ts';
import { toWaitSeconds } from '../machines/wait-seconds.ts';
import type { RunnerPorts } from '../ports.ts';
import { isWaiting, type WaitingRun } from '../run/waiting-run.ts';
import { wakeAtItsTime } from '../step/resume.ts';

/** The least remaining time of a delay for a timer, which is only precise to the minute, milliseconds. */
const MIN_LEFT_MS = 30_000;

const TOKEN_HASH = 16;

/** A task that is delivered twice sets its timer once; another task of the same wait needs one with its own token. */
const timerOf = ({ run, sleep, token }: SleepTask): string => `${run}.${sleep}.${sha256(token).slice(0, TOKEN_HASH)}`;

/**
 * Sets the timer of a delay for a machine's task. Returns the reply by which the machine itself waits, to the second, where
 * the quota of timers is exhausted, little time is left, or the run's own time ends before the delay does. Safe to repeat.
 */
export async function beginSleep(ports: RunnerPorts, task: SleepTask): Promise<TaskReply | undefined> {
  const { run: id, sleep, token } = task;
  const run = await runs.find(ports, id);
  if (!isWaiting(run, sleep)) return wakeAtItsTime(ports, { run: id, number: sleep }, { token, read: run });
  if (isDetached(run)) return (await limitWait(ports, run)) ? undefined : restOf(ports, run);
  const { wake, until } = run.wait;
  const mayBeLate = wake === until && wake - ports.clock.now() >= MIN_LEFT_MS;
  const timer = { name: timerOf(task), at: wake, input: { run: id, timer: sleep, token } satisfies TimerCall };
  const isSet = mayBeLate && (await ports.timers?.set(timer)) === true;
  return isSet ? undefined : restOf(ports, run);
}

/** Ends a delay whose timer has rung. Returns the reply by which the machine waits for what is left if it rang early. Safe to repeat. */
export async function endSleep(
  ports: RunnerPorts,
  { run: id, timer, token }: TimerCall,
): Promise<TaskReply | undefined> {
  const run = await runs.find(ports, id);
  if (isWaiting(run, timer) && ports.clock.now() < run.wait.wake) return restOf(ports, run);
  return wakeAtItsTime(ports, { run: id, number: timer }, { token, read: run });
}

const restOf = ({ clock }: RunnerPorts, { wait }: WaitingRun): TaskReply => ({
  reply: 'rest',
  seconds: toWaitSeconds(wait.wake - clock.now()),
});
