import { setMember, sortedKeys } from '../../../json.ts';
import { ExactNumber } from '../../../json-numbers.ts';
import { add, split } from './arithmetic.ts';
import { isObject, requireArray, requireFinite, requireInteger, requireString, typeError } from './checks.ts';
import { UnknownOutcomeError } from './errors.ts';
import { isTruthy, type JsonObject, lengthOf, membersOf, orderedKeys } from './members.ts';
import { extremeOf, groupKeyed, type Keyed, sortKeyed } from './order.ts';
import { countSteps } from './run.ts';
import { contains, has, indexIn } from './search.ts';
import { formatJson, formatString, parseJson, parseNumber } from './strings.ts';

type Table<T> = Readonly<Record<string, T>>;

function keyedByThemselves(value: unknown): Keyed[] {
  return requireArray(value).map((member) => ({ key: member, value: member }));
}

function requireObject(value: unknown): JsonObject {
  if (!isObject(value)) throw new UnknownOutcomeError();
  return value;
}

function onNumber(compute: (value: number) => number): (value: unknown) => number {
  return (value) => {
    if (typeof value !== 'number') throw new UnknownOutcomeError();
    return requireFinite(compute(value));
  };
}

/** Rounds halves away from zero. */
function round(value: number): number {
  return value < 0 || Object.is(value, -0) ? -Math.round(-value) : Math.round(value);
}

function changeCase(letters: RegExp, change: (letter: string) => string): (value: unknown) => string {
  return (value) => requireString(value).replace(letters, change);
}

/** `add`: the sum of all values, null if there are none. Throws as `+` does. */
export function sum(values: readonly unknown[]): unknown {
  return values.reduce(add, null);
}

/** `to_entries`. Throws UnknownOutcomeError for a value that is not an object. */
export function toEntries(value: unknown): JsonObject[] {
  const object = requireObject(value);
  return orderedKeys(object).map((key) => ({ key, value: object[key] }));
}

/**
 * `from_entries`. Throws UnknownOutcomeError for entries of another form than those of `to_entries`: jq accepts other
 * names for `key` and `value`.
 */
export function fromEntries(value: unknown): JsonObject {
  const object: JsonObject = {};
  for (const entry of requireArray(value)) {
    const { key } = requireObject(entry);
    if (typeof key !== 'string' || !Object.hasOwn(requireObject(entry), 'value')) throw new UnknownOutcomeError();
    countSteps();
    setMember(object, key, requireObject(entry)['value']);
  }
  return object;
}

function flatten(value: unknown, depth: unknown): unknown[] {
  const levels = depth === Infinity ? depth : requireInteger(depth);
  if (levels < 0) throw new UnknownOutcomeError();
  return membersOf(value).flatMap((member) =>
    Array.isArray(member) && levels > 0 ? flatten(member, levels - 1) : [member],
  );
}

function keys(value: unknown): unknown {
  if (Array.isArray(value)) return [...value.keys()];
  return sortedKeys(requireObject(value)).map(requireString);
}

function reverse(value: unknown): unknown {
  if (value === null) return [];
  return [...requireArray(value)].reverse();
}

const isIterable = (value: unknown): boolean => ['array', 'object'].includes(typeOf(value));

const TYPES: Table<string> = { number: 'number', string: 'string', boolean: 'boolean' };

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value instanceof ExactNumber) return 'number';
  return TYPES[typeof value] ?? (value === null ? 'null' : 'object');
}

const BLANK_BEFORE = /^[ \t\n\r]+/;
const BLANK_BEHIND = /(?<![ \t\n\r])[ \t\n\r]+$/;

/** A string that begins or ends with a character outside ASCII is left to jq-wasm: it may be other white space. */
function trimmer(blank: RegExp): (value: unknown) => string {
  return (value) => {
    const text = requireString(value).replace(blank, '');
    if (/^[^ -~\n\r\t]|[^ -~\n\r\t]$/.test(text)) throw new UnknownOutcomeError();
    return text;
  };
}

const trimStart = trimmer(BLANK_BEFORE);
const trimEnd = trimmer(BLANK_BEHIND);

