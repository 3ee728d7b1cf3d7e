import type { LocalDatabase } from './database.ts';

/** Free pages that stay in the file for the next writes: this number at least, and this part of the file. */
const SPARE_PAGES = 1000;
const SPARE_PART = 0.25;

const numberIn = (database: LocalDatabase, pragma: string): number =>
  Number(database.statement(`PRAGMA ${pragma}`).get()?.[pragma]);

/**
 * Returns at most `most` free pages of the file to the file system, if the file has many of them. Returns the number of
 * pages. Does nothing while the disk accepts no writes: moving pages needs room.
 */
export function compact(database: LocalDatabase, most: number): number {
  if (database.outage !== undefined) return 0;
  const free = numberIn(database, 'freelist_count');
  const surplus = free - Math.max(SPARE_PAGES, Math.ceil(numberIn(database, 'page_count') * SPARE_PART));
  const pages = Math.min(surplus, most);
  if (pages <= 0) return 0;
  database.define(`PRAGMA incremental_vacuum(${pages})`);
  return free - numberIn(database, 'freelist_count');
}
