import type { Terminal } from './terminal.ts';

/** The progress of work in parts. */
export interface Progress {
  /** A part is done. */
  step(): void;
  /** Removes the bar. */
  end(): void;
}

/** Shorter work shows no bar. */
const QUIET_MS = 1000;
const WIDTH = 24;

/** The text of a bar: `push  [######------------------]  10/40`; where the total is not known, `export  10`. */
export function barText(label: string, done: number, total?: number): string {
  if (total === undefined) return `${label}  ${done}`;
  const filled = total === 0 ? WIDTH : Math.round((WIDTH * Math.min(done, total)) / total);
  return `${label}  [${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}]  ${done}/${total}`;
}

/** A function that is called for each part once, however often the work announces it. */
export function onceForEach<T extends object>(call: (part: T) => void): (part: T) => void {
  const seen = new WeakSet<T>();
  return (part) => {
    if (seen.has(part)) return;
    seen.add(part);
    call(part);
  };
}

/**
 * Opens a progress bar, which is drawn once the work has taken a second. It draws nothing unless the standard error is a
 * terminal.
 */
export function openProgress({ drawStatus }: Pick<Terminal, 'drawStatus'>, label: string, total?: number): Progress {
  const begun = Date.now();
  let done = 0;
  let isDrawn = false;
  return {
    step: () => {
      done += 1;
      if (drawStatus === undefined || Date.now() - begun < QUIET_MS) return;
      isDrawn = true;
      drawStatus(barText(label, done, total));
    },
    end: () => {
      if (isDrawn) drawStatus?.('');
    },
  };
}
