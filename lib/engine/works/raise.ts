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
 * Replaces each printf verb (`%s`, `%v`, `%d` ...) by an argument; `%%` is a percent sign. A message without arguments
 * stays as it is, other than in the original, which garbles a stray percent sign there.
 */
export function format(message: string, args: readonly unknown[]): string {
  if (args.length === 0) return message;
  let next = 0;
  return message.replace(/%(?:%|[-+# 0]*\d*(?:\.\d+)?[a-zA-Z])/g, (verb) => {
    if (verb === '%%') return '%';
    return next < args.length ? textOf(args[next++]) : `%!${verb.slice(-1)}(MISSING)`;
  });
}

async function evaluateAll(unit: StepUnit, queries: readonly unknown[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const query of queries) values.push(await evaluate(query, unit.data));
  return values;
}

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
  unit.raised = { code: work.error, message: format(message, args) };
  unit.recorder.note({ error: unit.raised });
  return undefined;
};
