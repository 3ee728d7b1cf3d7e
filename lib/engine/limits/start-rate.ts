import { RecentMap } from '../../domain/recent-map.ts';

/** A namespace that starts no runs accumulates the starts of at most this many seconds. */
const BURST_SECONDS = 10;

interface Bucket {
  tokens: number;
  /** Milliseconds since 1970. */
  filled: number;
}

/** Limits the starts of runs of each namespace in this process by a token bucket. */
export class StartRate {
  /** A namespace whose saving is complete need not be remembered. */
  private readonly buckets = new RecentMap<Bucket>();

  /**
   * Takes one start. Returns 0, or the milliseconds after which one can be taken. `now`: milliseconds since 1970.
   */
  take(namespaceId: string, perSecond: number, now: number): number {
    const most = perSecond * BURST_SECONDS;
    const known = this.buckets.get(namespaceId) ?? { tokens: most, filled: now };
    const gained = (Math.max(now - known.filled, 0) / 1000) * perSecond;
    const tokens = Math.min(known.tokens + gained, most);
    const isAllowed = tokens >= 1;
    this.buckets.set(namespaceId, { tokens: isAllowed ? tokens - 1 : tokens, filled: now });
    return isAllowed ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000);
  }
}
