import { isObject, setMember, sortedKeys } from '../../../json.ts';
import { add, split } from './arithmetic.ts';
import { extremeOf, groupKeyed, type Keyed, sortKeyed } from './order.ts';
import { JqError, markBuilt, spend, UnknownOutcomeError } from './run.ts';
import { contains, has, placeOf } from './search.ts';
import { parseJson, parseNumber, printJson, printText } from './texts.ts';
import { finite, integer, isTrue, type Json, keysOf, lengthOf, listOf, membersOf, textOf } from './values.ts';

type Table<T> = Readonly<Record<string, T>>;

function byThemselves(value: unknown): Keyed[] {
  return listOf(value).map((member) => ({ key: member, value: member }));
}

function objectOf(value: unknown): Json {
  if (!isObject(value)) throw new UnknownOutcomeError();
  return value;
}

function onNumber(compute: (value: number) => number): (value: unknown) => number {
  return (value) => {
    if (typeof value !== 'number') throw new UnknownOutcomeError();
    return finite(compute(value));
  };
}

/** Halves go away from zero. */
function round(value: number): number {
  return value < 0 || Object.is(value, -0) ? -Math.round(-value) : Math.round(value);
}

function changeCase(letters: RegExp, change: (letter: string) => string): (value: unknown) => string {
  return (value) => textOf(value).replace(letters, change);
}

export function sum(values: readonly unknown[]): unknown {
  return values.reduce(add, null);
}

export function toEntries(value: unknown): Json[] {
  const object = objectOf(value);
  return keysOf(object).map((key) => markBuilt({ key, value: object[key] }));
}

/** Only of entries as `to_entries` makes them: jq knows other names for `key` and `value`. */
export function fromEntries(value: unknown): Json {
  const object: Json = markBuilt({});
  for (const entry of listOf(value)) {
    const { key } = objectOf(entry);
    if (typeof key !== 'string' || !Object.hasOwn(objectOf(entry), 'value')) throw new UnknownOutcomeError();
    spend();
    setMember(object, key, objectOf(entry)['value']);
  }
  return object;
}

function flatten(value: unknown, depth: unknown): unknown[] {
  const levels = depth === Infinity ? depth : integer(depth);
  if (levels < 0) throw new UnknownOutcomeError();
  return membersOf(value).flatMap((member) =>
    Array.isArray(member) && levels > 0 ? flatten(member, levels - 1) : [member],
  );
}

function keys(value: unknown): unknown {
  if (Array.isArray(value)) return [...value.keys()];
  return sortedKeys(objectOf(value)).map(textOf);
}

function reverse(value: unknown): unknown {
  if (value === null) return [];
  return [...listOf(value)].reverse();
}

const TYPES: Table<string> = { number: 'number', string: 'string', boolean: 'boolean' };

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return TYPES[typeof value] ?? (value === null ? 'null' : 'object');
}

const BLANK_BEFORE = /^[ \t\n\r]+/;
const BLANK_BEHIND = /(?<![ \t\n\r])[ \t\n\r]+$/;

/** Texts that begin or end with other characters than those of ASCII may begin or end with other blanks. */
function trimmer(blank: RegExp): (value: unknown) => string {
  return (value) => {
    const text = textOf(value).replace(blank, '');
    if (/^[^ -~\n\r\t]|[^ -~\n\r\t]$/.test(text)) throw new UnknownOutcomeError();
    return text;
  };
}

const trimStart = trimmer(BLANK_BEFORE);
const trimEnd = trimmer(BLANK_BEHIND);

/** Of the input alone, with one output. */
export const PLAIN: Table<(value: unknown) => unknown> = {
  not: (value) => !isTrue(value),
  true: () => true,
  false: () => false,
  null: () => null,
  length: lengthOf,
  utf8bytelength: (value) => Buffer.byteLength(textOf(value)),
  keys,
  keys_unsorted: (value) => (isObject(value) ? keysOf(value) : keys(value)),
  type: typeOf,
  add: (value) => sum(membersOf(value)),
  any: (value) => membersOf(value).some(isTrue),
  all: (value) => membersOf(value).every(isTrue),
  tostring: printText,
  tojson: (value) => printJson(value),
  tonumber: parseNumber,
  fromjson: (value) => parseJson(textOf(value)),
  to_entries: toEntries,
  from_entries: fromEntries,
  reverse,
  flatten: (value) => flatten(value, Infinity),
  sort: (value) => sortKeyed(byThemselves(value)).map((one) => one.value),
  unique: (value) => groupKeyed(byThemselves(value)).map(([first]) => first),
  min: (value) => extremeOf(byThemselves(value), 'least'),
  max: (value) => extremeOf(byThemselves(value), 'greatest'),
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
  // jq leaves the sign of a negative zero.
  abs: onNumber((value) => (value < 0 ? -value : value)),
};

function join(value: unknown, separator: unknown): string {
  const texts = membersOf(value).map((member) => {
    if (typeof member === 'object' && member !== null) throw new UnknownOutcomeError();
    return member === null ? '' : printText(member);
  });
  const text = texts.join(textOf(separator));
  spend(text.length);
  return text;
}

function starts(value: unknown, part: unknown): boolean {
  return textOf(value).startsWith(textOf(part));
}

function ends(value: unknown, part: unknown): boolean {
  return textOf(value).endsWith(textOf(part));
}

/** Of the input and each output of an argument. */
export const OF_VALUE: Table<(value: unknown, argument: unknown) => unknown> = {
  has,
  in: (key, value) => has(value, key),
  contains,
  inside: (part, value) => contains(value, part),
  flatten,
  index: placeOf,
  join,
  split: (value, separator) => split(textOf(value), textOf(separator)),
  startswith: starts,
  endswith: ends,
  ltrimstr: (value, part) => (starts(value, part) ? textOf(value).slice(textOf(part).length) : value),
  rtrimstr: (value, part) => (ends(value, part) ? textOf(value).slice(0, -textOf(part).length || undefined) : value),
};

/** Of a list whose members stand beside what the argument made of each. */
export const OF_KEYED: Table<(list: readonly Keyed[]) => unknown> = {
  sort_by: (list) => sortKeyed(list).map(({ value }) => value),
  group_by: groupKeyed,
  unique_by: (list) => groupKeyed(list).map(([first]) => first),
  min_by: (list) => extremeOf(list, 'least'),
  max_by: (list) => extremeOf(list, 'greatest'),
};

/** The types of the values that pass. */
export const SELECTIONS: Table<(value: unknown) => boolean> = {
  values: (value) => value !== null,
  nulls: (value) => value === null,
  booleans: (value) => typeof value === 'boolean',
  numbers: (value) => typeof value === 'number',
  strings: (value) => typeof value === 'string',
  arrays: Array.isArray,
  objects: isObject,
  iterables: (value) => typeof value === 'object' && value !== null,
  scalars: (value) => typeof value !== 'object' || value === null,
};

/** The outputs of `range(from; to)`. */
export function* range(from: unknown, to: unknown): Generator<number> {
  if (typeof from !== 'number' || typeof to !== 'number') throw new JqError();
  for (let next = integer(from); next < to; next += 1) {
    spend();
    yield next;
  }
}
