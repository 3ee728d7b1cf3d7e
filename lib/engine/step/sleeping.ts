import * as runs from '../../domain/runs/runs.ts';
import type { Wait } from '../../domain/runs/waits.ts';
import { sha256 } from '../../domain/storage/ids.ts';
import { TASK_ERROR } from '../executions/task-errors.ts';
import { toWaitSeconds } from '../executions/wait-seconds.ts';
import type { RunnerPorts } from '../ports.ts';
import { wakeAtItsTime } from './waking.ts';

/** The task of a machine that waits for the end of a long delay. */
export interface SleepTask {
  readonly run: string;
  /** The number of the wait. */
  readonly sleep: number;
  /** Ends the task. */
  readonly token: string;
}

/** The call of a timer when the time of a delay has come: it names the task that set the timer. */
export interface TimerCall {
  readonly run: string;
  /** The number of the wait. */
  readonly timer: number;
  readonly token: string;
}

/** The least remaining time of a delay for a timer, which is only precise to the minute, milliseconds. */
const MIN_LEFT_MS = 30_000;

const TOKEN_HASH = 16;

/** A task that is delivered twice sets its timer once; another task of the same wait needs one with its own token. */
const timerOf = ({ run, sleep, token }: SleepTask): string => `${run}.${sleep}.${sha256(token).slice(0, TOKEN_HASH)}`;

/**
 * Sets the timer of a delay for a machine's task. The machine itself waits, to the second, where the quota of timers is
 * exhausted, little time is left, or the run's own time ends before the delay does. Safe to repeat.
 */
export async function beginSleep(ports: RunnerPorts, task: SleepTask): Promise<void> {
  const { run, sleep, token } = task;
  const wait = waitIn(await runs.find(ports, run), sleep);
  if (wait === undefined) return wakeAtItsTime(ports, { run, number: sleep }, token);
  const { wake, until } = wait;
  const mayBeLate = wake === until && wake - ports.clock.now() >= MIN_LEFT_MS;
  const timer = { name: timerOf(task), at: wake, input: { run, timer: sleep, token } satisfies TimerCall };
  const isSet = mayBeLate && (await ports.timers?.set(timer)) === true;
  if (!isSet) await leaveToMachine(ports, wait, token);
}

/** Ends a delay whose timer has rung; the machine waits for what is left if it rang early. Safe to repeat. */
export async function endSleep(ports: RunnerPorts, { run, timer, token }: TimerCall): Promise<void> {
  const wait = waitIn(await runs.find(ports, run), timer);
  if (wait !== undefined && ports.clock.now() < wait.wake) await leaveToMachine(ports, wait, token);
  else await wakeAtItsTime(ports, { run, number: timer }, token);
}

/** The wait of that number, if a run stands at it. */
const waitIn = (run: runs.Run | undefined, number: number): Wait | undefined =>
  run?.status === 'pending' && run.wait?.isWaiting && run.wait.number === number ? run.wait : undefined;

async function leaveToMachine(ports: RunnerPorts, { wake }: Wait, token: string): Promise<void> {
  const cause = JSON.stringify({ seconds: toWaitSeconds(wake - ports.clock.now()) });
  await ports.executions.answer(token, { error: TASK_ERROR.rest, cause });
}
