import { toJson } from '../../../language/json.ts';
import { formatText } from '../../../language/printf.ts';
import { evaluate } from '../../evaluation/evaluation.ts';
import { failure } from '../../evaluation/failures.ts';
import type { StepUnit } from '../../run/commit/step-unit.ts';
import type { Perform } from './work.ts';

/** Text as it is, anything else as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value);
}

async function evaluateAll(unit: StepUnit, queries: readonly unknown[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const query of queries) values.push(await evaluate(query, unit.data));
  return values;
}

/** A message without arguments stays as it is; in the original a percent sign corrupts it. */
const messageOf = (message: string, args: readonly unknown[]): string =>
  args.length === 0 ? message : formatText(message, args);

/**
 * Sets the error with which the run ends; its transform and transition still follow. A second one in the same run throws
 * `workflow.multipleErrors` (workflow-language reference, 10.7).
 */
export const raise: Perform<'raise'> = async (unit, work) => {
  const message = textOf(await evaluate(work.message, unit.data));
  const args = await evaluateAll(unit, work.args);
  if (unit.raised !== undefined) {
    throw failure('workflow.multipleErrors', 'workflow instance tried to throw multiple errors');
  }
  unit.raised = { code: work.error, message: messageOf(message, args) };
  unit.recorder.note({ error: unit.raised });
  return undefined;
};
