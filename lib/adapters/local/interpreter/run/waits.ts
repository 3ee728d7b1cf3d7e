import type { Activity } from '../../concurrency/activity.ts';
import type { Timers } from '../../concurrency/timers.ts';
import type { Thread } from '../context/thread.ts';

/** What threads wait for outside: times and answers. */
export class Waits {
  readonly #timers: Timers;
  readonly #activity: Activity;
  readonly #tokens = new Map<string, Thread>();
  readonly #pauses = new Map<Thread, () => void>();

  constructor(timers: Timers, activity: Activity) {
    this.#timers = timers;
    this.#activity = activity;
  }

  /** Rings at the time `due`, unless the thread is released before. */
  until(thread: Thread, due: number, ring: () => void): void {
    thread.alarm = this.#timers.at(due, ring);
  }

  /** The same, and the pause counts as work. */
  pause(thread: Thread, due: number, ring: () => void): void {
    this.#pauses.set(thread, this.#activity.begin());
    this.until(thread, due, () => {
      ring();
      this.release(thread);
    });
  }

  /** The thread's token is known from now on, if it has one. */
  expect(thread: Thread): void {
    const { token } = thread.details;
    if (token !== undefined) this.#tokens.set(token, thread);
  }

  /** Who waits for the token. */
  find(token: string): Thread | undefined {
    return this.#tokens.get(token);
  }

  /** Nothing that the thread waited for matters any more. */
  release(thread: Thread): void {
    const { token } = thread.details;
    if (token !== undefined) this.#tokens.delete(token);
    thread.alarm?.cancel();
    thread.alarm = undefined;
    thread.call = undefined;
    this.#pauses.get(thread)?.();
    this.#pauses.delete(thread);
  }

  close(): void {
    for (const resume of this.#pauses.values()) resume();
    this.#pauses.clear();
    this.#tokens.clear();
  }
}