/** Functions without arguments that have one output. */
export const NULLARY: Table<(value: unknown) => unknown> = {
  not: (value) => !isTruthy(value),
  true: () => true,
  false: () => false,
  null: () => null,
  length: lengthOf,
  utf8bytelength: (value) => Buffer.byteLength(requireString(value)),
  keys,
  keys_unsorted: keys,
  type: typeOf,
  add: (value) => sum(membersOf(value)),
  any: (value) => membersOf(value).some(isTruthy),
  all: (value) => membersOf(value).every(isTruthy),
  tostring: formatString,
  tojson: (value) => formatJson(value),
  tonumber: parseNumber,
  fromjson: (value) => parseJson(requireString(value)),
  to_entries: toEntries,
  from_entries: fromEntries,
  reverse,
  flatten: (value) => flatten(value, Infinity),
  sort: (value) => sortKeyed(keyedByThemselves(value)).map((one) => one.value),
  unique: (value) => groupKeyed(keyedByThemselves(value)).map(([first]) => first),
  min: (value) => extremeOf(keyedByThemselves(value), 'least'),
  max: (value) => extremeOf(keyedByThemselves(value), 'greatest'),
  ascii_downcase: changeCase(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  ascii_upcase: changeCase(/[a-z]+/g, (letters) => letters.toUpperCase()),
  trim: (value) => trimEnd(trimStart(value)),
  ltrim: trimStart,
  rtrim: trimEnd,
  floor: onNumber(Math.floor),
  ceil: onNumber(Math.ceil),
  round: onNumber(round),
  sqrt: onNumber(Math.sqrt),
  fabs: onNumber(Math.abs),
  // jq keeps the sign of a negative zero.
  abs: onNumber((value) => (value < 0 ? -value : value)),
};

function join(value: unknown, separator: unknown): string {
  const texts = membersOf(value).map((member) => {
    if (typeof member === 'object' && member !== null) throw new UnknownOutcomeError();
    return member === null ? '' : formatString(member);
  });
  const text = texts.join(requireString(separator));
  countSteps(text.length);
  return text;
}

function starts(value: unknown, part: unknown): boolean {
  return requireString(value).startsWith(requireString(part));
}

function ends(value: unknown, part: unknown): boolean {
  return requireString(value).endsWith(requireString(part));
}

const areStrings = (...values: readonly unknown[]): boolean => values.every((value) => typeof value === 'string');

/** Functions of one argument, which are applied to each of its outputs. */
export const UNARY: Table<(value: unknown, argument: unknown) => unknown> = {
  has,
  in: (key, value) => has(value, key),
  contains,
  inside: (part, value) => contains(value, part),
  flatten,
  index: indexIn,
  join,
  split: (value, separator) =>
    value === '' && separator !== ''
      ? [requireString(separator) && '']
      : split(requireString(value), requireString(separator)),
  startswith: starts,
  endswith: ends,
  ltrimstr: (value, part) =>
    areStrings(value, part) && starts(value, part) ? requireString(value).slice(requireString(part).length) : value,
  rtrimstr: (value, part) =>
    areStrings(value, part) && ends(value, part)
      ? requireString(value).slice(0, -requireString(part).length || undefined)
      : value,
};

/** Functions of an array whose argument computes the key of each member. */
export const BY_KEY: Table<(members: readonly Keyed[]) => unknown> = {
  sort_by: (members) => sortKeyed(members).map(({ value }) => value),
  group_by: groupKeyed,
  unique_by: (members) => groupKeyed(members).map(([first]) => first),
  min_by: (members) => extremeOf(members, 'least'),
  max_by: (members) => extremeOf(members, 'greatest'),
};

/** The functions that select values by their type. */
export const TYPE_SELECTORS: Table<(value: unknown) => boolean> = {
  values: (value) => value !== null,
  nulls: (value) => value === null,
  booleans: (value) => typeof value === 'boolean',
  numbers: (value) => typeOf(value) === 'number',
  strings: (value) => typeof value === 'string',
  arrays: Array.isArray,
  objects: (value) => typeOf(value) === 'object',
  iterables: isIterable,
  scalars: (value) => !isIterable(value),
};

/** The outputs of `range(from; to)`. Throws JqError for bounds that are not numbers. */
export function* range(from: unknown, to: unknown): Generator<number> {
  if (typeof from !== 'number' || typeof to !== 'number') throw typeError(from, to);
  for (let next = requireInteger(from); next < to; next += 1) {
    countSteps();
    yield next;
  }
}
