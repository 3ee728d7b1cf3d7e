import { ownMember } from '../../own-members.ts';
import { FIELDS, type Moment, TEXTS } from './date-fields.ts';

const DAY = 86_400_000;

/** Returns the milliseconds since 1970 of a date in UTC, whose fields may be out of their ranges. */
export function toMilliseconds(
  year: number,
  month: number,
  ...rest: readonly [number, number, number, number]
): number {
  const [day, hour, minute, second] = rest;
  // Date.UTC takes the years 0 to 99 for those of the last century.
  const first = new Date(0).setUTCFullYear(year, month, 1);
  return first + (day - 1) * DAY + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** Returns the nanoseconds of a time in seconds after its whole second, as far as a double has them. */
export function nanoseconds(seconds: number): number {
  return Math.trunc((seconds - Math.floor(seconds)) * 1e9);
}

/** Returns the date in UTC as the array of jq: year, month from 0, day, hour, minute, second, weekday, day of the year. */
export function toFields({ milliseconds, nanoseconds: rest }: Moment): number[] {
  const date = new Date(milliseconds);
  const year = date.getUTCFullYear();
  const ofYear = Math.floor((milliseconds - toMilliseconds(year, 0, 1, 0, 0, 0)) / DAY);
  const [month, day, hour, minute] = [date.getUTCMonth(), date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes()];
  return [year, month, day, hour, minute, date.getUTCSeconds() + rest / 1e9, date.getUTCDay(), ofYear];
}

/** The moment of seconds or of a date; undefined for another value, and beyond the dates of JavaScript, ±275760. */
function momentOf(value: unknown): Moment | undefined {
  const moment =
    typeof value === 'number'
      ? { milliseconds: Math.trunc(value) * 1000, nanoseconds: nanoseconds(value) }
      : momentOfFields(value);
  return moment === undefined || Number.isNaN(new Date(moment.milliseconds).getTime()) ? undefined : moment;
}

function momentOfFields(value: unknown): Moment | undefined {
  if (!Array.isArray(value) || value.length !== 8) return undefined;
  const [year, month, day, hour, minute, second] = value as readonly unknown[];
  const whole = [year, month, day, hour, minute].map((field) => (typeof field === 'number' ? Math.trunc(field) : NaN));
  if (whole.some(Number.isNaN) || typeof second !== 'number') return undefined;
  const [y = 0, m = 0, d = 0, h = 0, min = 0] = whole;
  return { milliseconds: toMilliseconds(y, m, d, h, min, Math.trunc(second)), nanoseconds: nanoseconds(second) };
}

/** How a directive is printed: its width, the character that fills it up, `''` for none; and its letters. */
interface Style {
  width: number;
  fill: string | undefined;
  letters: 'as they are' | 'upper' | 'swapped';
}

function printText(text: string, { width, fill, letters }: Style): string {
  const padded = (fill ?? ' ').repeat(Math.max(0, width - text.length));
  if (letters === 'as they are') return padded + text;
  const isLower = letters === 'swapped' && /[^a-z]$/.test(text);
  return padded + (isLower ? text.toLowerCase() : text.toUpperCase());
}

function printNumber(value: number, style: Style, { width, fill }: { width: number; fill: string }): string {
  const character = style.fill ?? fill;
  return character === '' ? String(value) : String(value).padStart(Math.max(style.width, width), character);
}

/** Directives that stand for several others. */
export const COMPOSED: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  '+': '%a %b %e %H:%M:%S %Z %Y',
  F: '%Y-%m-%d',
  D: '%m/%d/%y',
  x: '%m/%d/%y',
  v: '%e-%b-%Y',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  r: '%I:%M:%S %p',
  R: '%H:%M',
};

const DIRECTIVE = /^%([-_^#0]*)(?:([1-9]\d*)([-_^#0]*))?([\s\S]?)$/u;
const PART = /%[-_^#0]*(?:[1-9]\d*[-_^#0]*)?[\s\S]?|[^%]+/gu;
const MAX_WIDTH = 1024;
const FILLS: Readonly<Record<string, string>> = { '-': '', _: ' ', '0': '0' };

function styleOf(flags: string, width: number): Style {
  const last = [...flags].filter((flag) => ownMember(FILLS, flag) !== undefined).at(-1);
  const fill = last === undefined ? undefined : ownMember(FILLS, last);
  const letters = flags.includes('#') ? 'swapped' : flags.includes('^') ? 'upper' : 'as they are';
  return { width: Math.min(width, MAX_WIDTH), fill: fill === '' && width > 0 ? ' ' : fill, letters };
}

function print(moment: Moment, format: string): string {
  return [...format.matchAll(PART)].map(([written]) => printPart(moment, written)).join('');
}

function printPart(moment: Moment, written: string): string {
  const [, before = '', digits = '0', behind = '', letter = ''] = DIRECTIVE.exec(written) ?? [];
  if (!written.startsWith('%')) return written;
  const style = styleOf(before + behind, Number(digits));
  const text = ownMember(TEXTS, letter)?.(moment);
  if (text !== undefined) return printText(text, style);
  const field = ownMember(FIELDS, letter);
  if (field !== undefined) return (field.sign ?? '') + printNumber(field.value(moment), style, field);
  const composed = ownMember(COMPOSED, letter);
  if (composed === undefined) return letter === '' ? printText(written, style) : unknown(written, style);
  return print(moment, style.letters === 'upper' ? composed.replaceAll('%', '%^') : composed);
}

function unknown(written: string, style: Style): string {
  return (
    printText(written.slice(0, -1), { ...style, width: style.width - 1, letters: 'as they are' }) + written.slice(-1)
  );
}

/** gojq's `strftime` in UTC. Values that gojq refuses have no result. */
export function strftime(value: unknown, format: unknown): string | undefined {
  const moment = momentOf(value);
  if (moment === undefined || typeof format !== 'string') return undefined;
  return print(moment, format);
}

/** gojq's `gmtime`: the date of seconds since 1970. */
export function gmtime(seconds: unknown): number[] | undefined {
  const moment = typeof seconds === 'number' ? momentOf(seconds) : undefined;
  return moment && toFields(moment);
}

/** gojq's `mktime`: the seconds since 1970 of a date. Values that gojq refuses have no result. */
export function mktime(date: unknown): number | undefined {
  const moment = Array.isArray(date) ? momentOf(date) : undefined;
  return moment && moment.milliseconds / 1000;
}
