/**
 * The first planned time of a cron pattern after a time, both in milliseconds since 1970; undefined if there is none.
 */
export type NextTick = (cron: string, after: number) => number | undefined;

/** The planned times of a cron pattern after `since` and up to `until`, the earliest first, at most `most` of them. */
export function ticksBetween(
  nextTick: NextTick,
  cron: string,
  { since, until, most }: { readonly since: number; readonly until: number; readonly most: number },
): number[] {
  const ticks: number[] = [];
  for (
    let at = nextTick(cron, since);
    at !== undefined && at <= until && ticks.length < most;
    at = nextTick(cron, at)
  ) {
    ticks.push(at);
  }
  return ticks;
}

/** The shortest time between planned times: `@every 1s` (workflow-language reference, 3). */
const MIN_INTERVAL_MS = 1000;

/**
 * The newest planned time after `since` and up to `now`, milliseconds since 1970; undefined if there is none. A binary
 * search: a year of missed ticks takes a few dozen calls of `nextTick`.
 */
export function newestTick(nextTick: NextTick, cron: string, since: number, now: number): number | undefined {
  const plannedAfter = (time: number): number | undefined => {
    const planned = nextTick(cron, time);
    return planned !== undefined && planned <= now ? planned : undefined;
  };
  let newest = plannedAfter(since);
  // From this time to `now`, no tick is planned.
  let end = now;
  while (newest !== undefined && end - newest >= MIN_INTERVAL_MS) {
    const middle = newest + Math.floor((end - newest) / 2);
    const planned = plannedAfter(middle);
    if (planned === undefined) end = middle;
    else newest = planned;
  }
  return newest;
}
