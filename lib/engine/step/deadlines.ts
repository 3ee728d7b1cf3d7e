import { handlerField } from '../../compiler/plan/handlers.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import { failure, internalFailure, type StateError } from '../evaluation/failures.ts';
import type { Deadlines, StepUnit } from '../run/commit/step-unit.ts';

const DEFAULT_INTERRUPT = 'PT15M';
const DEFAULT_KILL = 'PT20M';
/** Between the interrupt and the kill of a workflow that sets only the first. */
const KILL_AFTER_INTERRUPT = 'PT5M';

const after = (from: number, text: string): number => {
  const duration = parseDuration(text);
  if (duration === undefined) throw internalFailure(`'${text}' is not a duration`);
  return addDuration(from, duration);
};

/** The deadlines of a run that started at `from`, milliseconds since 1970 (workflow-language reference, section 8). */
export function deadlinesOf({ timeouts }: Plan, from: number): Deadlines {
  const { interrupt, kill } = timeouts;
  const soft = after(from, interrupt ?? DEFAULT_INTERRUPT);
  if (kill !== undefined) return { interrupt: soft, kill: after(from, kill) };
  return {
    interrupt: soft,
    kill: interrupt === undefined ? after(from, DEFAULT_KILL) : after(soft, KILL_AFTER_INTERRUPT),
  };
}

/**
 * The failure of the present state when the run's time is over; `now` in milliseconds since 1970. The soft timeout comes
 * once; there is none after an error state.
 */
export function timeoutFailure(unit: StepUnit, now: number): StateError | undefined {
  const { interrupt, kill } = unit.tools.deadlines;
  const { handling } = unit;
  if (handling !== undefined) {
    const text = `the time of the handler '${handlerField(handling.phase)}' is over`;
    return now >= handling.until ? failure('cancels.timeout.hard', text) : undefined;
  }
  if (unit.raised !== undefined) return undefined;
  if (now >= kill) return failure('cancels.timeout.hard', 'workflow timed out');
  if (now < interrupt || unit.interrupted) return undefined;
  unit.interrupted = true;
  return failure('cancels.timeout.soft', 'operation timed out');
}
