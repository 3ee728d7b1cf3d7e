import type { Item, TableName } from '../../../ports/table.ts';
import { type IndexSchema, tableSchemas } from '../../portable/schema.ts';
import type { LocalDatabase } from '../database/database.ts';
import { toItem } from './items.ts';
import { indexPut, indexRow, storedIn } from './rows.ts';
import { indexSchema, rowsOf, searchedIn } from './schema.ts';

interface Wanted {
  readonly table: TableName;
  readonly name: string;
  readonly schema: IndexSchema;
}

const WANTED: readonly Wanted[] = Object.entries(tableSchemas).flatMap(([table, { indexes }]) =>
  Object.entries<IndexSchema>(indexes).map(([name, schema]) => ({ table: table as TableName, name, schema })),
);

/** The version of the form of rows in all indexes. */
const FORM = 2;

/** The texts that an index is made of: a change of any makes it again. */
const definitionOf = ({ table, name, schema: { hash, range, includes } }: Wanted): string => {
  const searched = searchedIn(rowsOf(table, name)).map((attribute) => `column ${attribute}`);
  return JSON.stringify([FORM, hash, range, ...(searched.length > 0 ? searched : includes)]);
};

/** How many items are put into an index by one commit: until then they are in memory. */
const FILLED_AT_ONCE = 5_000;

/** Puts every item of a table into its index. */
function fill(database: LocalDatabase, { table, name, schema }: Wanted): void {
  const items = database.statement(
    `SELECT pk, sk, text, bytes FROM ${rowsOf(table)} WHERE (pk, sk) > (?, ?) ORDER BY pk, sk LIMIT ${FILLED_AT_ONCE}`,
  );
  const put = database.statement(indexPut(rowsOf(table, name)));
  const searched = searchedIn(rowsOf(table, name));
  let last: Item | undefined;
  const fillSome = (): void => {
    for (const row of items.all(last?.pk ?? '', last?.sk ?? '')) {
      const item = toItem(String(row['pk']), String(row['sk']), storedIn(row));
      const index = indexRow(schema, searched, item);
      if (index !== undefined) put.run(index.hash, index.range, item.pk, item.sk, ...index.columns);
      last = item;
    }
  };
  for (let before: Item | undefined; ; before = last) {
    database.write(fillSome);
    database.commit();
    if (last === before) return;
  }
}

/**
 * Removes the indexes that are not in the schema or have another definition, and creates the missing ones over the existing
 * items. It can be interrupted anywhere and repeated.
 */
export function alignIndexes(database: LocalDatabase): void {
  const found = database.statement('SELECT name, definition FROM indexes').all();
  const known = new Map(found.map(({ name, definition }) => [String(name), String(definition)]));
  const wanted = new Map(WANTED.map((one) => [rowsOf(one.table, one.name), one]));
  const forget = database.statement('DELETE FROM indexes WHERE name = ?');
  for (const [rows, definition] of known) {
    const one = wanted.get(rows);
    if (one !== undefined && definitionOf(one) === definition) continue;
    database.write(() => forget.run(rows));
    database.define(`DROP TABLE IF EXISTS ${rows}`);
    known.delete(rows);
  }
  const note = database.statement('INSERT INTO indexes VALUES (?, ?)');
  for (const [rows, one] of wanted) {
    if (known.has(rows)) continue;
    database.define(`DROP TABLE IF EXISTS ${rows}; ${indexSchema(rows)}`);
    fill(database, one);
    database.write(() => note.run(rows, definitionOf(one)));
  }
}
