import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivate } from './disk/private-file.ts';

/** Keeps a reference to each lock: garbage collection of a lock would release it. */
const held = new Set<DatabaseSync>();

/**
 * Locks a folder for this process until it is released or the process ends for any reason: it is a lock of the
 * operating system on a file that remains.
 * @throws Error when this or another process has the lock.
 */
export function lockFolder(folder: string): { release(): void } {
  const file = join(folder, 'lock');
  // Closing a file that this process has locked would release the lock.
  if (!existsSync(file)) makePrivate(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    // A journal in a file would need room of the disk.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new Error(`the data folder ${folder} is in use by another Weft; stop that one, or choose another folder`, {
      cause: error,
    });
  }
  held.add(lock);
  const release = () => {
    held.delete(lock);
    lock.close();
  };
  return { release };
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
