import * as z from 'zod/mini';
import { ServiceError } from '../../domain/errors.ts';
import { isObject } from '../../language/json.ts';
import { ExactNumber, NumberRangeError, parseJson } from '../../language/json-numbers.ts';
import { hasMoreNodes, MAX_NODES, MOST_NODES } from '../../language/json-size.ts';
import { ownMember } from '../../language/own-members.ts';
import type { OriginalBody } from './original-bodies.ts';

/**
 * JSON bodies are read as the original's decoder reads them (rest-api reference, 1.3): names are not case-sensitive, null
 * is the same as absent, unknown names are rejected if the shape is strict. The messages are those that its clients know,
 * with the position added.
 */

/** The longest part of a wrong value, and of a name, that an error message repeats. In characters. */
const MAX_ECHO_LENGTH = 60;
const MAX_NAME_LENGTH = 200;

const text = new TextDecoder('utf-8', { fatal: true });

/** The messages of V8 for invalid JSON, and the messages that clients know. */
const TEXTS: readonly (readonly [RegExp, (character: string) => string])[] = [
  [/^Unexpected end|^Unterminated/, () => 'unexpected EOF'],
  [/^Expected property name/, (c) => `invalid character ${c} looking for beginning of object key string`],
  [/^Expected double-quoted property name/, (c) => `invalid character ${c} looking for beginning of object key string`],
  [/^Expected ':'/, (c) => `invalid character ${c} after object key`],
  [/^Expected ',' or '}'/, (c) => `invalid character ${c} after object key:value pair`],
  [/^Expected ',' or ']'/, (c) => `invalid character ${c} after array element`],
  [/^Bad control character/, (c) => `invalid character ${c} in string literal`],
  [/^Bad escaped|^Bad Unicode/, (c) => `invalid character ${c} in string escape code`],
  [/^Unexpected non-whitespace/, (c) => `invalid character ${c} after top-level value`],
  [/./, (c) => `invalid character ${c} looking for beginning of value`],
];

function syntaxText(message: string, source: string): string {
  const named = /^Unexpected token '(.)'/su.exec(message)?.[1];
  const position = /at position (\d+)/.exec(message)?.[1];
  const character = named ?? source.charAt(Number(position ?? 0));
  const [, wording] = TEXTS.find(([pattern]) => pattern.test(message)) ?? TEXTS[TEXTS.length - 1] ?? [];
  const place = /\((line \d+ column \d+)\)/.exec(message)?.[1];
  return `${wording?.(`'${character}'`)}${place === undefined ? '' : ` (${place})`}`;
}

function parse(body: Uint8Array): unknown {
  if (hasMoreNodes(body, MAX_NODES)) {
    throw new ServiceError('too-large', `request payload too large: at most ${MOST_NODES}`);
  }
  let source = '';
  try {
    source = text.decode(body);
    return parseJson(source);
  } catch (error) {
    if (error instanceof NumberRangeError) throw new ServiceError('malformed', `the body is ${error.message}`);
    if (!(error instanceof SyntaxError)) throw new ServiceError('refused', 'the body is not UTF-8 text');
    throw new ServiceError('refused', source.trim() === '' ? 'EOF' : syntaxText(error.message, source));
  }
}

interface Def {
  readonly type: string;
  readonly innerType?: z.ZodMiniType;
  readonly shape?: Readonly<Record<string, z.ZodMiniType>>;
}

const defOf = (shape: z.ZodMiniType): Def => {
  const def = shape._zod.def as unknown as Def;
  return def.innerType === undefined ? def : defOf(def.innerType);
};

/** Renames the fields of an object to the case of the shape, and drops those that are null. */
function normalized(value: unknown, shape: z.ZodMiniType): unknown {
  const known = defOf(shape).shape;
  if (known === undefined || !isObject(value)) return value;
  const nameOf = new Map(Object.keys(known).map((name) => [name.toLowerCase(), name]));
  const entries = Object.entries(value).flatMap(([given, inner]) => {
    const name = Object.hasOwn(known, given) ? given : (nameOf.get(given.toLowerCase()) ?? given);
    // A name such as `constructor` is unknown, although every object has such a property.
    const part = Object.hasOwn(known, name) ? known[name] : undefined;
    if (part === undefined) return [[name, inner]];
    return inner === null ? [] : [[name, normalized(inner, part)]];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** The original's names of JSON types that differ from JavaScript's. */
const WORDS: Readonly<Record<string, string>> = { boolean: 'bool' };
const wordOf = (kind: string): string => ownMember(WORDS, kind) ?? kind;

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return 'number';
  return Array.isArray(value) ? 'array' : wordOf(typeof value);
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (isObject(inner) || Array.isArray(inner) ? Reflect.get(inner, name) : undefined),
    value,
  );
}

/** The type that a value does not have, in the original's words. */
function targetOf(field: string, expected: string, original: OriginalBody | undefined): string {
  const type = ownMember(original?.types, field) ?? wordOf(expected);
  if (field === '') return `the body of type ${type}`;
  if (original === undefined) return `field ${field} of type ${type}`;
  if (original.struct === undefined) return `Go value of type ${type} (field ${field})`;
  return `Go struct field ${original.struct}.${field} of type ${type}`;
}

function issueText(issue: z.core.$ZodIssue, value: unknown, original: OriginalBody | undefined): string {
  if (issue.code === 'unrecognized_keys') return `json: unknown field "${issue.keys[0]?.slice(0, MAX_NAME_LENGTH)}"`;
  const field = issue.path.map(String).join('.').slice(0, MAX_NAME_LENGTH);
  const place = field === '' ? 'the body' : `field ${field}`;
  const given = at(value, issue.path);
  const choice = issue.code === 'invalid_value' ? `; it is one of ${issue.values.map(String).join(', ')}` : '';
  if (given === undefined) return `json: ${place} is missing${choice}`;
  if (issue.code === 'invalid_type') {
    return `json: cannot unmarshal ${kindOf(given)} into ${targetOf(field, issue.expected, original)}`;
  }
  // A deeply nested value can be parsed, but not serialized.
  const shown = typeof given === 'object' ? kindOf(given) : JSON.stringify(given).slice(0, MAX_ECHO_LENGTH);
  return `json: ${place} cannot be ${shown}${choice}`;
}

/**
 * Decodes a JSON body into its shape. Throws `refused` with the first problem, in the original's words if `original`
 * defines them.
 */
export function decodeJson<Shape extends z.ZodMiniType>(
  body: Uint8Array,
  shape: Shape,
  isOptional: boolean,
  original?: OriginalBody,
): z.infer<Shape> {
  const value = body.length === 0 && isOptional ? {} : normalized(parse(body) ?? {}, shape);
  const result = z.safeParse(shape, value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new ServiceError(
    'refused',
    issue === undefined ? 'json: the body does not fit' : issueText(issue, value, original),
  );
}
