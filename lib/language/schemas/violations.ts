import type { ErrorObject } from 'ajv';
import { isObject, toJson } from '../json.ts';
import { ownMember, textOf } from '../own-members.ts';
import { type Additions, additionsTo } from './defaults.ts';
import { MAX_HELD, validatorOf } from './validators.ts';

/** A validation was stopped because it held too many violations. */
export class TooManyViolationsError extends Error {
  override readonly name = 'TooManyViolationsError';
}

/** Returns the reason why a schema is invalid; undefined if it is valid (workflow-language 10.8). Never throws. */
export function schemaProblem(schema: unknown): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return 'schema must be an object or boolean';
  try {
    validatorOf(schema);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

type Wording = (limit: string, error: ErrorObject, place: string) => string;

function withLimit(before: string, after = ''): Wording {
  return (limit) => before + limit + after;
}

/** Error texts of the original by keyword; `limit` is the first parameter of Ajv's error, `place` the invalid member. */
const WORDINGS: Readonly<Record<string, Wording>> = {
  required: (_, error) => `${error.params.missingProperty} is required`,
  type: (_, error) => `Invalid type. Expected: ${error.params.type}, given: ${typeOf(error.data)}`,
  additionalProperties: withLimit('Additional property ', ' is not allowed'),
  enum: (_, error, place) =>
    `${place} must be one of the following: ${error.params.allowedValues.map(toJson).join(', ')}`,
  const: (_, error, place) => `${place} does not match: ${toJson(error.params.allowedValue)}`,
  minimum: (_, error) => `Must be greater than or equal to ${error.params.limit}`,
  maximum: (_, error) => `Must be less than or equal to ${error.params.limit}`,
  exclusiveMinimum: (_, error) => `Must be greater than ${error.params.limit}`,
  exclusiveMaximum: (_, error) => `Must be less than ${error.params.limit}`,
  minLength: withLimit('String length must be greater than or equal to '),
  maxLength: withLimit('String length must be less than or equal to '),
  minItems: withLimit('Array must have at least ', ' items'),
  maxItems: withLimit('Array must have at most ', ' items'),
  multipleOf: withLimit('Must be a multiple of '),
  pattern: withLimit("Does not match pattern '", "'"),
  format: withLimit("Does not match format '", "'"),
};

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function formatError(error: ErrorObject): string {
  const place =
    error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~') || '(root)';
  const first: unknown = Object.values(error.params)[0];
  // A value of the schema may have a member `toString`.
  const limit = typeof first === 'object' ? toJson(first) : textOf(first);
  return `${place}: ${ownMember(WORDINGS, error.keyword)?.(limit, error, place) ?? error.message ?? error.keyword}`;
}

/**
 * Validates a value and returns one text for each violation of the schema, none if the value is valid. A schema that
 * refers to itself without end, or a value nested too deeply, is a violation. Throws for an invalid schema (see
 * `schemaProblem`), and TooManyViolationsError for a value with more than 20,000 violations at once.
 */
export const violations = (schema: unknown, value: unknown): string[] => violationsBy(validatorOf, schema, value);

/**
 * The first default that does not fit the schema in which it stands, in words; undefined: none. Looks into members and items.
 * A schema that refers to others than the definitions of `root` is not looked at.
 */
export function defaultProblem(schema: unknown, path = '(root)', root: unknown = schema): string | undefined {
  if (!isObject(schema) || !isObject(root)) return undefined;
  const { definitions, $defs } = root;
  const own = { ...(definitions !== undefined && { definitions }), ...($defs !== undefined && { $defs }), ...schema };
  if (Object.hasOwn(schema, 'default') && schemaProblem(own) === undefined) {
    const [violation] = violations(own, schema['default']);
    if (violation !== undefined)
      return `the default of ${path} does not fit its schema: ${violation.replace(/^\(root\): /, '')}`;
  }
  const { properties, items } = schema;
  const members = isObject(properties) ? Object.entries(properties) : [];
  const below = path === '(root)' ? '' : `${path}.`;
  for (const [name, member] of [...members, ...[items].flat().map((item) => ['[]', item] as const)]) {
    const problem = defaultProblem(member, below + name, root);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A value that was fitted to a schema. */
export interface Fitted {
  readonly violations: readonly string[];
  /** The defaults that the value lacks; absent: none. */
  readonly additions?: Additions;
}

/** As `violations`, of the value with the defaults of the schema; `text` is its JSON. */
export function fit(schema: unknown, text: string): Fitted {
  const filled: unknown = JSON.parse(text, withoutPrototype);
  const found = violationsBy((one) => validatorOf(one, 'added'), schema, filled);
  const additions = found.length > 0 ? undefined : additionsTo(JSON.parse(text), filled);
  return { violations: found, ...(additions && { additions }) };
}

/** Else a default is not added to a member that every object inherits, such as `constructor`. */
const withoutPrototype = (_: string, value: unknown): unknown =>
  isObject(value) ? Object.setPrototypeOf(value, null) : value;

function violationsBy(validator: typeof validatorOf, schema: unknown, value: unknown): string[] {
  if (schema === true) return [];
  if (typeof schema !== 'object' || schema === null) return ['(root): nothing is allowed'];
  const check = validator(schema);
  try {
    return check(value) ? [] : (check.errors ?? []).map(formatError);
  } catch (error) {
    if (error instanceof RangeError) return ['(root): nested too deeply to be checked'];
    if (Array.isArray(error)) throw new TooManyViolationsError(`more than ${MAX_HELD} violations`);
    throw error;
  }
}
