/** A schedule as parsed: times of the wall clock of a zone, or a fixed interval. */
export type Cron = CronTimes | CronInterval;

/** The minute, hour, month and (by one or both) day fields must fit. All lists are in order, without repetition. */
export interface CronTimes {
  readonly kind: 'times';
  /** 0 to 59. */
  readonly minutes: readonly number[];
  /** 0 to 23. */
  readonly hours: readonly number[];
  /** 1 to 31; undefined when the field leaves the days open (`*`). */
  readonly monthDays: readonly number[] | undefined;
  /** 1 to 12. */
  readonly months: readonly number[];
  /** 0 (Sunday) to 6; undefined when the field leaves the days open. With both day fields given, either is enough. */
  readonly weekDays: readonly number[] | undefined;
  /** An IANA name, as written. */
  readonly timezone: string;
}

export interface CronInterval {
  readonly kind: 'interval';
  /** Whole seconds, in milliseconds. */
  readonly every: number;
  readonly timezone: string;
}

export interface CronProblem {
  readonly problem: string;
}

export interface FieldForm {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** The first stands for `least`, and so on. */
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The five fields in the order in which they are written. */
export const FORMS = {
  minutes: { name: 'minute', least: 0, most: 59, names: [] },
  hours: { name: 'hour', least: 0, most: 23, names: [] },
  monthDays: { name: 'day of month', least: 1, most: 31, names: [] },
  months: { name: 'month', least: 1, most: 12, names: MONTHS },
  // Sunday is 0 and, as in the oldest crons, 7 as well.
  weekDays: { name: 'day of week', least: 0, most: 7, names: DAYS },
} as const satisfies Record<string, FieldForm>;

export interface FieldValues {
  readonly values: readonly number[];
  /** True when a part of the field is a bare `*` or `?`. */
  readonly isOpen: boolean;
}

const PART = /^(?:(?<open>[*?])|(?<from>\w+)(?:-(?<to>\w+))?)(?:\/(?<step>\w+))?$/;

/** The values of a field: a list of values, names, ranges and `*`, each with a step if wanted (workflow-language 3). */
export function parseField(text: string, form: FieldForm): FieldValues | CronProblem {
  const values = new Set<number>();
  let isOpen = false;
  for (const part of text.split(',')) {
    const range = parsePart(part, form);
    if ('problem' in range) return { problem: `the ${form.name} field '${shorten(text)}': ${range.problem}` };
    isOpen ||= range.isOpen;
    for (let value = range.from; value <= range.to; value += range.step) {
      values.add(form === FORMS.weekDays ? value % 7 : value);
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

function parsePart(part: string, form: FieldForm): Range | CronProblem {
  const { open, from = '', to, step = '1' } = PART.exec(part)?.groups ?? {};
  if (open === undefined && from === '') return { problem: `'${shorten(part)}' is no value; write ${exampleOf(form)}` };
  const every = /^\d{1,4}$/.test(step) ? Number(step) : 0;
  if (every === 0) return { problem: `the step '${shorten(step)}' must be a number from 1 on` };
  // A star with a step picks some of the values, as the original's library has it, so it leaves nothing open.
  if (open !== undefined) return { from: form.least, to: lastOf(form), step: every, isOpen: every === 1 };
  const first = numberOf(from, form);
  // A step alone goes on to the end of the field: 5/10 is 5-59/10.
  const last = to === undefined ? (part.includes('/') ? lastOf(form) : first) : numberOf(to, form);
  const unknown = first === undefined ? from : last === undefined ? to : undefined;
  if (first === undefined || last === undefined) {
    return {
      problem: `'${shorten(unknown ?? part)}' is not from ${form.least} to ${form.most}; write ${exampleOf(form)}`,
    };
  }
  if (first > last) {
    const mend = `${first}-${form.most},${form.least}-${last}`;
    return { problem: `the range '${part}' runs backwards; write it as two, ${mend}` };
  }
  return { from: first, to: last, step: every, isOpen: false };
}

/** The last value of a full round: day 7 is Sunday again. */
function lastOf(form: FieldForm): number {
  return form === FORMS.weekDays ? 6 : form.most;
}

function numberOf(text: string, form: FieldForm): number | undefined {
  const named = form.names.indexOf(text.toLowerCase());
  if (named >= 0) return named + form.least;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  return value >= form.least && value <= form.most ? value : undefined;
}

function exampleOf({ least, most, names }: FieldForm): string {
  const named = names.length > 0 ? ` or ${names[0]}-${names.at(-1)}` : '';
  return `${least}-${most}${named}, lists a,b and steps */n`;
}

/** A text a message repeats is cut: a workflow may hold a long one. */
export function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
