import type { DatabaseSync } from 'node:sqlite';

/** Pages that one call returns; it takes some ten milliseconds. */
const PAGES = 2000;

/**
 * Returns free pages of the database, and then its log, to a full disk: what deletions have freed becomes room of the disk.
 * Must be called outside of a transaction. Throws the error of SQLite.
 */
export function shrink(connection: DatabaseSync): void {
  const free = Number(connection.prepare('PRAGMA freelist_count').get()?.['freelist_count']);
  if (free === 0) return;
  connection.exec(`PRAGMA incremental_vacuum(${PAGES}); PRAGMA wal_checkpoint(TRUNCATE)`);
}
