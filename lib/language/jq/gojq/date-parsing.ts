import { ownMember } from '../../own-members.ts';
import { MONTHS, WEEKDAYS } from './date-fields.ts';
import { COMPOSED, nanoseconds, toFields, toMilliseconds } from './dates.ts';

/** The fields of a date that is read, those that no directive sets as they begin. */
interface Fields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  nanoseconds: number;
  /** Seconds east of UTC. */
  offset: number;
  century: number;
  dayOfYear: number;
  isAfternoon: boolean;
}

/** How a directive is read: an expression at the place, and what its text sets. */
interface Directive {
  readonly written: RegExp;
  readonly set?: (fields: Fields, text: string) => void;
}

type NumberField = { [K in keyof Fields]: Fields[K] extends number ? K : never }[keyof Fields];

const number = (digits: number, field?: NumberField, change = (value: number): number => value): Directive => ({
  written: new RegExp(`\\d{1,${digits}}`, 'y'),
  set: (fields, text) => {
    if (field !== undefined) fields[field] = change(Number(text));
  },
});

/** A number before which a blank may stand. */
const blankBefore = (directive: Directive): Directive => ({
  ...directive,
  written: new RegExp(` ?${directive.written.source}`, 'y'),
});

const oneOf = (names: readonly string[], set?: (fields: Fields, index: number) => void): Directive => ({
  written: new RegExp(names.join('|'), 'iy'),
  set: (fields, text) =>
    set?.(
      fields,
      names.findIndex((one) => one.toLowerCase() === text.toLowerCase()),
    ),
});

const shortened = (names: readonly string[]): string[] => names.map((one) => one.slice(0, 3));

const setMonth = (fields: Fields, index: number): void => {
  fields.month = index + 1;
};

const WEEK = number(2);
const SHORT_MONTH = oneOf(shortened(MONTHS), setMonth);
const HALF = oneOf(['AM', 'PM'], (fields, index) => {
  fields.isAfternoon = index === 1;
});
const SPACE: Directive = { written: /[ \t\n\v\f\r]+/y };
const DAY = number(2, 'day');
const HOUR = number(2, 'hour');
const HOUR_OF_HALF = number(2, 'hour', (hour) => (hour === 12 ? 0 : hour));

function setUnix(fields: Fields, text: string): void {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = toFields({
    milliseconds: Number(text) * 1000,
    nanoseconds: 0,
  });
  Object.assign(fields, { year, month: month + 1, day, hour, minute, second });
}

function setOffset(fields: Fields, text: string): void {
  const seconds = (Number(text.slice(1, 3)) * 60 + Number(text.slice(3))) * 60;
  fields.offset = text.startsWith('-') ? -seconds : seconds;
}

const DIRECTIVES: Readonly<Record<string, Directive>> = {
  Y: number(4, 'year'),
  y: number(2, 'year', (year) => year + (year < 69 ? 2000 : 1900)),
  C: number(2, 'century'),
  g: number(2, 'year', (year) => year + 2000),
  G: number(4, 'year'),
  m: number(2, 'month'),
  B: oneOf(MONTHS, setMonth),
  b: SHORT_MONTH,
  h: SHORT_MONTH,
  A: oneOf(WEEKDAYS),
  a: oneOf(shortened(WEEKDAYS)),
  w: { written: /[0-6]/y },
  u: { written: /[1-7]/y },
  V: WEEK,
  U: WEEK,
  W: WEEK,
  d: DAY,
  e: blankBefore(DAY),
  j: number(3, 'dayOfYear'),
  H: HOUR,
  k: blankBefore(HOUR),
  I: HOUR_OF_HALF,
  l: blankBefore(HOUR_OF_HALF),
  p: HALF,
  P: HALF,
  M: number(2, 'minute'),
  S: number(2, 'second'),
  s: { written: /\d{1,10}/y, set: setUnix },
  f: {
    written: /\d{1,6}/y,
    set: (fields, text) => {
      fields.nanoseconds = Number(text.padEnd(9, '0'));
    },
  },
  // As in Go, a zone by its letters is known but for its offset: it counts as UTC.
  Z: { written: /(?:[A-Z]{3}|[A-Z]{3}T|WITA|[A-Z]{4}T)(?![A-Z])/y },
  z: { written: /[+-]\d{4}/y, set: setOffset },
  t: SPACE,
  n: SPACE,
  '%': { written: /%/y },
};

/** Reads a text by a format from an offset. Returns the offset behind it; undefined where they do not fit. */
function read(text: string, format: string, from: number, fields: Fields): number | undefined {
  let at: number | undefined = from;
  for (const [token] of format.matchAll(/%[\s\S]?|[^%]/gu)) {
    const letter = token.slice(1);
    const composed = token.startsWith('%') ? ownMember(COMPOSED, letter) : undefined;
    if (composed !== undefined) at = read(text, composed, at, fields);
    else if (token.startsWith('%')) at = readDirective(text, letter, at, fields);
    else at = text.startsWith(token, at) ? at + token.length : undefined;
    if (at === undefined) return undefined;
  }
  return at;
}

function readDirective(text: string, letter: string, at: number, fields: Fields): number | undefined {
  const directive = ownMember(DIRECTIVES, letter);
  if (directive === undefined) return undefined;
  const { written, set } = directive;
  written.lastIndex = at;
  const [found] = written.exec(text) ?? [];
  if (found === undefined) return undefined;
  set?.(fields, found.trimStart());
  return at + found.length;
}

/** gojq's `strptime`: the array of jq for a date. A text that does not fit the format has no result. */
export function strptime(text: unknown, format: unknown): number[] | undefined {
  if (typeof text !== 'string' || typeof format !== 'string') return undefined;
  const fields: Fields = {
    ...{ year: 1900, month: 1, day: 1, hour: 0, minute: 0, second: 0, nanoseconds: 0 },
    ...{ offset: 0, century: 0, dayOfYear: 0, isAfternoon: false },
  };
  if (read(text, format, 0, fields) !== text.length) return undefined;
  const { month, day, minute, second, offset, century, dayOfYear } = fields;
  const hour = fields.hour + (fields.isAfternoon ? 12 : 0);
  const year = century > 0 ? century * 100 + (fields.year % 100) : fields.year;
  const [inMonth, inDay] = dayOfYear > 0 ? [1, dayOfYear] : [month, day];
  const milliseconds = toMilliseconds(year, inMonth - 1, inDay, hour, minute, second - offset);
  // gojq takes the way over a double.
  return toFields({ milliseconds, nanoseconds: nanoseconds(milliseconds / 1000 + fields.nanoseconds / 1e9) });
}
