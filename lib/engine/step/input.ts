import type { RunEnd } from '../../domain/runs/runs.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';

/**
 * Ends a run before its first state if its input does not match the schema. Only an event or the clock starts such a run.
 */
export function inputFailure(unit: StepUnit): RunEnd | undefined {
  const { inputProblem: message } = unit.run;
  if (message === undefined || unit.step > 0 || unit.handling !== undefined) return undefined;
  const code = unit.branded('input.invalid');
  unit.log(`Workflow failed with error '${code}': ${message}`, 'error', '');
  return { end: 'failed', code, message };
}
