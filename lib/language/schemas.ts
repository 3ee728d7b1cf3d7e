import { Ajv, type ErrorObject, type Options } from 'ajv';
import draft04 from 'ajv-draft-04';
import formats from 'ajv-formats';
import { RE2JS } from 're2js';
import { toJson } from './json.ts';

/** Patterns run on RE2, whose time is linear: a user's pattern can never hang a step. */
function regExp(pattern: string): { test: (text: string) => boolean } {
  const compiled = RE2JS.compile(pattern);
  return { test: (text) => compiled.matcher(text).find() };
}
regExp.code = 're2';

const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  logger: false,
  // Errors carry the value they speak of, which their texts name.
  verbose: true,
  // Ajv's type demands all of RegExp, but it uses `test` alone.
  code: { regExp: regExp as unknown as NonNullable<NonNullable<Options['code']>['regExp']> },
};

type Check = ((value: unknown) => unknown) & { errors?: ErrorObject[] | null };

/** Checks by the schema itself, and by its text for the same schema read again; the one made first goes first. */
const checks = new WeakMap<object, Check>();
const checksByText = new Map<string, Check>();
const MOST_CHECKS = 100;
const LONGEST_TEXT = 100_000;

function isDraft4(schema: object): boolean {
  const named: unknown = '$schema' in schema ? schema.$schema : undefined;
  return typeof named === 'string' && named.includes('draft-04');
}

/** Drafts 6 and 7 differ too little for another validator; the name of the draft is left out, since no schema is fetched. */
function withoutDraft(schema: object): object {
  const { $schema: _, ...rest } = schema as Record<string, unknown>;
  return rest;
}

/** Makes checks; an instance is too costly to be made for each, but keeps something of every schema it has seen. */
interface Compiler {
  readonly ajv: Ajv;
  /** The names of its own schemas; all others are of a schema compiled before, which no other may refer to. */
  readonly own: ReadonlySet<string>;
  compiled: number;
}

const MOST_COMPILED = 100;

const compilers = new Map<'draft-04' | 'draft-07', Compiler>();

function compilerFor(draft: 'draft-04' | 'draft-07'): Compiler {
  const known = compilers.get(draft);
  if (known !== undefined && known.compiled < MOST_COMPILED) return known;
  const ajv = draft === 'draft-04' ? (new draft04.default(OPTIONS) as unknown as Ajv) : new Ajv(OPTIONS);
  formats.default(ajv);
  const compiler = { ajv, own: new Set([...Object.keys(ajv.refs), ...Object.keys(ajv.schemas)]), compiled: 0 };
  compilers.set(draft, compiler);
  return compiler;
}

function compileNew(schema: object): Check {
  const isOld = isDraft4(schema);
  const compiler = compilerFor(isOld ? 'draft-04' : 'draft-07');
  const { ajv, own } = compiler;
  compiler.compiled += 1;
  try {
    // A copy, because an instance checks the same object only once, also when it was refused.
    return ajv.compile(isOld ? { ...schema } : withoutDraft(schema)) as Check;
  } finally {
    for (const names of [ajv.refs, ajv.schemas])
      for (const name of Object.keys(names)) if (!own.has(name)) delete names[name];
  }
}

function compile(schema: object): Check {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  const check = checksByText.get(text) ?? compileNew(schema);
  checks.set(schema, check);
  if (text.length > LONGEST_TEXT) return check;
  checksByText.set(text, check);
  const oldest = checksByText.size > MOST_CHECKS ? checksByText.keys().next().value : undefined;
  if (oldest !== undefined) checksByText.delete(oldest);
  return check;
}

/** Why the schema cannot be used, or undefined when it can (workflow-language reference, 10.8). */
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

type Say = (limit: string, error: ErrorObject, place: string) => string;

function say(before: string, after = ''): Say {
  return (limit) => before + limit + after;
}

/** The wording existing users know, by keyword; `limit` is the first parameter of ajv's error. */
const SAY: Readonly<Record<string, Say>> = {
  required: (_, error) => `${error.params.missingProperty} is required`,
  type: (_, error) => `Invalid type. Expected: ${error.params.type}, given: ${typeOf(error.data)}`,
  additionalProperties: say('Additional property ', ' is not allowed'),
  enum: (_, error, place) =>
    `${place} must be one of the following: ${error.params.allowedValues.map(toJson).join(', ')}`,
  const: (_, error, place) => `${place} does not match: ${toJson(error.params.allowedValue)}`,
  minimum: (_, error) => `Must be greater than or equal to ${error.params.limit}`,
  maximum: (_, error) => `Must be less than or equal to ${error.params.limit}`,
  exclusiveMinimum: (_, error) => `Must be greater than ${error.params.limit}`,
  exclusiveMaximum: (_, error) => `Must be less than ${error.params.limit}`,
  minLength: say('String length must be greater than or equal to '),
  maxLength: say('String length must be less than or equal to '),
  minItems: say('Array must have at least ', ' items'),
  maxItems: say('Array must have at most ', ' items'),
  pattern: say("Does not match pattern '", "'"),
  format: say("Does not match format '", "'"),
};

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function toText(error: ErrorObject): string {
  const place =
    error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~') || '(root)';
  const limit = String(Object.values(error.params)[0]);
  return `${place}: ${SAY[error.keyword]?.(limit, error, place) ?? error.message ?? error.keyword}`;
}

/**
 * What of the value breaks the schema, a text each; empty when it fits. Throws for a schema that has a problem. A
 * schema that refers to itself without end, or a value nested too deeply to check, is a violation.
 */
export function violations(schema: unknown, value: unknown): string[] {
  if (schema === true) return [];
  if (typeof schema !== 'object' || schema === null) return ['(root): nothing is allowed'];
  const check = compile(schema);
  try {
    return check(value) ? [] : (check.errors ?? []).map(toText);
  } catch (error) {
    if (error instanceof RangeError) return ['(root): nested too deeply to be checked'];
    throw error;
  }
}
