/** The first planned time after a moment, both in milliseconds since 1970; undefined when there is none. */
export type NextTick = (cron: string, after: number) => number | undefined;

/** Planned times lie this far apart at least: `@every 1s` (workflow-language 3). */
const LEAST_APART_MS = 1000;

/**
 * The newest planned time after `since` that is not after `now`; undefined when there is none. Halves the time between,
 * so that a year of missed ticks costs a few dozen questions.
 */
export function newestTick(nextTick: NextTick, cron: string, since: number, now: number): number | undefined {
  const plannedAfter = (moment: number): number | undefined => {
    const planned = nextTick(cron, moment);
    return planned !== undefined && planned <= now ? planned : undefined;
  };
  let newest = plannedAfter(since);
  // Nothing is planned after it, up to now.
  let none = now;
  while (newest !== undefined && none - newest >= LEAST_APART_MS) {
    const middle = newest + Math.floor((none - newest) / 2);
    const planned = plannedAfter(middle);
    if (planned === undefined) none = middle;
    else newest = planned;
  }
  return newest;
}
