import { watch } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Editors write a file in several steps: changes within this time are one change. */
const DEBOUNCE_MS = 150;

/** Yields once after each burst of changes, until the signal is aborted. */
export async function* watchChanges(path: string, signal: AbortSignal): AsyncGenerator<void> {
  let wake: () => void = () => undefined;
  let hasChanged = false;
  const watcher = watch(path, { recursive: true, signal }, () => {
    hasChanged = true;
    wake();
  });
  watcher.on('error', () => wake());
  signal.addEventListener('abort', () => wake(), { once: true });
  while (!signal.aborted) {
    if (!hasChanged) await new Promise<void>((resolve) => (wake = resolve));
    while (hasChanged && !signal.aborted) {
      hasChanged = false;
      await setTimeout(DEBOUNCE_MS);
    }
    if (!signal.aborted) yield;
  }
}
