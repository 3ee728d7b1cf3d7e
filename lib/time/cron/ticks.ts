import { DAY_MS, MINUTE_MS } from '../units.ts';
import type { Cron, CronTimes } from './fields.ts';
import { offsetAt } from './time-zones.ts';

/** How far ahead a tick is searched, in milliseconds: five years. */
export const SEARCH_LIMIT_MS = 5 * 366 * DAY_MS;

/**
 * Returns the first tick later than `afterMs`, both in milliseconds since 1970, or undefined when there is none within
 * five years. Times are those of the zone's wall clock, as in EventBridge Scheduler: a time that a clock change skips
 * has no tick; a time that a clock change repeats has one tick, the first time, unless the schedule names every hour of
 * the day. Intervals are counted from 1970, so that every process computes the same ticks.
 */
export function nextTick(cron: Cron, afterMs: number): number | undefined {
  if (cron.kind === 'interval') return (Math.floor(afterMs / cron.every) + 1) * cron.every;
  const last = afterMs + SEARCH_LIMIT_MS;
  let from = Math.floor(afterMs) + 1;
  while (from <= last) {
    const offset = offsetAt(from, cron.timezone);
    const wall = nextWallTime(cron, from + offset, last + 2 * DAY_MS);
    if (wall === undefined) return undefined;
    const tick = wall - offset;
    const end = endOfOffset(from, offset, cron.timezone);
    if (tick < end && !isRepeated(cron, wall, offset)) return tick <= last ? tick : undefined;
    // The offset may have changed by then. Continue two days before the tick: no clock change is longer.
    from = tick < end ? tick + 1 : Math.max(end, tick - 2 * DAY_MS);
  }
  return undefined;
}

/** Returns the first moment after `from` at which the zone's offset is another, or a day after `from` if that is earlier. */
function endOfOffset(from: number, offset: number, timezone: string): number {
  let end = from + DAY_MS;
  if (offsetAt(end, timezone) === offset) return end;
  let inside = from;
  while (end - inside > 1) {
    const middle = Math.floor((inside + end) / 2);
    if (offsetAt(middle, timezone) === offset) inside = middle;
    else end = middle;
  }
  return end;
}

/** True when the clock was set back and shows this time for the second time, in a schedule that does not run every hour. */
function isRepeated({ hours, timezone }: CronTimes, wall: number, offset: number): boolean {
  if (hours.length === 24) return false;
  const before = offsetAt(wall - offset - DAY_MS, timezone);
  return before > offset && offsetAt(wall - before, timezone) === before;
}

/** Returns the first time of the wall clock, from `from` on, that the schedule names. Both count as if they were UTC. */
function nextWallTime(cron: CronTimes, from: number, last: number): number | undefined {
  const start = Math.ceil(from / MINUTE_MS) * MINUTE_MS;
  const today = Math.floor(start / DAY_MS) * DAY_MS;
  for (let day = today; day <= last; day += DAY_MS) {
    if (!includesDay(cron, new Date(day))) continue;
    const minute = firstMinute(cron, day === today ? (start - today) / MINUTE_MS : 0);
    if (minute !== undefined) return day + minute * MINUTE_MS;
  }
  return undefined;
}

/** Where both day fields are restricted, a day that matches either is included: the rule of classic cron. */
function includesDay({ months, monthDays, weekDays }: CronTimes, date: Date): boolean {
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const isMonthDay = monthDays?.includes(date.getUTCDate());
  const isWeekDay = weekDays?.includes(date.getUTCDay());
  return isMonthDay === undefined && isWeekDay === undefined ? true : isMonthDay === true || isWeekDay === true;
}

/** Returns the first minute of the day, from minute `least` on, that the schedule names. */
function firstMinute({ hours, minutes }: CronTimes, least: number): number | undefined {
  for (const hour of hours) {
    const minute = minutes.find((value) => hour * 60 + value >= least);
    if (minute !== undefined) return hour * 60 + minute;
  }
  return undefined;
}
