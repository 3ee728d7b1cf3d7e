import type { CallTask, RetryCall } from '../../compiler/emit/task-protocol.ts';
import { MIN_TIMER_MS } from '../../compiler/plan/execution.ts';
import type { Run } from '../../domain/runs/runs.ts';
import type { Parent } from '../../domain/runs/waits.ts';
import { sha256 } from '../../domain/storage/ids.ts';
import { MINUTE_MS } from '../../time/units.ts';
import type { DeliveryPorts } from '../ports.ts';
import { childId } from '../run/child-ids.ts';
import { isWaiting, type WaitingRun } from '../run/waiting-run.ts';
import type { nextAttemptOf } from './call-ends.ts';

/** A timer rings this late at most, milliseconds: an attempt that it might make after the end of the wait has none. */
const LATEST_MS = 120_000;

const TOKEN_HASH = 16;

/**
 * Sets the timer that makes an attempt of a call at a time, in milliseconds since 1970: the task of the machine stays open
 * until then. Returns false where the machine pauses instead: without timers, for pauses below a minute, and if the
 * caller's time is over soon. Safe to repeat: its name follows from the attempt, the task and `turn`.
 */
export async function armRetry(
  ports: DeliveryPorts,
  caller: WaitingRun,
  task: CallTask,
  { due, turn = '' }: { readonly due: number; readonly turn?: string },
): Promise<boolean> {
  const { run, call, token } = task;
  if (ports.timers === undefined || due + LATEST_MS > caller.wait.wake) return false;
  const name = `${childId(caller, caller.wait.origin, call)}.${sha256(token + turn).slice(0, TOKEN_HASH)}`;
  return ports.timers.set({ name, at: due, input: { run, retry: task, due } satisfies RetryCall });
}

type NextAttempt = NonNullable<ReturnType<typeof nextAttemptOf>>;

/** A timer counts as lost this long after the time of its attempt, milliseconds: it may ring two minutes late. */
export const LOST_MS = 5 * MINUTE_MS;

/** Whether the timer of the attempt that follows a failed one should have rung by now, milliseconds since 1970. */
export const isTimerLost = (
  { updated }: Pick<Run, 'updated'>,
  { delay }: Pick<NextAttempt, 'delay'>,
  now: number,
): boolean => now >= updated + delay + LOST_MS;

/** As `armRetry`, for the attempt that follows a failed child. `findCaller` is only called where a timer may be set. */
export async function armNextAttempt(
  ports: DeliveryPorts,
  { child, parent, next }: { readonly child: Run; readonly parent: Parent; readonly next: NextAttempt },
  findCaller: () => Promise<Run | undefined>,
): Promise<boolean> {
  if (ports.timers === undefined || next.delay < MIN_TIMER_MS) return false;
  const caller = await findCaller();
  if (!isWaiting(caller) || childId(caller, caller.wait.origin, parent) !== child.id) return false;
  const alone = parent.isAlone === true ? { alone: true } : {};
  const task = { run: caller.id, pause: caller.wait.number, token: parent.token, ...alone };
  const call = { i: next.i, k: next.k, seconds: 0 };
  return armRetry(ports, caller, { ...task, call }, { due: child.updated + next.delay });
}
