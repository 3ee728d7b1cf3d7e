/** An ISO 8601 duration of whole, non-negative numbers. Years to days are calendar units, the rest exact time. */
export interface Duration {
  readonly years: number;
  readonly months: number;
  readonly weeks: number;
  readonly days: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

/** No duration reaches further than this many years; a longer one is cut to it. */
export const LONGEST_YEARS = 100;

const FORM = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/**
 * Reads a duration such as `P1DT2H`; `P` and `PT` alone mean zero. Undefined for anything else, signs and fractions
 * included (workflow language, 1.6).
 */
export function parseDuration(text: string): Duration | undefined {
  const parts = FORM.exec(text);
  if (parts === null) return undefined;
  const [years, months, weeks, days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
  return {
    years: years ?? 0,
    months: months ?? 0,
    weeks: weeks ?? 0,
    days: days ?? 0,
    hours: hours ?? 0,
    minutes: minutes ?? 0,
    seconds: seconds ?? 0,
  };
}

/** True when `parseDuration` can read the text. */
export function isDuration(text: string): boolean {
  return FORM.test(text);
}

/**
 * The moment a duration after `from`, both in milliseconds since 1970: calendar units in UTC first (31 January and a
 * month is 3 March), then exact time. Never later than LONGEST_YEARS after `from`, and always a finite number.
 */
export function addDuration(from: number, duration: Duration): number {
  const latest = shift(from, LONGEST_YEARS, 0, 0);
  const { years, months, weeks, days, hours, minutes, seconds } = duration;
  const later = shift(from, years, months, weeks * 7 + days) + ((hours * 60 + minutes) * 60 + seconds) * 1000;
  // A date beyond what Date can hold is NaN, which no comparison would cut.
  return Number.isNaN(later) ? latest : Math.min(later, latest);
}

function shift(from: number, years: number, months: number, days: number): number {
  const date = new Date(from);
  date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth() + months, date.getUTCDate() + days);
  return date.getTime();
}
