import type { RunEnd } from '../../domain/runs/runs.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';

/** The end of a run before its first state that was started, by an event or a schedule, with an input that does not fit. */
export function inputFailure(unit: StepUnit): RunEnd | undefined {
  const { inputProblem: message } = unit.run;
  if (message === undefined || unit.step > 0 || unit.handling !== undefined) return undefined;
  const code = unit.branded('input.invalid');
  unit.log(`Workflow failed with error '${code}': ${message}`, 'error', '');
  return { end: 'failed', code, message };
}
