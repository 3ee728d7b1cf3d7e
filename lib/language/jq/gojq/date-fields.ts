/** A moment: the milliseconds of its second since 1970, and its nanoseconds after it. */
export interface Moment {
  readonly milliseconds: number;
  readonly nanoseconds: number;
}

const DAY = 86_400_000;

/** The names of months and weekdays, of which the first three letters are the short names. */
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Returns the part of a date that a function reads. */
const part =
  (read: (date: Date) => number) =>
  ({ milliseconds }: Moment): number =>
    read(new Date(milliseconds));

const startOfYear = (year: number): number => new Date(0).setUTCFullYear(year, 0, 1);
const dayOfYear = (date: Date): number => Math.floor((date.getTime() - startOfYear(date.getUTCFullYear())) / DAY) + 1;

/** The year and the number of a week of ISO 8601: those of its Thursday. */
function isoWeek(date: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * DAY);
  return { year: thursday.getUTCFullYear(), week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1 };
}

const twelve = (hour: number): number => (hour > 12 ? hour - 12 : hour);

/** A directive that prints a number: its least width, and the character that fills it up. */
interface Field {
  readonly value: (moment: Moment) => number;
  readonly width: number;
  readonly fill: string;
  readonly sign?: string;
}

const number = (width: number, read: (date: Date) => number, fill = '0'): Field => ({ value: part(read), width, fill });

const hour = (date: Date): number => date.getUTCHours();
const day = (date: Date): number => date.getUTCDate();

/** The directives of strftime that print numbers. */
export const FIELDS: Readonly<Record<string, Field>> = {
  Y: number(4, (date) => date.getUTCFullYear()),
  y: number(2, (date) => date.getUTCFullYear() % 100),
  C: number(2, (date) => Math.trunc(date.getUTCFullYear() / 100)),
  G: number(4, (date) => isoWeek(date).year),
  g: number(2, (date) => isoWeek(date).year % 100),
  V: number(2, (date) => isoWeek(date).week),
  U: number(2, (date) => Math.trunc((dayOfYear(date) + 6 - date.getUTCDay()) / 7)),
  W: number(2, (date) => Math.trunc((dayOfYear(date) + ((7 - date.getUTCDay()) % 7)) / 7)),
  m: number(2, (date) => date.getUTCMonth() + 1),
  d: number(2, day),
  e: number(2, day, ' '),
  j: number(3, dayOfYear),
  w: number(1, (date) => date.getUTCDay()),
  u: number(1, (date) => date.getUTCDay() || 7),
  H: number(2, hour),
  k: number(2, hour, ' '),
  I: number(2, (date) => twelve(hour(date)) || 12),
  // gojq prints midnight as 0.
  l: number(2, (date) => twelve(hour(date)), ' '),
  M: number(2, (date) => date.getUTCMinutes()),
  S: number(2, (date) => date.getUTCSeconds()),
  s: { value: ({ milliseconds }) => milliseconds / 1000, width: 1, fill: ' ' },
  f: { value: ({ nanoseconds }) => Math.trunc(nanoseconds / 1000), width: 6, fill: '0' },
  z: { value: () => 0, width: 4, fill: '0', sign: '+' },
};

const name =
  (names: readonly string[], read: (date: Date) => number, length?: number) =>
  ({ milliseconds }: Moment): string =>
    (names[read(new Date(milliseconds))] ?? '').slice(0, length);

const month = (date: Date): number => date.getUTCMonth();
const weekday = (date: Date): number => date.getUTCDay();
const half = (date: Date): number => (hour(date) < 12 ? 0 : 1);

/** The directives of strftime that print texts. */
export const TEXTS: Readonly<Record<string, (moment: Moment) => string>> = {
  B: name(MONTHS, month),
  b: name(MONTHS, month, 3),
  h: name(MONTHS, month, 3),
  A: name(WEEKDAYS, weekday),
  a: name(WEEKDAYS, weekday, 3),
  p: name(['AM', 'PM'], half),
  P: name(['am', 'pm'], half),
  Z: () => 'UTC',
  t: () => '\t',
  n: () => '\n',
  '%': () => '%',
};
