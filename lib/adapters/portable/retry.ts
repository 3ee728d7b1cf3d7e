/** Waits. */
export type Sleep = (milliseconds: number) => Promise<unknown>;

/** Which errors are retried, and how often. */
export interface RetryOptions {
  readonly isTransient: (error: unknown) => boolean;
  readonly maxAttempts: number;
  /** The middle of the first delay; it doubles with each attempt. */
  readonly firstDelayMs: number;
  readonly maxDelayMs?: number;
  /** Waits; by the timer of the system if not given. */
  readonly sleep?: Sleep;
}

/** Waits by the timer of the system. */
export const systemSleep: Sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The delay before the attempt after number `attempt`, from 1: exponential backoff with 50 % jitter, milliseconds. */
export function backoffMs(attempt: number, firstDelayMs: number, maxDelayMs = Number.POSITIVE_INFINITY): number {
  return (Math.random() + 0.5) * Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1));
}

/** Runs `work` until it succeeds. Throws its error when that is not transient, and after the last attempt. */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { isTransient, maxAttempts, firstDelayMs, maxDelayMs, sleep = systemSleep } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || attempt >= maxAttempts) throw error;
    }
    await sleep(backoffMs(attempt, firstDelayMs, maxDelayMs));
  }
}
