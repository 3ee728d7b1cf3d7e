import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
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

/** The file that a restore makes before all others, and that becomes the database at its end. */
export const RESTORE_DRAFT = `${DATABASE_FILE}.part`;

function checkRestored(path: string): void {
  const draft = join(path, RESTORE_DRAFT);
  if (!existsSync(draft)) return;
  throw new Error(
    `${draft} is of a restore that did not end: repeat it (weft restore BACKUP --data ${path}), or remove the folder`,
  );
}

/** Sets the mode of the files of a folder to 0600. */
function makeFilesPrivate(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile()) chmodSync(join(folder, entry.name), 0o600);
  }
}

/**
 * Opens or creates the data folder and locks it. Sets its mode to 0700 and that of its files to 0600, also in an existing
 * folder.
 * @throws Error when another process has it, when it cannot be written, or when a restore into it did not end.
 */
export function openDataFolder(path: string, { isRestore = false } = {}): DataFolder {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
    makeFilesPrivate(path);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`the data folder ${path} cannot be used: ${message}`, { cause });
  }
  const { release } = lockFolder(path);
  try {
    if (!isRestore) checkRestored(path);
  } catch (error) {
    release();
    throw error;
  }
  return { path, file: join(path, DATABASE_FILE), release };
}
