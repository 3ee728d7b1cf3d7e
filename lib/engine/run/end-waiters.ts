/**
 * The callbacks of this process that wait for a run to end, by the id of the run. They only save time: the step that ends
 * the run may be in another process, so every waiter also polls the run.
 */
const waiters = new Map<string, Set<() => void>>();

/** Resolves the waits for the end of a run in this process. */
export function notifyEnd(run: string): void {
  for (const notify of waiters.get(run) ?? []) notify();
}

/** Resolves when `notifyEnd` is called for the run in this process, or after `ms` milliseconds. */
export function waitForEnd(run: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const notify = () => {
      clearTimeout(timer);
      const others = waiters.get(run);
      others?.delete(notify);
      if (others?.size === 0) waiters.delete(run);
      resolve();
    };
    const timer = setTimeout(notify, ms);
    const all = waiters.get(run) ?? new Set();
    waiters.set(run, all.add(notify));
  });
}
