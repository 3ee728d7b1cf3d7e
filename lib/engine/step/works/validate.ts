import { evaluate, findViolations } from '../../evaluation/evaluation.ts';
import { failure } from '../../evaluation/failures.ts';
import type { Perform } from './work.ts';

/** Validates the data by the JSON Schema; logs each violation and throws `schema.failed`. */
export const validate: Perform<'validate'> = async (unit, work) => {
  const subject = await evaluate(work.subject, unit.data);
  const found = await findViolations(work.schema, subject);
  for (const violation of found) unit.log(`Schema validation error: ${violation}`, 'error');
  if (found.length === 0) return undefined;
  const evaluated = { query: work.subject ?? 'jq(.)', result: subject, hints: found.slice(1) };
  throw failure('schema.failed', `subject failed its JSONSchema validation: ${found[0]}`, evaluated);
};
