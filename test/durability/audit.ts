import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE } from '../../lib/adapters/local/database/data-folder.ts';
import { toItem } from '../../lib/adapters/local/table/items.ts';
import { indexRow, storedIn } from '../../lib/adapters/local/table/rows.ts';
import { rowsOf, searchedIn } from '../../lib/adapters/local/table/schema.ts';
import { type IndexSchema, tableSchemas } from '../../lib/adapters/portable/schema.ts';
import type { Item, TableName } from '../../lib/ports/table.ts';

const TABLES = Object.keys(tableSchemas) as TableName[];

/** Rows that belong together and are written in one transaction: none may be without the other. */
const ORPHANS = {
  'a blob without all its parts': `SELECT key AS row FROM blobs b WHERE (SELECT count(*) FROM blob_parts p
    WHERE p.content = b.content) <> (SELECT coalesce(max(part), -1) + 1 FROM blob_parts p WHERE p.content = b.content)`,
  'a thread without its execution': `SELECT execution AS row FROM threads WHERE execution NOT IN
    (SELECT id FROM executions WHERE ended IS NULL)`,
  'an execution without threads': `SELECT name AS row FROM executions WHERE ended IS NULL AND id NOT IN
    (SELECT execution FROM threads)`,
  'an execution without its machine': `SELECT name AS row FROM executions WHERE handle NOT IN
    (SELECT handle FROM machines)`,
} as const;

function itemsOf(database: DatabaseSync, table: TableName): Item[] {
  const rows = database.prepare(`SELECT pk, sk, text, bytes FROM ${rowsOf(table)}`).all();
  return rows.map((row) => toItem(String(row['pk']), String(row['sk']), storedIn(row)));
}

/** Compares an index with the items of its table. */
function wrongRows(database: DatabaseSync, table: TableName, items: readonly Item[]): string[] {
  return Object.entries<IndexSchema>(tableSchemas[table].indexes).flatMap(([name, schema]) => {
    const wanted = items.flatMap((item) => {
      const row = indexRow(schema, searchedIn(rowsOf(table, name)), item);
      return row === undefined ? [] : [JSON.stringify([row.hash, row.range, item.pk, item.sk, ...row.columns])];
    });
    const rows = database.prepare(`SELECT * FROM ${rowsOf(table, name)}`).all();
    const found = new Set(rows.map((row) => JSON.stringify(Object.values(row))));
    const missing = wanted.filter((row) => !found.delete(row)).map((row) => `the index ${name} lacks ${row}`);
    return [...missing, ...[...found].map((row) => `the index ${name} has no item for ${row}`)];
  });
}

/** The keys of the blobs that an item refers to. */
const blobsIn = (item: Item): string[] =>
  Object.values(item).flatMap((value) =>
    typeof value === 'object' && value !== null && 'blob' in value ? [String(value.blob)] : [],
  );

function missingBlobs(database: DatabaseSync, items: readonly Item[]): string[] {
  const find = database.prepare('SELECT 1 FROM blobs WHERE key = ?');
  const keys = items.flatMap(blobsIn).filter((key) => find.get(key) === undefined);
  return keys.map((key) => `an item refers to the blob ${key}, which is missing`);
}

function wrongIn(database: DatabaseSync): string[] {
  const pages = database.prepare('PRAGMA integrity_check').all();
  const broken = pages.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok');
  const orphans = Object.entries(ORPHANS).flatMap(([what, text]) =>
    database
      .prepare(text)
      .all()
      .map(({ row }) => `${what}: ${row}`),
  );
  const items = TABLES.map((table) => ({ table, items: itemsOf(database, table) }));
  const indexes = items.flatMap((one) => wrongRows(database, one.table, one.items));
  return [...broken, ...orphans, ...indexes, ...items.flatMap((one) => missingBlobs(database, one.items))];
}

/**
 * Checks a database that no process uses, without changing it: its pages, its indexes, and rows that belong together.
 * Returns the violations.
 */
export function auditOf(folder: string): string[] {
  // A connection that only reads makes no checkpoint when it closes.
  const database = new DatabaseSync(join(folder, DATABASE_FILE), { readOnly: true });
  try {
    return wrongIn(database);
  } catch (error) {
    return [`the database cannot be read: ${error instanceof Error ? error.message : error}`];
  } finally {
    database.close();
  }
}
