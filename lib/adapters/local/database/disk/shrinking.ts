import type { DatabaseSync } from 'node:sqlite';
import { isFull } from './storage-error.ts';

/** Pages that one call returns; it takes some ten milliseconds. */
const PAGES = 2000;

/** Copies the log into the database and empties it, as far as no process reads it: the service does not stand still for a backup. */
function cutLog(connection: DatabaseSync): void {
  const patience = connection.prepare('PRAGMA busy_timeout').get()?.['timeout'];
  connection.exec('PRAGMA busy_timeout = 0');
  try {
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${patience}`);
  }
}

/**
 * Returns free pages of the database, and then its log, to a full disk: what deletions have freed becomes room of the disk.
 * Must be called outside of a transaction. Throws the error of SQLite.
 */
export function shrink(connection: DatabaseSync): void {
  const free = Number(connection.prepare('PRAGMA freelist_count').get()?.['freelist_count']);
  if (free === 0) return;
  connection.exec(`PRAGMA incremental_vacuum(${PAGES})`);
  cutLog(connection);
}

/**
 * Copies the log into the database and returns its space to a full disk, unless the disk has no room for the pages by which the
 * database grows. Must be called outside of a transaction. Throws any other error of SQLite.
 */
export function emptyLog(connection: DatabaseSync): void {
  try {
    cutLog(connection);
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}
