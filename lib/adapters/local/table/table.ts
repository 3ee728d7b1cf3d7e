import type { Inventory } from '../../../ports/inventory.ts';
import type { Page, Table, TableName } from '../../../ports/table.ts';
import { LocalDatabase } from '../database/database.ts';
import { type Expire, expiryOf } from './expiry.ts';
import { Generations } from './generations.ts';
import { alignIndexes } from './indexes.ts';
import { toItem } from './items.ts';
import { TableReader } from './reader.ts';
import { Rows, storedIn } from './rows.ts';
import { rowsOf, SCHEMA } from './schema.ts';
import { type AllRows, TableWriter } from './writer.ts';

/** For tests: short pages as DynamoDB can have them. */
export interface Trial {
  /** The maximum number of items of a page. */
  readonly pageSize?: number;
}

/** The tables of a database. */
export interface DatabaseTable {
  readonly table: Table;
  readonly inventory: Inventory;
  readonly expire: Expire;
}

export interface LocalTable extends DatabaseTable {
  close(): Promise<void>;
}

const INVENTORY_PAGE = 500;

const allRows = (database: LocalDatabase, generations: Generations): AllRows => ({
  catalog: new Rows(database, 'catalog', generations),
  runs: new Rows(database, 'runs', generations),
  journal: new Rows(database, 'journal', generations),
});

function inventoryOf(database: LocalDatabase): Inventory {
  const select = (table: TableName) =>
    database.statement(
      `SELECT pk, sk, text, bytes FROM ${rowsOf(table)} WHERE (pk, sk) > (?, ?) ORDER BY pk, sk LIMIT ${INVENTORY_PAGE}`,
    );
  const statements = { catalog: select('catalog'), runs: select('runs'), journal: select('journal') };
  return {
    async page(table, next): Promise<Page> {
      const [pk = '', sk = ''] = next === undefined ? [] : (JSON.parse(next) as string[]);
      const rows = statements[table].all(pk, sk);
      const items = rows.map((row) => toItem(String(row['pk']), String(row['sk']), storedIn(row)));
      const last = rows.length === INVENTORY_PAGE ? items.at(-1) : undefined;
      await database.accepted();
      const page = { items, count: items.length };
      return last === undefined ? page : { ...page, next: JSON.stringify([last.pk, last.sk]) };
    },
  };
}

/**
 * The tables in an SQLite file, with the behavior and the limits of DynamoDB. A call resolves as `LocalDatabase.accepted`
 * does.
 */
export function databaseTable(database: LocalDatabase, { pageSize }: Trial = {}): DatabaseTable {
  database.define(SCHEMA);
  alignIndexes(database);
  const generations = new Generations();
  const rows = allRows(database, generations);
  const writer = new TableWriter(rows);
  const reader = new TableReader(database, rows, pageSize ?? Number.POSITIVE_INFINITY);
  const read = async <T>(work: () => T): Promise<T> => {
    const result = work();
    await database.accepted();
    return result;
  };
  return {
    table: {
      get: (keys) => read(() => reader.get(keys)),
      query: (query) => read(() => reader.query(query)),
      write: (writes) => database.change(() => writer.write(writes)),
      generation: (table, pk) => generations.of(table, pk),
    },
    inventory: inventoryOf(database),
    expire: expiryOf(database, rows),
  };
}

/** Opens tables in memory, which are lost when they are closed. */
export async function openLocalTable(trial: Trial = {}): Promise<LocalTable> {
  const database = new LocalDatabase({ file: ':memory:' });
  return { ...databaseTable(database, trial), close: () => database.close() };
}
