/**
 * The callbacks of this process that wait for a change with a key. They only save time: the change may happen in
 * another process, so every waiter also polls.
 */
export class Waiters {
  private readonly callbacks = new Map<string, Set<(isNotified: boolean) => void>>();

  /** Resolves the waits for the key in this process. */
  notify(key: string): void {
    for (const notify of this.callbacks.get(key) ?? []) notify(true);
  }

  /** Resolves the oldest wait for the key in this process; false if there is none. */
  notifyOne(key: string): boolean {
    const [oldest] = this.callbacks.get(key) ?? [];
    oldest?.(true);
    return oldest !== undefined;
  }

  /** Resolves with true when it is notified in this process, and with false after `ms` milliseconds. */
  wait(key: string, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const notify = (isNotified: boolean) => {
        clearTimeout(timer);
        const others = this.callbacks.get(key);
        others?.delete(notify);
        if (others?.size === 0) this.callbacks.delete(key);
        resolve(isNotified);
      };
      const timer = setTimeout(() => notify(false), ms);
      const all = this.callbacks.get(key) ?? new Set();
      this.callbacks.set(key, all.add(notify));
    });
  }
}

/** The waits for the ends of runs, by the ids of the runs. The step that ends a run may be in another process. */
const waiters = new Waiters();

/** Resolves the waits for the end of a run in this process. */
export const notifyEnd = (run: string): void => waiters.notify(run);

/** Resolves with true when `notifyEnd` is called for the run in this process, with false after `ms` milliseconds. */
export const waitForEnd = (run: string, ms: number): Promise<boolean> => waiters.wait(run, ms);
