/**
 * The callbacks of this process that wait for something with a key. They only save time: what is waited for may happen in
 * another process, so every waiter also polls.
 */
export class Waiters {
  private readonly callbacks = new Map<string, Set<() => void>>();

  /** Resolves the waits for the key in this process. */
  notify(key: string): void {
    for (const notify of this.callbacks.get(key) ?? []) notify();
  }

  /** Resolves when `notify` is called with the key in this process, or after `ms` milliseconds. */
  wait(key: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const notify = () => {
        clearTimeout(timer);
        const others = this.callbacks.get(key);
        others?.delete(notify);
        if (others?.size === 0) this.callbacks.delete(key);
        resolve();
      };
      const timer = setTimeout(notify, ms);
      const all = this.callbacks.get(key) ?? new Set();
      this.callbacks.set(key, all.add(notify));
    });
  }
}

/** The waits for the ends of runs, by the ids of the runs. The step that ends a run may be in another process. */
const waiters = new Waiters();

/** Resolves the waits for the end of a run in this process. */
export const notifyEnd = (run: string): void => waiters.notify(run);

/** Resolves when `notifyEnd` is called for the run in this process, or after `ms` milliseconds. */
export const waitForEnd = (run: string, ms: number): Promise<void> => waiters.wait(run, ms);
