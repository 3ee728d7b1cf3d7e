import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** By how much a lowered thread is nicer: it gets a tenth of a processor that it shares with an ordinary thread. */
const STEP = 10;

/** The id by which the system knows the present thread; undefined on a system without it: Linux has it. */
export function presentThreadId(): number | undefined {
  try {
    const id = Number(/\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))?.[1]);
    return Number.isNaN(id) ? undefined : id;
  } catch {
    return undefined;
  }
}

/** Changes a priority. Returns the one before; undefined if the system does not allow it or the thread has ended. */
function change(threadId: number, toNext: (before: number) => number): number | undefined {
  try {
    const before = getPriority(threadId);
    setPriority(threadId, toNext(before));
    return before;
  } catch {
    return undefined;
  }
}

/**
 * Lowers the priority of a thread: it gets the processors when others do not need them. Returns a function that restores
 * it, and returns false if it could not: most users of Linux may only lower priorities.
 */
export function lowerPriority(threadId: number): () => boolean {
  const before = change(threadId, (now) => Math.min(now + STEP, constants.priority.PRIORITY_LOW));
  return () => before === undefined || change(threadId, () => before) !== undefined;
}
