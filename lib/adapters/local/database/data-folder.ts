import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from './folder-lock.ts';

/** The folder of all data of the service, locked by this process. */
export interface DataFolder {
  readonly path: string;
  /** The database file. */
  readonly file: string;
  release(): void;
}

/** The name of the database file in a data folder. */
export const DATABASE_FILE = 'weft.db';

/** Sets the mode of the files of a folder to 0600. */
function makeFilesPrivate(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile()) chmodSync(join(folder, entry.name), 0o600);
  }
}

/**
 * Opens or creates the data folder and locks it. Sets its mode to 0700 and that of its files to 0600, also in an existing
 * folder.
 * @throws Error when another process has it, or when it cannot be written.
 */
export function openDataFolder(path: string): DataFolder {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
    makeFilesPrivate(path);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`the data folder ${path} cannot be used: ${message}`, { cause });
  }
  const { release } = lockFolder(path);
  return { path, file: join(path, DATABASE_FILE), release };
}
