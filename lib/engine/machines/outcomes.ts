import type { Outcome } from '../../compiler/emit/task-protocol.ts';
import { isQueued, type Run } from '../../domain/runs/runs.ts';
import type { Wait } from '../../domain/runs/waits.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { isDetached } from './call-machines.ts';
import { inputOfDetached } from './detached-waits.ts';
import { toWaitSeconds } from './wait-seconds.ts';

export const END: Outcome = { next: '', pause: 0, seconds: 0 };

/** The outcome of a step that ends at a wait. `now`: when the wait begins, milliseconds since 1970. */
export function outcomeOfWait({ state, number, wake, calls, listening }: Wait, now: number): Outcome {
  const seconds = toWaitSeconds(wake - now);
  // Step Functions fails a task whose timeout is 0; a `Wait` of 0 seconds is valid.
  const timeout = Math.max(seconds, 1);
  const outcome = { next: state, pause: number, seconds: listening === undefined ? seconds : timeout };
  if (calls === undefined) return outcome;
  const waiting = calls.waiting.map((call) => ({ ...call, seconds: timeout, pause: number }));
  return { ...outcome, seconds: timeout, calls: waiting };
}

/** The outcome of a step that comes too early for a run that is held back: its machine waits again. */
export const outcomeOfHold = ({ hold }: Pick<Run, 'hold'>): Outcome =>
  hold === undefined ? END : { ...END, until: toTimestamp(hold.until) };

/** Whether a run stands at the wait with which its execution begins: the execution may not have begun yet. */
export const isAtFirstWait = ({ entryWait, wait }: Pick<Run, 'entryWait' | 'wait'>): boolean =>
  entryWait !== 0 && wait?.number === entryWait;

/**
 * The input with which the execution of a run begins: always the same for one execution, as a second start with the same
 * input has no effect. The rest of a wait counts from the commit that began it, or from the beginning of a later execution.
 */
export function inputOf(run: Run): object {
  const { wait, updated, executionBegan, hold } = run;
  if (isQueued(run) && hold !== undefined) return { run: run.id, until: toTimestamp(hold.first ?? hold.until) };
  if (wait !== undefined && isDetached(run)) return inputOfDetached(run, wait);
  const isWaiting = wait !== undefined && isAtFirstWait(run);
  return { run: run.id, ...(isWaiting ? outcomeOfWait(wait, Math.max(updated, executionBegan)) : {}) };
}
