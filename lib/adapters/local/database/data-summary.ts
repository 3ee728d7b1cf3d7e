import { existsSync, statSync } from 'node:fs';
import type { LocalDatabase } from './database.ts';

/** The size and the age of the data of a service. */
export interface DataSummary {
  /** The data folder. */
  readonly folder: string;
  /** The bytes of the database file and its log. */
  readonly bytes: number;
  /** When the database was created, milliseconds since 1970. A restored backup keeps this time. */
  readonly created: number;
}

const SCHEMA = 'CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID';

function createdAt(database: LocalDatabase, now: number): number {
  database.define(SCHEMA);
  const found = database.statement("SELECT value FROM about WHERE name = 'created'").get();
  if (found !== undefined) return Number(found['value']);
  const note = database.statement("INSERT INTO about VALUES ('created', ?)");
  database.write(() => note.run(String(now)));
  return now;
}

const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);

/** The bytes of a database file and its log. */
export const databaseSize = (file: string): number => sizeOf(file) + sizeOf(`${file}-wal`);

/** The size and the age of a database at `file` in `path`. A new database notes `now` as the time of its creation. */
export function summarize(
  database: LocalDatabase,
  { path, file }: { readonly path: string; readonly file: string },
  now: number,
): DataSummary {
  const created = createdAt(database, now);
  return { folder: path, bytes: databaseSize(file), created };
}

const UNITS = ['kB', 'MB', 'GB', 'TB'];
const DAY_MS = 86_400_000;

/** `12.3 MB`: three digits at most before the unit. */
function sizeText(bytes: number): string {
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 999.5 && unit < UNITS.length - 1; unit += 1) value /= 1000;
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** `/srv/weft, 12.3 MB, created on 2026-11-22 (3 days ago)`; the date is that of UTC. */
export function summaryText({ folder, bytes, created }: DataSummary, now: number): string {
  const days = Math.max(0, Math.floor((now - created) / DAY_MS));
  const age = days === 0 ? 'less than a day ago' : `${days} ${days === 1 ? 'day' : 'days'} ago`;
  return `${folder}, ${sizeText(bytes)}, created on ${new Date(created).toISOString().slice(0, 10)} (${age})`;
}
