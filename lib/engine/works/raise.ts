import { toJson } from '../../language/json.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { failure } from '../evaluation/failures.ts';
import type { StepUnit } from '../run/step-unit.ts';
import type { Perform } from './work.ts';

/** Text as it is, anything else as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value);
}

/**
 * Puts each argument in the place of a printf verb (`%s`, `%v`, `%d` ...); `%%` is a percent sign. A message without
 * arguments is taken as it is: the original garbles a stray percent sign there, which nobody can want.
 */
export function format(message: string, args: readonly unknown[]): string {
  if (args.length === 0) return message;
  let next = 0;
  const filled = message.replace(/%(?:%|[-+# 0]*\d*(?:\.\d+)?[a-zA-Z])/g, (verb) => {
    if (verb === '%%') return '%';
    return next < args.length ? textOf(args[next++]) : `%!${verb.slice(-1)}(MISSING)`;
  });
  return filled;
}

async function evaluateAll(unit: StepUnit, queries: readonly unknown[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const query of queries) values.push(await evaluate(query, unit.data));
  return values;
}

/**
 * Marks the run as failed and goes on: transform and transition still happen, the run ends with this error.
 * A second raise in one run is `workflow.multipleErrors` (workflow-language reference, 10.7).
 */
export const raise: Perform<'raise'> = async (unit, work) => {
  const message = textOf(await evaluate(work.message, unit.data));
  const args = await evaluateAll(unit, work.args);
  if (unit.raised !== undefined) {
    throw failure('workflow.multipleErrors', 'workflow instance tried to throw multiple errors');
  }
  unit.raised = { code: work.error, message: format(message, args) };
  return undefined;
};
