import type { TableName } from '../../../ports/table.ts';
import { tableSchemas } from '../../portable/schema.ts';

/** The name of the SQLite table of a table, or of one of its indexes. */
export const rowsOf = (table: TableName, index?: string): string =>
  index === undefined ? `"${table}"` : `"${table}.${index}"`;

const TABLES = Object.keys(tableSchemas) as TableName[];

/**
 * The tables of items, and the table of the definitions of existing indexes. The tables of items have rowids: without them,
 * a row above 1 KB, such as a run, would take a page of its own.
 */
export const SCHEMA = [
  ...TABLES.map(
    (table) => `CREATE TABLE IF NOT EXISTS ${rowsOf(table)} (
    pk TEXT NOT NULL, sk TEXT NOT NULL, text TEXT NOT NULL, bytes TEXT, ttl REAL, PRIMARY KEY (pk, sk)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS "${table}.ttl" ON ${rowsOf(table)} (ttl) WHERE ttl IS NOT NULL;`,
  ),
  'CREATE TABLE IF NOT EXISTS indexes (name TEXT PRIMARY KEY, definition TEXT NOT NULL) STRICT, WITHOUT ROWID;',
].join('\n');

/**
 * The attributes of an index by which lists are filtered, all texts. They are its columns, so that a filter reads neither
 * the items nor their text. Such an index has no copies of items: it is small, and its lists read the items from their table.
 */
const SEARCHED: Readonly<Record<string, readonly string[]>> = {
  [rowsOf('runs', 'by-namespace')]: ['status', 'as', 'invoker', 'wf', 'code'],
};

/** The searched attributes of an index. */
export const searchedIn = (rows: string): readonly string[] => SEARCHED[rows] ?? [];

/** The text of an attribute of a row, as a query names it; null for one that is not a text. */
export function attributeColumn(rows: string, attribute: string): string {
  if (searchedIn(rows).includes(attribute)) return `found."${attribute}"`;
  const value = `json_extract(text, '$."${attribute}"')`;
  return `(CASE WHEN typeof(${value}) = 'text' THEN ${value} END)`;
}

/** The table of an index: with the searched attributes, or with projected items. */
export function indexSchema(rows: string): string {
  const searched = searchedIn(rows).map((name) => `"${name}" TEXT`);
  return `CREATE TABLE ${rows} (
  hash TEXT NOT NULL, range TEXT NOT NULL, pk TEXT NOT NULL, sk TEXT NOT NULL,
  ${searched.length === 0 ? 'text TEXT NOT NULL, bytes TEXT' : searched.join(', ')},
  PRIMARY KEY (hash, range, pk, sk)
) STRICT, WITHOUT ROWID;`;
}
