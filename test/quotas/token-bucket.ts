/** A token bucket, with which AWS limits the requests of an account. */
export class TokenBucket {
  readonly #size: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #tokens: number;
  #at: number;

  /** `now` in milliseconds. */
  constructor(size: number, perSecond: number, now: () => number) {
    this.#size = size;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#tokens = size;
    this.#at = now();
  }

  /** Takes a token; false if there is none. */
  take(): boolean {
    const now = this.#now();
    this.#tokens = Math.min(this.#size, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
