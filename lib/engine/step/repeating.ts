import { MIN_TIMER_MS } from '../../compiler/plan/execution.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Wait } from '../../domain/runs/waits.ts';
import { sha256 } from '../../domain/storage/ids.ts';
import { childId } from '../calls/children.ts';
import { answerRetry, repetitionOf } from '../calls/run-ends.ts';
import { type CallSteps, type CallTask, makeCall } from '../calls/task.ts';
import { toWaitSeconds } from '../executions/wait-seconds.ts';
import type { RunnerPorts } from '../ports.ts';

/** The call of a timer when the pause before another attempt of a call is over. */
export interface RetryCall {
  readonly run: string;
  /** The attempt, for the task of the machine that has waited since the first one. */
  readonly retry: CallTask;
  /** When the pause is over, milliseconds since 1970. */
  readonly due: number;
}

/** A timer rings this late at most, milliseconds: an attempt that it might make after the end of the wait has none. */
const LATEST_MS = 120_000;

const TOKEN_HASH = 16;

type WaitingRun = runs.Run & { readonly wait: Wait };

const isWaiting = (run: runs.Run | undefined): run is WaitingRun =>
  run?.status === 'pending' && run.wait?.isWaiting === true;

/**
 * Sets a timer for a failed call that is repeated after a minute or more: the task of the machine stays open until then.
 * Returns false where the machine pauses instead: for shorter times, without timers, and if the caller's time is over soon.
 * Safe to repeat.
 */
export async function repeatByTimer(ports: RunnerPorts, child: runs.Run): Promise<boolean> {
  const { parent } = child;
  const next = repetitionOf(ports, child);
  if (parent === undefined || parent.token === '' || ports.timers === undefined) return false;
  if (next === undefined || next.delay < MIN_TIMER_MS) return false;
  const caller = await runs.find(ports, parent.id);
  if (!isWaiting(caller) || childId(caller, caller.wait.origin, parent) !== child.id) return false;
  const { token, isAlone } = parent;
  const alone = isAlone === true ? { alone: true } : {};
  const task = { run: caller.id, pause: caller.wait.number, token, ...alone };
  return setTimer(ports, caller, { ...task, call: { i: next.i, k: next.k, seconds: 0 } }, child.updated + next.delay);
}

/** The same for a call whose first attempt failed in place: its task says after how many seconds it is repeated. */
export async function postpone(ports: RunnerPorts, task: CallTask): Promise<boolean> {
  const { run, pause, call } = task;
  const { s: seconds = 0, ...attempt } = call;
  if (seconds * 1000 < MIN_TIMER_MS) return false;
  const caller = await runs.find(ports, run);
  if (!isWaiting(caller) || caller.wait.number !== pause) return false;
  return setTimer(ports, caller, { ...task, call: attempt }, ports.clock.now() + seconds * 1000);
}

async function setTimer(ports: RunnerPorts, caller: WaitingRun, task: CallTask, due: number): Promise<boolean> {
  const { run, call, token } = task;
  if (ports.timers === undefined || due + LATEST_MS > caller.wait.wake) return false;
  const name = `${childId(caller, caller.wait.origin, call)}.${sha256(token).slice(0, TOKEN_HASH)}`;
  return ports.timers.set({ name, at: due, input: { run, retry: task, due } satisfies RetryCall });
}

/**
 * Makes the attempt of a call whose timer has rung. The machine pauses for what is left if it rang early, and makes the
 * attempt itself after a fault. An attempt that another task has made is left to that one.
 */
export async function repeatCall(ports: RunnerPorts, { run, retry, due }: RetryCall, steps: CallSteps): Promise<void> {
  const caller = await runs.find(ports, run);
  if (!isWaiting(caller) || caller.wait.number !== retry.pause) return;
  const { i, k } = retry.call;
  const now = ports.clock.now();
  const seconds = Math.max(toWaitSeconds(caller.wait.wake - now), 1);
  const isEarly = now < due;
  const leave = (again: number) =>
    ports.executions.answer(retry.token, answerRetry({ i, k, again, seconds }, retry.alone === true));
  if (isEarly) {
    await leave(toWaitSeconds(due - now));
    return;
  }
  const made = await runs.find(ports, childId(caller, caller.wait.origin, retry.call));
  if (made !== undefined && made.parent?.token !== retry.token) return;
  try {
    await makeCall(ports, { ...retry, call: { ...retry.call, seconds } }, steps);
  } catch (fault) {
    await leave(1);
    throw fault;
  }
}
