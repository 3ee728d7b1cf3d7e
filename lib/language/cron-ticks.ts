import type { Cron, CronTimes } from './cron-fields.ts';
import { offsetAt } from './cron-zones.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A schedule that does not come within five years never comes. */
const FURTHEST = 5 * 366 * DAY;

/** A clock change moves the wall clock by less than this (Samoa once left out a day). */
const LARGEST_CHANGE = 26 * HOUR;

/**
 * The first tick later than `afterMs`, both in milliseconds since 1970; undefined when there is none within five
 * years. Times count on the wall clock of the zone: one that a clock change leaves out does not come; one that a
 * change repeats comes once, the first time, unless the schedule runs in every hour of the day. Intervals are counted
 * from 1970, so that every caller knows the same ticks.
 */
export function nextTick(cron: Cron, afterMs: number): number | undefined {
  if (cron.kind === 'interval') return (Math.floor(afterMs / cron.every) + 1) * cron.every;
  const last = afterMs + FURTHEST;
  let after = afterMs;
  while (after < last) {
    const offset = offsetAt(after, cron.timezone);
    const wall = nextWall(cron, after + offset, last + LARGEST_CHANGE);
    if (wall === undefined) return undefined;
    // No change in between: the offset that holds here holds there. What lies far off is come near to first.
    const tick = wall - offset;
    const near = Math.min(tick, after + DAY);
    if (tick - after > 3 * DAY) after = tick - 2 * DAY;
    else if (offsetAt(near, cron.timezone) !== offset) {
      const change = changeBetween(after, near, cron.timezone);
      const found = nearChange(cron, after, change);
      if (found !== undefined) return found;
      after = change.at;
    } else if (tick > near) after = near;
    else if (isWanted(cron, tick)) return tick <= last ? tick : undefined;
    else after = tick;
  }
  return undefined;
}
