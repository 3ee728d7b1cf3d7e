import { type Evaluator, evaluateQuery, QueryError } from '../../language/sandbox/queries.ts';
import { createSandbox } from '../../language/sandbox/sandbox.ts';
import { failure } from './failures.ts';

let sandbox: Evaluator | undefined;

/**
 * Evaluates a structured query, any JSON value whose strings may hold jq(...) and js(...), over data. Throws the catchable
 * `jq.badCommand`.
 */
export async function evaluate(query: unknown, data: unknown): Promise<unknown> {
  sandbox ??= createSandbox();
  try {
    return await evaluateQuery(query, data, sandbox);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw failure('jq.badCommand', `failed to evaluate jq/js: ${error.message}`);
  }
}

/** Evaluates a query whose result must be a text that is not empty. Throws `jq.badCommand`, `jq.notString`. */
export async function evaluateText(query: unknown, data: unknown): Promise<string> {
  const value = await evaluate(query, data);
  if (typeof value === 'string' && value !== '') return value;
  throw failure('jq.notString', 'the `jq` or `js` command produced a non-string or empty output');
}
