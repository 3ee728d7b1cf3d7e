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
 * The attributes of an index by which lists are filtered. They are columns of an SQLite index beside its keys, so that a
 * filter reads neither the items nor their text.
 */
const SEARCHED: Readonly<Record<string, readonly string[]>> = {
  [rowsOf('runs', 'by-namespace')]: ['status', 'as', 'invoker', 'wf', 'code'],
};

/** The searched attributes of an index. */
export const searchedIn = (rows: string): readonly string[] => SEARCHED[rows] ?? [];

/** The name of the SQLite index with the searched attributes of an index. */
export const searchOf = (rows: string): string => `${rows.slice(0, -1)}.search"`;

const extracted = (attribute: string): string => `json_extract(text, '$."${attribute}"')`;

/** The text of an attribute in a row; null for one that is not a text. */
const textOf = (attribute: string): string =>
  `CASE WHEN typeof(${extracted(attribute)}) = 'text' THEN ${extracted(attribute)} END`;

/** The text of an attribute in a row, as a query names it. */
export const attributeIn = (rows: string, attribute: string): string =>
  searchedIn(rows).includes(attribute) ? `"${attribute}"` : `(${textOf(attribute)})`;

/** The table of projected items of an index. Its last columns are the searched attributes. */
export function indexSchema(rows: string): string {
  const searched = searchedIn(rows);
  // Not generated columns: SQLite reads the row for those, even if the search index has them.
  const columns = searched.map((name) => `, "${name}" TEXT`).join('');
  const search = `CREATE INDEX ${searchOf(rows)} ON ${rows} (hash, range, pk, sk${searched.map((name) => `, "${name}"`).join('')});`;
  return `CREATE TABLE ${rows} (
  hash TEXT NOT NULL, range TEXT NOT NULL, pk TEXT NOT NULL, sk TEXT NOT NULL, text TEXT NOT NULL, bytes TEXT${columns},
  PRIMARY KEY (hash, range, pk, sk)
) STRICT, WITHOUT ROWID; ${searched.length === 0 ? '' : search}`;
}
