import { isLarge } from '../../language/json-size.ts';
import { evaluateQuery, hasScripts, QueryError } from '../../language/sandbox/queries.ts';
import { createSandbox, type Sandbox, type TenantEvaluator } from '../../language/sandbox/sandbox.ts';
import type { Fitted } from '../../language/schemas/violations.ts';
import { failure, plainFailure } from './failures.ts';
import { needTime, presentTenant } from './tenants.ts';

let sandbox: Sandbox | undefined;

function evaluator(): TenantEvaluator {
  needTime();
  sandbox ??= createSandbox();
  return sandbox.of(presentTenant());
}

/**
 * Evaluates a structured query, any JSON value whose strings may hold jq(...) and js(...), over data. Throws the catchable
 * `jq.badCommand`.
 */
export async function evaluate(query: unknown, data: unknown): Promise<unknown> {
  try {
    if (hasScripts(query) && isLarge(data)) await presentTenant().takeLargeTurn?.();
    return await evaluateQuery(query, data, evaluator());
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    needTime();
    throw failure('jq.badCommand', `failed to evaluate jq/js: ${error.message}`, {
      query: error.expression ?? query,
      data,
    });
  }
}

/** Evaluates a query whose result must be a text that is not empty. Throws `jq.badCommand`, `jq.notString`. */
export async function evaluateText(query: unknown, data: unknown): Promise<string> {
  const value = await evaluate(query, data);
  if (typeof value === 'string' && value !== '') return value;
  const message = 'the `jq` or `js` command produced a non-string or empty output';
  throw failure('jq.notString', message, { query, data, result: value });
}

/**
 * Validates a value by a JSON Schema, in the sandbox: a schema can take unbounded time. Returns a text for each violation.
 * Throws the catchable `schema.failed` when the validation exceeds a limit.
 */
export const findViolations = (schema: unknown, value: unknown): Promise<readonly string[]> =>
  validating(value, (by) => by.violations(schema, value));

/** As `findViolations`, of the value with the defaults of the schema. */
export const fitToSchema = (schema: unknown, value: unknown): Promise<Fitted> =>
  validating(value, (by) => by.fit(schema, value));

async function validating<T>(value: unknown, work: (by: TenantEvaluator) => Promise<T>): Promise<T> {
  try {
    if (isLarge(value)) await presentTenant().takeLargeTurn?.();
    return await work(evaluator());
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    needTime();
    throw failure('schema.failed', `subject could not be validated: ${error.message}`);
  }
}

/**
 * Renders a Mustache template, in the sandbox: a short template can take unbounded time. Throws a StateError without a code
 * for a template with a mistake, and for one that exceeds a limit.
 */
export async function renderTemplate(template: string, data: unknown): Promise<string> {
  try {
    return await evaluator().render(template, data);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    needTime();
    throw plainFailure(error.message);
  }
}
