/**
 * Who waits in this process for a run to end. It only saves time: whoever waits also looks at the run itself, since
 * the step that ends it may be in another process.
 */
const waiting = new Map<string, Set<() => void>>();

export function announce(instance: string): void {
  for (const wake of waiting.get(instance) ?? []) wake();
}

/** Resolves when the run's end is announced here, or after `ms`. */
export function heard(instance: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      const others = waiting.get(instance);
      others?.delete(wake);
      if (others?.size === 0) waiting.delete(instance);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    const all = waiting.get(instance) ?? new Set();
    waiting.set(instance, all.add(wake));
  });
}
