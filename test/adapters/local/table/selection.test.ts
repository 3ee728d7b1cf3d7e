import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { indexSchema, rowsOf, SCHEMA } from '../../../../lib/adapters/local/table/schema.ts';
import { selectedOf, selectionOf, selectionPartsOf } from '../../../../lib/adapters/local/table/selection.ts';
import { rangeOf } from '../../../../lib/adapters/portable/pages.ts';
import { keysOf, tableSchemas } from '../../../../lib/adapters/portable/schema.ts';
import type { Query, TableName } from '../../../../lib/ports/table.ts';

type Indexed = Pick<Query, 'table' | 'index'>;

const TABLES: readonly Indexed[] = Object.entries(tableSchemas).flatMap(([name, { indexes }]) => {
  const table = name as TableName;
  return [{ table }, ...Object.keys(indexes).map((index) => ({ table, index }))];
});

const RANGES: readonly Partial<Query>[] = [{}, { from: 'a', to: 'c' }, { prefix: 'b' }];

function openTables(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(SCHEMA);
  for (const { table, index } of TABLES) if (index !== undefined) database.exec(indexSchema(rowsOf(table, index)));
  return database;
}

/** How SQLite finds the rows of a query, after a cursor if `isFollowing`. */
function planOf(database: DatabaseSync, query: Query, isFollowing: boolean): string {
  const { range } = keysOf(query.table, query.index);
  const place = isFollowing ? new Map([range, 'pk', 'sk'].map((name) => [name, 'b'])) : undefined;
  const { from, values } = selectionOf(query, rangeOf(query) ?? {}, place);
  const { order } = selectionPartsOf(query);
  const text = query.count ? `SELECT 1 ${from}` : `SELECT ${selectedOf(query)} ${from} ${order}`;
  const lines = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
  return lines.map(({ detail }) => String(detail)).join('\n');
}

const FORMS = TABLES.flatMap((table) =>
  RANGES.flatMap((range) =>
    [false, true].flatMap((descending) => [false, true].map((count) => ({ ...table, ...range, descending, count }))),
  ),
);

test.each(FORMS)('the first page of %o reads its partition in its order', (form) => {
  const plan = planOf(openTables(), { ...form, pk: 'p' }, false);
  expect(plan).toMatch(/^SEARCH found USING .*\((pk|hash)=\?/);
  expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
});

test.each(FORMS)('a further page of %o reads no row before its cursor', (form) => {
  const plan = planOf(openTables(), { ...form, pk: 'p' }, true);
  const cursor = form.index === undefined ? 'sk' : '(range,pk,sk)';
  expect(plan).toContain(`${cursor}${form.descending ? '<' : '>'}`);
  expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
});
