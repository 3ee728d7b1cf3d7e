import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type FSWatcher, watch } from 'chokidar';

/** Editors write a file in several steps: changes within this time are one change. */
const DEBOUNCE_MS = 150;

/** Hidden folders and installed packages, except the hidden files that change what is read. */
const IS_UNWATCHED = /(^|[\\/])(node_modules|\.(?!(weft|direktiv)(\.yaml|ignore)$))/;

/**
 * Watches a path until the signal is aborted, except in hidden folders and node_modules: resolves when each later change is
 * noticed, with a generator that yields once after each burst of changes. chokidar also notices a file that was replaced by
 * another of its name, as many editors and Git save; `watch` of Node 24 follows the old file.
 */
export async function watchChanges(path: string, signal: AbortSignal): Promise<AsyncGenerator<void>> {
  // A service that runs here writes into .weft all the time.
  const root = await realpath(path);
  const ignored = (file: string) => IS_UNWATCHED.test(relative(root, file));
  // Readers of folders follow no links either.
  const watcher = watch(root, { ignored, ignoreInitial: true, followSymlinks: false });
  const bursts = new Bursts(watcher, signal);
  await once(watcher, 'ready', { signal }).catch(() => undefined);
  return bursts.each();
}

/** The changes that a watcher notices. */
class Bursts {
  readonly #watcher: FSWatcher;
  readonly #signal: AbortSignal;
  #hasChanged = false;
  #wake: () => void = () => undefined;

  constructor(watcher: FSWatcher, signal: AbortSignal) {
    this.#watcher = watcher;
    this.#signal = signal;
    const wake = () => this.#wake();
    watcher.on('error', wake).on('all', () => {
      this.#hasChanged = true;
      wake();
    });
    signal.addEventListener(
      'abort',
      () => {
        wake();
        void watcher.close();
      },
      { once: true },
    );
  }

  async *each(): AsyncGenerator<void> {
    try {
      while (!this.#signal.aborted) {
        if (!this.#hasChanged) await new Promise<void>((resolve) => (this.#wake = resolve));
        while (this.#hasChanged && !this.#signal.aborted) {
          this.#hasChanged = false;
          await setTimeout(DEBOUNCE_MS);
        }
        if (!this.#signal.aborted) yield;
      }
    } finally {
      await this.#watcher.close();
    }
  }
}
