/** A namespace that starts no runs accumulates the starts of at most this many seconds. */
const BURST_SECONDS = 10;

/** Namespaces remembered; a namespace whose saving is complete need not be. */
const MAX_REMEMBERED = 10_000;

interface Bucket {
  tokens: number;
  /** Milliseconds since 1970. */
  filled: number;
}

/** Limits the starts of runs of each namespace in this process by a token bucket. */
export class StartRate {
  private readonly buckets = new Map<string, Bucket>();

  /**
   * Takes one start. Returns 0, or the milliseconds after which one can be taken. `now`: milliseconds since 1970.
   */
  take(namespaceId: string, perSecond: number, now: number): number {
    const most = perSecond * BURST_SECONDS;
    const known = this.buckets.get(namespaceId) ?? { tokens: most, filled: now };
    const gained = (Math.max(now - known.filled, 0) / 1000) * perSecond;
    const tokens = Math.min(known.tokens + gained, most);
    const isAllowed = tokens >= 1;
    this.buckets.delete(namespaceId);
    this.buckets.set(namespaceId, { tokens: isAllowed ? tokens - 1 : tokens, filled: now });
    const oldest = this.buckets.size > MAX_REMEMBERED ? this.buckets.keys().next().value : undefined;
    if (oldest !== undefined) this.buckets.delete(oldest);
    return isAllowed ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000);
  }
}
