import { RecentMap } from '../../domain/recent-map.ts';

/** A namespace that starts no runs accumulates the starts of at most this many seconds. */
const BURST_SECONDS = 10;

interface Bucket {
  tokens: number;
  /** Milliseconds since 1970. */
  filled: number;
}

/** Limits the starts of runs, or the events, of each namespace in this process by a token bucket. */
export class StartRate {
  /** A namespace whose saving is complete need not be remembered. */
  private readonly buckets = new RecentMap<Bucket>();

  /**
   * Takes one start or more at once, but none beyond those of ten seconds. Returns 0, or the milliseconds after which they can
   * be taken. `now`: milliseconds since 1970.
   */
  take(namespaceId: string, perSecond: number, now: number, amount = 1): number {
    const tokens = this.left(namespaceId, perSecond, now);
    const wanted = Math.max(Math.min(amount, perSecond * BURST_SECONDS), 1);
    const isAllowed = tokens >= wanted;
    this.buckets.set(namespaceId, { tokens: isAllowed ? tokens - wanted : tokens, filled: now });
    return isAllowed ? 0 : Math.ceil(((wanted - tokens) / perSecond) * 1000);
  }

  /** How many are taken a second, over the last ten. */
  taken(namespaceId: string, perSecond: number, now: number): number {
    return Math.ceil(perSecond - this.left(namespaceId, perSecond, now) / BURST_SECONDS);
  }

  private left(namespaceId: string, perSecond: number, now: number): number {
    const most = perSecond * BURST_SECONDS;
    const known = this.buckets.get(namespaceId) ?? { tokens: most, filled: now };
    const gained = (Math.max(now - known.filled, 0) / 1000) * perSecond;
    return Math.min(known.tokens + gained, most);
  }
}
