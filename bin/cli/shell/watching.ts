import { watch } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Editors write a file in several steps: changes within this time are one change. */
const DEBOUNCE_MS = 150;

/** Hidden folders and installed packages, except the hidden files that change what is read. */
const IS_UNWATCHED = /(^|[\\/])(node_modules|\.(?!(weft|direktiv)(\.yaml|ignore)$))/;

/** Yields once after each burst of changes below a path, except in hidden folders and node_modules, until the signal is aborted. */
export async function* watchChanges(path: string, signal: AbortSignal): AsyncGenerator<void> {
  let wake: () => void = () => undefined;
  let hasChanged = false;
  const watcher = watch(path, { recursive: true, signal }, (_, name) => {
    // A service that runs here writes into .weft all the time.
    if (name !== null && IS_UNWATCHED.test(name)) return;
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
