/** The types of the language do not have it yet. */
const JSON_WITH_RAW = JSON as JSON & { rawJSON(text: string): unknown };

/**
 * A number that a double would change, as it was written: an integer beyond 2^53, or more digits than a double has. Data
 * holds it in the place of a `number`; `JSON.stringify` and `toJson` write its text, and a template literal has it too.
 */
export class ExactNumber {
  /** The text of a JSON number. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON_WITH_RAW.rawJSON(this.text);
  }

  toString(): string {
    return this.text;
  }
}

/** JSON text has a number beyond the range of doubles, about 1.8e308; the message names its place and the mend. */
export class NumberRangeError extends Error {
  override readonly name = 'NumberRangeError';
}

/**
 * Parses JSON text of users, and whatever is stored of it. A number that a double would change is an ExactNumber. Throws
 * SyntaxError as `JSON.parse` does, and NumberRangeError.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return LONG.test(text) || ALONE.test(text) ? withExactNumbers(text, value) : value;
}

/** True for a number of JSON data. */
export const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber;

/** True for text, a boolean or a number of JSON data. */
export const isScalar = (value: unknown): value is string | boolean | number | ExactNumber =>
  typeof value === 'string' || typeof value === 'boolean' || isNumber(value);

/** The number of a text in JSON's notation: an ExactNumber if a double would change it. */
export const numberOf = (text: string): number | ExactNumber =>
  isChanged(text) ? new ExactNumber(text) : Number(text);

/** Why JSON text cannot be data: a number beyond the range of doubles, as words after `is`. Undefined if it has none. */
export function numberProblem(text: Uint8Array): string | undefined {
  if (!HUGE.test(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('latin1'))) return undefined;
  try {
    parseJson(new TextDecoder().decode(text));
  } catch (error) {
    if (error instanceof NumberRangeError) return error.message;
  }
  return undefined;
}

/** An integer that JavaScript's numbers do not all tell apart, in digits. */
export const isLongInteger = (text: string): boolean => /^-?\d{16,}$/.test(text) && !Number.isSafeInteger(Number(text));

/**
 * Where a number begins that a double may change: one of 15 digits and a small exponent survives. Also true for such text
 * in a string, after a comma or a colon. A number without anything around it is found by ALONE.
 */
const LONG = /[:,[]\s*-?(?:\d[\d.]{15}|\d[\d.]*[eE][-+]?\d{3})/;
const ALONE = /^\s*[-\d]/;

/** What every text with a number beyond the range of doubles has. */
const HUGE = /(?:^|[:,[])\s*-?(?:\d[\d.]*[eE]\+?\d{3}|\d{200})/;

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;

/**
 * Returns the JSON text with the numbers for which `isMarked` is true replaced by `[1e999,"…"]`: since no other number is
 * infinite, nothing else has this form. The text must be valid. Numbers that a double cannot change may not be found.
 */
export function markNumbers(text: string, isMarked: (number: string) => boolean): string {
  if (ALONE.test(text)) return isMarked(text.trim()) ? marker(text.trim()) : text;
  const long = new RegExp(LONG, 'g');
  let marked = '';
  let copied = 0;
  // The end of the last string that begins before the number that was found.
  let outside = 0;
  for (let found = long.exec(text); found !== null; found = long.exec(text)) {
    const begin = found.index + found[0].search(/[-\d]/);
    NUMBER.lastIndex = begin;
    const number = NUMBER.exec(text)?.[0] ?? '';
    if (!isMarked(number)) continue;
    outside = endOfStringsBefore(text, outside, begin);
    if (outside > begin) long.lastIndex = outside;
    else {
      marked += text.slice(copied, begin) + marker(number);
      copied = begin + number.length;
    }
  }
  return marked + text.slice(copied);
}

const marker = (number: string): string => `[1e999,"${number}"]`;

/** The end of the last string that begins before an offset; it is after the offset if that is inside the string. */
function endOfStringsBefore(text: string, from: number, offset: number): number {
  let end = from;
  for (let quote = text.indexOf('"', end); quote >= 0 && quote < offset; quote = text.indexOf('"', end)) {
    let close = text.indexOf('"', quote + 1);
    while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
    end = close + 1;
  }
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** A container, and its place in the container around it. */
interface Place {
  readonly value: object;
  readonly key?: string | number;
  readonly around?: Place;
}

function withExactNumbers(text: string, value: unknown): unknown {
  const marked = markNumbers(text, isChanged);
  return marked === text ? value : fromMarked(JSON.parse(marked));
}

/** The value of valid JSON text, with a mark (`markNumbers`) for each ExactNumber: for code that copies plain values only. */
export const toMarked = (text: string): unknown => JSON.parse(markNumbers(text, isChanged));

/** Whether valid JSON text has a number that a double would change. */
export const hasExactNumbers = (text: string): boolean => markNumbers(text, isChanged) !== text;

/** Replaces the marks in a value, which is changed, by ExactNumbers. Throws NumberRangeError. */
export function fromMarked(value: unknown): unknown {
  // With a stack of its own: a document may be nested deeper than a reviver of the parser can reach.
  const root = { value: [value] };
  const left: Place[] = [root];
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    const members = place.value as Record<string | number, unknown>;
    for (const key of Array.isArray(members) ? members.keys() : Object.keys(members)) {
      const member = members[key];
      if (typeof member !== 'object' || member === null) continue;
      const inner = { value: member, key, around: place };
      const number = Array.isArray(member) && member[0] === Number.POSITIVE_INFINITY ? String(member[1]) : undefined;
      if (number === undefined) left.push(inner);
      else Object.defineProperty(members, key, { value: exact(number, inner) });
    }
  }
  return root.value[0];
}

const MAX_EXCERPT = 40;

function exact(number: string, place: Place): ExactNumber {
  if (Number.isFinite(Number(number))) return new ExactNumber(number);
  const shown = number.length > MAX_EXCERPT ? `${number.slice(0, MAX_EXCERPT)}…` : number;
  const range = `beyond the range of numbers, which ends at about 1.8e308: ${pathOf(place)} is ${shown}`;
  throw new NumberRangeError(`${range}; write it as a text, in quotes`);
}

const NAME = /^[A-Za-z_]\w*$/;

/** The path of a value, as jq writes it. */
function pathOf(place: Place): string {
  const keys: string[] = [];
  for (let at = place; at.around?.around !== undefined; at = at.around) {
    const isName = typeof at.key === 'string' && NAME.test(at.key);
    keys.unshift(isName ? `.${at.key}` : `[${JSON.stringify(at.key)}]`);
  }
  const path = keys.join('');
  return path.startsWith('.') ? path : `.${path}`;
}

/** A decimal: its digits without zeros at both ends, as an integer, and the power of ten by which it is multiplied. */
function decimalOf(text: string): readonly [digits: string, exponent: number] {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return [digits.slice(0, end), end === 0 ? 0 : Number(exponent) - fraction.length + digits.length - end];
}

/** Whether a double, as it is printed, is another number than the one that was written. */
function isChanged(text: string): boolean {
  const printed = String(Number(text));
  if (printed === text) return false;
  const [digits, exponent] = decimalOf(text);
  const [kept, power] = decimalOf(printed);
  return digits !== kept || exponent !== power;
}
