import { DatabaseSync } from 'node:sqlite';
import { makePrivate } from './disk/private-file.ts';
import type { Reserve } from './disk/reserve.ts';
import { damageError, isDamage, isFull } from './disk/storage-error.ts';

/** The name of a database without a file. */
export const IN_MEMORY = ':memory:';

/** The size of the log at which a checkpoint runs, pages: half of the reserve, so that a full disk has room for it. */
const CHECKPOINT_PAGES = 2000;
const PAGE_BYTES = 4096;
const RESERVE_PART = 2;
/** The log file is cut to this size after a checkpoint, bytes. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
/** Milliseconds to wait for the lock of another process that copies the file. */
const PATIENCE_MS = 5000;
/** The version of the tables in the file. Items have a schema version of their own (lib/domain/migrations). */
export const FORMAT = 1;

// A changed page stays in memory until the commit, so only the commit can find the disk full. SQLite does not flush the log
// at a commit: LogSync does.
const pragmas = (checkpointPages: number): string => `
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_spill = OFF;
  PRAGMA temp_store = MEMORY;
  PRAGMA wal_autocheckpoint = ${checkpointPages};
  PRAGMA journal_size_limit = ${MAX_LOG_BYTES};
`;

export interface Opened {
  readonly connection: DatabaseSync;
  /** There was no such file. */
  readonly isNew: boolean;
}

/**
 * Opens or makes a database file with a write-ahead log, which exists from here on.
 * @throws Error when the file is no database, cannot be read and written, or is of a newer version.
 */
export function openConnection(file: string, checkpointPages = CHECKPOINT_PAGES): Opened {
  if (file !== IN_MEMORY) makePrivate(file);
  const connection = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    connection.exec(pragmas(checkpointPages));
    const format = Number(connection.prepare('PRAGMA user_version').get()?.['user_version']);
    if (format > FORMAT) {
      throw new Error(`${file} was written by a newer version of Weft; use that version, or a newer one`);
    }
    connection.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${FORMAT}; COMMIT`);
    return { connection, isNew: format === 0 };
  } catch (error) {
    connection.close();
    throw isDamage(error) ? damageError(file, error) : error;
  }
}

/** As `openConnection`. Where the disk is full, it gives space of the reserve back. */
export function openWithin(file: string, reserve?: Pick<Reserve, 'release' | 'wholeBytes'>): Opened {
  const pages = Math.floor((reserve?.wholeBytes ?? Number.POSITIVE_INFINITY) / RESERVE_PART / PAGE_BYTES);
  for (;;) {
    try {
      return openConnection(file, Math.min(pages, CHECKPOINT_PAGES));
    } catch (error) {
      if (!isFull(error) || reserve?.release() !== true) throw error;
    }
  }
}
