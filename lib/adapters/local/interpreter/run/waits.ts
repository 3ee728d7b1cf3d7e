import type { Activity } from '../../concurrency/activity.ts';
import type { Timers } from '../../concurrency/timers.ts';
import type { Thread } from '../context/thread.ts';

/** The times and task tokens for which threads wait. */
export class Waits {
  readonly #timers: Timers;
  readonly #activity: Activity;
  readonly #byToken = new Map<string, Thread>();
  /** Ends the activity of threads that wait for a retry. */
  readonly #retries = new Map<Thread, () => void>();

  constructor(timers: Timers, activity: Activity) {
    this.#timers = timers;
    this.#activity = activity;
  }

  /** Calls `ring` at `due` (milliseconds since 1970), unless the thread is released before. */
  until(thread: Thread, due: number, ring: () => void): void {
    thread.alarm = this.#timers.at(due, ring);
  }

  /** The same for a retry, which counts as activity while it is pending. */
  untilRetry(thread: Thread, due: number, ring: () => void): void {
    this.#retries.set(thread, this.#activity.begin());
    this.until(thread, due, () => {
      ring();
      this.release(thread);
    });
  }

  /** Registers the thread's task token, if it has one. */
  register(thread: Thread): void {
    const { token } = thread.details;
    if (token !== undefined) this.#byToken.set(token, thread);
  }

  /** The thread that waits for the task token. */
  find(token: string): Thread | undefined {
    return this.#byToken.get(token);
  }

  /** Ends all waits of the thread. */
  release(thread: Thread): void {
    const { token } = thread.details;
    if (token !== undefined) this.#byToken.delete(token);
    thread.alarm?.cancel();
    thread.alarm = undefined;
    thread.call = undefined;
    this.#retries.get(thread)?.();
    this.#retries.delete(thread);
  }

  /** Ends the activity of all pending retries, and forgets all tokens. */
  close(): void {
    for (const done of this.#retries.values()) done();
    this.#retries.clear();
    this.#byToken.clear();
  }
}
