import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { type Mark, newestIn, readMark } from './commit-mark.ts';
import { damageError, isDamage } from './storage-error.ts';

/** The number of the newest commit in the file alone, without its log. */
function newestWithoutLog(file: string): number {
  const place = pathToFileURL(file);
  place.searchParams.set('immutable', '1');
  const connection = new DatabaseSync(place, { readOnly: true });
  try {
    return newestIn(connection).number;
  } finally {
    connection.close();
  }
}

/**
 * Throws the error of a damaged file where the commits that are left do not fit together: the file may have newer pages than
 * a log whose end is missing.
 */
function checkRest(connection: DatabaseSync, file: string, rest: Mark): void {
  const problem = String(connection.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']);
  if (problem !== 'ok') throw damageError(file, new Error(problem));
  if (newestWithoutLog(file) > rest.number) throw damageError(file, new Error('its log is older than the file'));
}

const timeText = (time: number): string => `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

function lossText(file: string, rest: Mark, mark: Mark): string {
  const count = mark.number - rest.number;
  const what = count === 1 ? '1 commit is missing, which was' : `${count} commits are missing, which were`;
  const since = rest.number === 0 ? 'up to' : `after ${timeText(rest.time)}, up to`;
  return (
    `${file} has lost data: ${what} stored ${since} ${timeText(mark.time)}, and acknowledged. Its log was damaged, ` +
    'removed or replaced while Weft did not run. Weft continues with the rest; a backup of that time may have more'
  );
}

/** The newest commit of a file with its log, which has as many as the mark, or else is whole. */
function checkedNewest(file: string, mark: Mark): Mark {
  // A connection that only reads changes nothing, so that a damaged file stays as it is.
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    const newest = newestIn(connection);
    if (mark.number > newest.number) checkRest(connection, file, newest);
    return newest;
  } finally {
    connection.close();
  }
}

/** What to report of a file that cannot be opened: its damage, or nothing where the opening for writes gives the reason. */
function unopened(file: string, mark: Mark, error: unknown): Mark {
  if (isDamage(error)) throw damageError(file, error);
  if (!('errcode' in (error as object))) throw error;
  return mark;
}

function newestOf(file: string, mark: Mark): Mark {
  if (!existsSync(file)) return { number: 0, time: 0 };
  try {
    return checkedNewest(file, mark);
  } catch (error) {
    return unopened(file, mark, error);
  }
}

/**
 * Prints how many commits a database file lacks, by its mark, before the file is opened. Throws Error when the commits that
 * are left are damaged.
 */
export function reportLoss(file: string): void {
  const mark = readMark(file);
  if (mark === undefined) return;
  const newest = newestOf(file, mark);
  if (mark.number > newest.number) console.error(lossText(file, newest, mark));
}
