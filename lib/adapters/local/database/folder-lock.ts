import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivate } from './connection.ts';

/** What nobody refers to is collected, and gives up its lock. */
const held = new Set<DatabaseSync>();

/**
 * Holds a folder for this process alone until it is released or the process ends, however it ends: the lock is the
 * operating system's, on a file that stays.
 * @throws Error when another holder, in this process or any other, has it.
 */
export function lockFolder(folder: string): { release(): void } {
  const file = join(folder, 'lock');
  // Closing a file that this process has locked would give up the lock.
  if (!existsSync(file)) makePrivate(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
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
