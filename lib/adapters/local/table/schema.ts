import type { TableName } from '../../../ports/table.ts';
import { tableSchemas } from '../../portable/schema.ts';

/** The name of the SQLite table of a table, or of one of its indexes. */
export const rowsOf = (table: TableName, index?: string): string =>
  index === undefined ? `"${table}"` : `"${table}.${index}"`;

const TABLES = Object.keys(tableSchemas) as TableName[];

/** The tables of items, and the table of the definitions of existing indexes. */
export const SCHEMA = [
  ...TABLES.map(
    (table) => `CREATE TABLE IF NOT EXISTS ${rowsOf(table)} (
    pk TEXT NOT NULL, sk TEXT NOT NULL, text TEXT NOT NULL, bytes TEXT, ttl REAL, PRIMARY KEY (pk, sk)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS "${table}.ttl" ON ${rowsOf(table)} (ttl) WHERE ttl IS NOT NULL;`,
  ),
  'CREATE TABLE IF NOT EXISTS indexes (name TEXT PRIMARY KEY, definition TEXT NOT NULL) STRICT, WITHOUT ROWID;',
].join('\n');

/** The table of projected items of an index. */
export const indexSchema = (rows: string): string => `CREATE TABLE ${rows} (
  hash TEXT NOT NULL, range TEXT NOT NULL, pk TEXT NOT NULL, sk TEXT NOT NULL, text TEXT NOT NULL, bytes TEXT,
  PRIMARY KEY (hash, range, pk, sk)
) STRICT, WITHOUT ROWID;`;
