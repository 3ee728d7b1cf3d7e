import type { Cron, CronTimes } from './fields.ts';
import { offsetAt } from './zones.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A schedule that does not come within five years never comes. */
const FURTHEST = 5 * 366 * DAY;

/**
 * The first tick later than `afterMs`, both in milliseconds since 1970; undefined when there is none within five
 * years. Times count on the wall clock of the zone: one that a clock change leaves out does not come; one that a
 * change repeats comes once, the first time, unless the schedule runs in every hour of the day. Intervals are counted
 * from 1970, so that all who ask know the same ticks.
 */
export function nextTick(cron: Cron, afterMs: number): number | undefined {
  if (cron.kind === 'interval') return (Math.floor(afterMs / cron.every) + 1) * cron.every;
  const last = afterMs + FURTHEST;
  let from = Math.floor(afterMs) + 1;
  while (from <= last) {
    const offset = offsetAt(from, cron.timezone);
    const wall = nextWall(cron, from + offset, last + 2 * DAY);
    if (wall === undefined) return undefined;
    const tick = wall - offset;
    const end = stretchEnd(from, offset, cron.timezone);
    if (tick < end && !isRepeated(cron, wall, offset)) return tick <= last ? tick : undefined;
    // The offset may be another by then, so a far tick is first come near to; no change of a clock is of two days.
    from = tick < end ? tick + 1 : Math.max(end, tick - 2 * DAY);
  }
  return undefined;
}

/** The end of the stretch from `from` on in which the offset stays as it is, at most a day later. */
function stretchEnd(from: number, offset: number, timezone: string): number {
  let end = from + DAY;
  if (offsetAt(end, timezone) === offset) return end;
  let inside = from;
  while (end - inside > 1) {
    const middle = Math.floor((inside + end) / 2);
    if (offsetAt(middle, timezone) === offset) inside = middle;
    else end = middle;
  }
  return end;
}

/** True for the second time a clock that was set back shows a time that the schedule names only once a day. */
function isRepeated({ hours, timezone }: CronTimes, wall: number, offset: number): boolean {
  if (hours.length === 24) return false;
  const before = offsetAt(wall - offset - DAY, timezone);
  return before > offset && offsetAt(wall - before, timezone) === before;
}

/** The first time of the wall clock from `from` on that fits the schedule, as if the clock showed UTC. */
function nextWall(cron: CronTimes, from: number, last: number): number | undefined {
  const start = Math.ceil(from / MINUTE) * MINUTE;
  const today = Math.floor(start / DAY) * DAY;
  for (let day = today; day <= last; day += DAY) {
    if (!isDayOf(cron, new Date(day))) continue;
    const minute = firstMinute(cron, day === today ? (start - today) / MINUTE : 0);
    if (minute !== undefined) return day + minute * MINUTE;
  }
  return undefined;
}

/** Where both day fields are given, either is enough: the rule of every classic cron. */
function isDayOf({ months, monthDays, weekDays }: CronTimes, date: Date): boolean {
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const isMonthDay = monthDays?.includes(date.getUTCDate());
  const isWeekDay = weekDays?.includes(date.getUTCDay());
  return isMonthDay === undefined && isWeekDay === undefined ? true : isMonthDay === true || isWeekDay === true;
}

/** The first minute of the day, from `least` on, that the schedule names. */
function firstMinute({ hours, minutes }: CronTimes, least: number): number | undefined {
  for (const hour of hours) {
    const minute = minutes.find((value) => hour * 60 + value >= least);
    if (minute !== undefined) return hour * 60 + minute;
  }
  return undefined;
}
