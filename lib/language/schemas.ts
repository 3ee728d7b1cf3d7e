import { Ajv, type ErrorObject, type Options } from 'ajv';
import draft04 from 'ajv-draft-04';
import formats from 'ajv-formats';
import { RE2JS } from 're2js';
import { toJson } from './json.ts';
import { ownMember } from './own-members.ts';

/** Compiles a schema's `pattern` by RE2, whose time is linear, so that it cannot hang a step. */
function regExp(pattern: string): { test: (text: string) => boolean } {
  const compiled = RE2JS.compile(pattern);
  return { test: (text) => compiled.matcher(text).find() };
}
regExp.code = 're2';

/**
 * The most violations that one validation may hold. A worker thread whose heap grows quickly ends the whole process
 * instead of the thread, so a validator stops before its violations fill the heap: each takes about 250 bytes. A schema
 * whose work doubles with each level mostly doubles its violations too, and is stopped within a few hundredths of a second.
 */
const MAX_HELD = 20_000;

/** A validation was stopped because it held too many violations. */
export class TooManyViolationsError extends Error {
  override readonly name = 'TooManyViolationsError';
}

/** A string, which stays as it is, or a place where Ajv's code has added violations. */
const ADDITIONS = /"(?:[^"\\]|\\.)*"|\berrors\+\+;|\berrors = vErrors\.length;/g;

/** Adds a check to each place of the code of a validator that adds violations. */
function limitHeld(code: string): string {
  return code.replace(ADDITIONS, (found) =>
    found.startsWith('"') ? found : `${found}if(errors>${MAX_HELD})throw vErrors;`,
  );
}

const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  logger: false,
  // Errors carry the invalid value, which their texts quote.
  verbose: true,
  // The type of the option is the whole RegExp, but Ajv calls `test` only.
  code: {
    process: limitHeld,
    regExp: regExp as unknown as NonNullable<NonNullable<Options['code']>['regExp']>,
  },
};

type Validator = ((value: unknown) => unknown) & { errors?: ErrorObject[] | null };

/** Compiled validators by schema object, and by JSON text for the same schema parsed again; the oldest is removed first. */
const validators = new WeakMap<object, Validator>();
const validatorsByText = new Map<string, Validator>();
const MAX_VALIDATORS = 100;
const MAX_CACHED_CHARACTERS = 100_000;

function isDraft4(schema: object): boolean {
  const named: unknown = '$schema' in schema ? schema.$schema : undefined;
  return typeof named === 'string' && named.includes('draft-04');
}

/** Removes `$schema`: drafts 6 and 7 share one validator, and no schema is fetched by its name. */
function withoutDraft(schema: object): object {
  const { $schema: _, ...rest } = schema as Record<string, unknown>;
  return rest;
}

/** An instance of Ajv. It is shared, because making one is slow, and replaced, because it keeps memory of each schema. */
interface AjvInstance {
  readonly ajv: Ajv;
  /** The ids of its own schemas. Other ids come from a schema compiled before, to which the next must not refer. */
  readonly own: ReadonlySet<string>;
  compiled: number;
}

const MAX_COMPILED = 100;

const instances = new Map<'draft-04' | 'draft-07', AjvInstance>();

function instanceFor(draft: 'draft-04' | 'draft-07'): AjvInstance {
  const known = instances.get(draft);
  if (known !== undefined && known.compiled < MAX_COMPILED) return known;
  const ajv = draft === 'draft-04' ? (new draft04.default(OPTIONS) as unknown as Ajv) : new Ajv(OPTIONS);
  formats.default(ajv);
  const compiler = { ajv, own: new Set([...Object.keys(ajv.refs), ...Object.keys(ajv.schemas)]), compiled: 0 };
  instances.set(draft, compiler);
  return compiler;
}

function compileUncached(schema: object): Validator {
  const isOld = isDraft4(schema);
  const compiler = instanceFor(isOld ? 'draft-04' : 'draft-07');
  const { ajv, own } = compiler;
  compiler.compiled += 1;
  try {
    // A copy: Ajv compiles the same object only once, even if it was rejected.
    return ajv.compile(isOld ? { ...schema } : withoutDraft(schema)) as Validator;
  } finally {
    for (const names of [ajv.refs, ajv.schemas])
      for (const name of Object.keys(names)) if (!own.has(name)) delete names[name];
  }
}

function compile(schema: object): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  const check = validatorsByText.get(text) ?? compileUncached(schema);
  validators.set(schema, check);
  if (text.length > MAX_CACHED_CHARACTERS) return check;
  validatorsByText.set(text, check);
  const oldest = validatorsByText.size > MAX_VALIDATORS ? validatorsByText.keys().next().value : undefined;
  if (oldest !== undefined) validatorsByText.delete(oldest);
  return check;
}

/** Returns the reason why a schema is invalid; undefined if it is valid (workflow-language 10.8). Never throws. */
export function schemaProblem(schema: unknown): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return 'schema must be an object or boolean';
  try {
    compile(schema);
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
  const limit = String(Object.values(error.params)[0]);
  return `${place}: ${ownMember(WORDINGS, error.keyword)?.(limit, error, place) ?? error.message ?? error.keyword}`;
}

/**
 * Validates a value and returns one text for each violation of the schema, none if the value is valid. A schema that
 * refers to itself without end, or a value nested too deeply, is a violation. Throws for an invalid schema (see
 * `schemaProblem`), and TooManyViolationsError for a value with more than 20,000 violations at once.
 */
export function violations(schema: unknown, value: unknown): string[] {
  if (schema === true) return [];
  if (typeof schema !== 'object' || schema === null) return ['(root): nothing is allowed'];
  const check = compile(schema);
  try {
    return check(value) ? [] : (check.errors ?? []).map(formatError);
  } catch (error) {
    if (error instanceof RangeError) return ['(root): nested too deeply to be checked'];
    if (Array.isArray(error)) throw new TooManyViolationsError(`more than ${MAX_HELD} violations`);
    throw error;
  }
}
