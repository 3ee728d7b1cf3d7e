/** A parsed schedule: times of a zone's wall clock, or a fixed interval. */
export type Cron = CronTimes | CronInterval;

/** The minute, hour, month and (one or both) day fields must match. All lists are sorted, without repetition. */
export interface CronTimes {
  readonly kind: 'times';
  /** 0 to 59. */
  readonly minutes: readonly number[];
  /** 0 to 23. */
  readonly hours: readonly number[];
  /** 1 to 31; undefined when the field does not restrict the days (`*`). */
  readonly monthDays: readonly number[] | undefined;
  /** 1 to 12. */
  readonly months: readonly number[];
  /** 0 (Sunday) to 6; undefined when the field does not restrict the days. If both day fields do, either is enough. */
  readonly weekDays: readonly number[] | undefined;
  /** An IANA name, as written. */
  readonly timezone: string;
}

/** A tick at each multiple of an interval, counted from 1970. */
export interface CronInterval {
  readonly kind: 'interval';
  /** Milliseconds, a whole number of seconds. */
  readonly every: number;
  readonly timezone: string;
}

/** Why a text is not a cron pattern, with the field and the correction, as a text for the user. */
export interface CronProblem {
  readonly problem: string;
}

/** A field of a cron pattern: its name in messages and its values. */
export interface FieldDefinition {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of values, beginning with that of `min`; empty for a field of numbers alone. */
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The five fields of a cron pattern. */
export const FIELDS = {
  minutes: { name: 'minute', min: 0, max: 59, names: [] },
  hours: { name: 'hour', min: 0, max: 23, names: [] },
  monthDays: { name: 'day of month', min: 1, max: 31, names: [] },
  months: { name: 'month', min: 1, max: 12, names: MONTHS },
  // Sunday is 0, and 7 as well, as in the oldest versions of cron.
  weekDays: { name: 'day of week', min: 0, max: 7, names: DAYS },
} as const satisfies Record<string, FieldDefinition>;

/** A parsed field. */
export interface FieldValues {
  /** Sorted, without repetition. */
  readonly values: readonly number[];
  /** True when a part of the field is `*` or `?` without a step: the field then restricts nothing. */
  readonly isOpen: boolean;
}

const PART = /^(?:(?<open>[*?])|(?<from>\w+)(?:-(?<to>\w+))?)(?:\/(?<step>\w+))?$/;

/**
 * Parses a field: a list of values, names, ranges and `*`, each with an optional step (workflow-language 3). Returns a
 * problem that names the field, the wrong part and the values that are allowed.
 */
export function parseField(text: string, field: FieldDefinition): FieldValues | CronProblem {
  const values = new Set<number>();
  let isOpen = false;
  for (const part of text.split(',')) {
    const range = parsePart(part, field);
    if ('problem' in range) return { problem: `the ${field.name} field '${shorten(text)}': ${range.problem}` };
    isOpen ||= range.isOpen;
    for (let value = range.from; value <= range.to; value += range.step) {
      values.add(field === FIELDS.weekDays ? value % 7 : value);
    }
  }
  return { values: [...values].sort((a, b) => a - b), isOpen };
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly isOpen: boolean;
}

function parsePart(part: string, field: FieldDefinition): Range | CronProblem {
  const { open, from = '', to, step = '1' } = PART.exec(part)?.groups ?? {};
  if (open === undefined && from === '') {
    return { problem: `'${shorten(part)}' is not a value; use ${allowedValues(field)}` };
  }
  const stride = /^\d{1,4}$/.test(step) ? Number(step) : 0;
  if (stride === 0) return { problem: `the step '${shorten(step)}' is not a positive number` };
  // A star with a step restricts the field, as in the cron library of the original.
  if (open !== undefined) return { from: field.min, to: lastOf(field), step: stride, isOpen: stride === 1 };
  const first = numberOf(from, field);
  // A value with a step goes on to the end of the field: 5/10 is 5-59/10.
  const last = to === undefined ? (part.includes('/') ? lastOf(field) : first) : numberOf(to, field);
  const unknown = first === undefined ? from : last === undefined ? to : undefined;
  if (first === undefined || last === undefined) {
    return { problem: `'${shorten(unknown ?? part)}' is not a value of this field; use ${allowedValues(field)}` };
  }
  if (first > last) {
    const replacement = `${first}-${field.max},${field.min}-${last}`;
    return { problem: `the range '${part}' ends before it begins; use two ranges: ${replacement}` };
  }
  return { from: first, to: last, step: stride, isOpen: false };
}

/** The last value of a full cycle: day of week 7 is Sunday again. */
function lastOf(field: FieldDefinition): number {
  return field === FIELDS.weekDays ? 6 : field.max;
}

function numberOf(text: string, field: FieldDefinition): number | undefined {
  const named = field.names.indexOf(text.toLowerCase());
  if (named >= 0) return named + field.min;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  return value >= field.min && value <= field.max ? value : undefined;
}

function allowedValues({ min, max, names }: FieldDefinition): string {
  const named = names.length > 0 ? ` or ${names[0]}-${names.at(-1)}` : '';
  return `${min}-${max}${named}, lists a,b and steps */n`;
}

/** Cuts a text that a message quotes to 40 characters: a workflow may hold a long one. */
export function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
