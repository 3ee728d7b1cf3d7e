/** A call of the steps function at a time. */
export interface Timer {
  /** Unique in the installation, at most 64 characters of [A-Za-z0-9_.-]. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The input of the function; a few kilobytes as JSON. */
  readonly input: object;
}

/** Calls the steps function at a time, once per timer. There is no cancellation: the input identifies its purpose. */
export interface Timers {
  /**
   * Sets a timer; one that was set under this name stays as it is. The function is called at least once, never before the
   * time, and up to two minutes after it. Returns false when the quota of timers is exhausted: then no timer was set.
   */
  set(timer: Timer): Promise<boolean>;
}
