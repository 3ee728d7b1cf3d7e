import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './units.ts';

/**
 * An ISO 8601 duration of whole, non-negative numbers. Years, months, weeks and days are calendar units; hours, minutes
 * and seconds are exact time.
 */
export interface Duration {
  readonly years: number;
  readonly months: number;
  readonly weeks: number;
  readonly days: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

/** The longest duration that `addDuration` adds; a longer one counts as this many years. */
export const MAX_YEARS = 100;

/** The longest delay, milliseconds: MAX_YEARS without leap days. */
export const MAX_DELAY_MS = MAX_YEARS * 365 * DAY_MS;

const FORM = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/** The regular expression of durations, for descriptions of the language. */
export const DURATION_PATTERN = FORM.source;

/**
 * Parses an ISO 8601 duration such as `P1DT2H`; `P` and `PT` alone mean zero. Returns undefined for any other text,
 * also for one with a sign or a fraction (workflow-language 1.6).
 */
export function parseDuration(text: string): Duration | undefined {
  const parts = FORM.exec(text);
  if (parts === null) return undefined;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  return { years, months, weeks, days, hours, minutes, seconds };
}

/** Returns true for a text that `parseDuration` can parse. */
export function isDuration(text: string): boolean {
  return FORM.test(text);
}

/**
 * Adds a duration to a moment, both in milliseconds since 1970. Calendar units are added first, in UTC (31 January plus
 * one month is 3 March), then exact time. The result is at most MAX_YEARS after `from` and always a finite number.
 */
export function addDuration(from: number, duration: Duration): number {
  const { years, months, weeks, days, hours, minutes, seconds } = duration;
  const exact = hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS;
  // Most durations are short, and many runs have one.
  if (years + months + weeks + days === 0 && exact < DAY_MS) return from + exact;
  const latest = addCalendarUnits(from, MAX_YEARS, 0, 0);
  const later = addCalendarUnits(from, years, months, weeks * 7 + days) + exact;
  // Date yields NaN for a moment that it cannot represent, and Math.min would return it.
  return Number.isNaN(later) ? latest : Math.min(later, latest);
}

function addCalendarUnits(from: number, years: number, months: number, days: number): number {
  const date = new Date(from);
  date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth() + months, date.getUTCDate() + days);
  return date.getTime();
}
