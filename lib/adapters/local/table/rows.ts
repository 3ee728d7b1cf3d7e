import type { Item, Key, TableName, Value } from '../../../ports/table.ts';
import { type IndexSchema, keyNames, tableSchemas } from '../../portable/schema.ts';
import type { LocalDatabase } from '../database/database.ts';
import type { Row, Statement } from '../database/statement.ts';
import type { Generations } from './generations.ts';
import { ItemCache } from './item-cache.ts';
import { type StoredItem, toItem, toStored } from './items.ts';
import { checkIndexKeys } from './limits.ts';
import { rowsOf, searchedIn } from './schema.ts';

const indexesOf = (table: TableName) => Object.entries<IndexSchema>(tableSchemas[table].indexes);

/** A row of an index, without the keys of its item. */
export interface IndexRow {
  readonly hash: string;
  readonly range: string;
  /** The searched attributes, or the projected item without the keys of the index. */
  readonly columns: readonly (string | null)[];
}

interface Index {
  readonly schema: IndexSchema;
  readonly searched: readonly string[];
  readonly put: Statement;
  readonly remove: Statement;
}

/** The row of an item in an index with these searched attributes; undefined when the item lacks a key of the index. */
export function indexRow(
  { hash, range, includes }: IndexSchema,
  searched: readonly string[],
  item: Item,
): IndexRow | undefined {
  const [hashValue, rangeValue] = [item[hash], item[range]];
  if (typeof hashValue !== 'string' || typeof rangeValue !== 'string') return undefined;
  const columns = searched.length > 0 ? searched.map((name) => textOf(item[name])) : projected(includes, item);
  return { hash: hashValue, range: rangeValue, columns };
}

const textOf = (value: Value | undefined): string | null => (typeof value === 'string' ? value : null);

function projected(names: readonly string[], item: Item): readonly (string | null)[] {
  const part: Record<string, Value | undefined> = {};
  for (const name of names) if (Object.hasOwn(item, name)) part[name] = item[name];
  const { text, bytes } = toStored(part);
  return [text, bytes];
}

const isSameRow = (a: IndexRow, b: IndexRow): boolean =>
  a.hash === b.hash && a.range === b.range && a.columns.every((value, at) => value === b.columns[at]);

/** The statement that puts a row into an index: the keys, then the columns. */
export const indexPut = (rows: string): string =>
  `INSERT OR REPLACE INTO ${rows} VALUES (?, ?, ?, ?${', ?'.repeat(searchedIn(rows).length || PROJECTED)})`;

/** The number of columns of a projected item. */
const PROJECTED = 2;

/** The cached tables: definitions of users are read often and written seldom, other items are read about once. */
const CACHED: ReadonlySet<TableName> = new Set<TableName>(['catalog']);

/** The rows of one table, and of its indexes. */
export class Rows {
  readonly #table: TableName;
  readonly #cache: ItemCache | undefined;
  readonly #get: Statement;
  readonly #put: Statement;
  readonly #insert: Statement;
  readonly #remove: Statement;
  readonly #indexes: readonly Index[];
  readonly #generations: Generations;

  constructor(database: LocalDatabase, table: TableName, generations: Generations) {
    this.#table = table;
    const cache = CACHED.has(table) ? new ItemCache() : undefined;
    // A disk that accepts no writes may undo the changes of the present turn.
    if (cache !== undefined) database.onOutage(() => cache.clear());
    this.#cache = cache;
    this.#generations = generations;
    const rows = rowsOf(table);
    this.#get = database.statement(`SELECT text, bytes FROM ${rows} WHERE pk = ? AND sk = ?`);
    this.#put = database.statement(`INSERT OR REPLACE INTO ${rows} VALUES (?, ?, ?, ?, ?)`);
    this.#insert = database.statement(`INSERT OR IGNORE INTO ${rows} VALUES (?, ?, ?, ?, ?)`);
    this.#remove = database.statement(`DELETE FROM ${rows} WHERE pk = ? AND sk = ?`);
    this.#indexes = indexesOf(table).map(([name, schema]) => ({
      schema,
      searched: searchedIn(rowsOf(table, name)),
      put: database.statement(indexPut(rowsOf(table, name))),
      remove: database.statement(
        `DELETE FROM ${rowsOf(table, name)} WHERE hash = ? AND range = ? AND pk = ? AND sk = ?`,
      ),
    }));
  }

  /** Whether `put` and `remove` need the old item. */
  get hasIndexes(): boolean {
    return this.#indexes.length > 0;
  }

  /** The item of a key, for a change of rows. It is not kept in memory, since the change may be undone. */
  get(key: Pick<Key, 'pk' | 'sk'>): Item | undefined {
    return this.#find(key, false);
  }

  /** The item of a key; not to be called within `LocalDatabase.write`. */
  read(key: Pick<Key, 'pk' | 'sk'>): Item | undefined {
    return this.#find(key, true);
  }

  /** Replaces the item `old`. Throws Error for an item that a table cannot store. */
  put(item: Item, stored: StoredItem, old: Item | undefined): void {
    this.#store(this.#put, item, stored);
    this.#follow(item, old, item);
  }

  /** Puts a new item; false if there is one with its key. Throws Error for an item that a table cannot store. */
  insert(item: Item, stored: StoredItem): boolean {
    const isNew = this.#store(this.#insert, item, stored) > 0;
    if (isNew) this.#follow(item, undefined, item);
    return isNew;
  }

  /** Removes the item `old`, or the item of that key in a table without indexes. */
  remove({ pk, sk }: Pick<Key, 'pk' | 'sk'>, old: Item | undefined): void {
    this.#note({ pk, sk });
    this.#remove.run(pk, sk);
    this.#follow({ pk, sk }, old, undefined);
  }

  #store(statement: Statement, item: Item, { text, bytes }: StoredItem): number {
    const { pk, sk } = item;
    const ttl = item[keyNames.expiry];
    checkIndexKeys(this.#table, item);
    this.#note({ pk, sk });
    return statement.run(pk, sk, text, bytes, typeof ttl === 'number' ? ttl : null);
  }

  #find({ pk, sk }: Pick<Key, 'pk' | 'sk'>, isKept: boolean): Item | undefined {
    const known = this.#cache?.get({ pk, sk });
    if (known !== undefined) return known;
    const row = this.#get.get(pk, sk);
    if (row === undefined) return undefined;
    const stored = storedIn(row);
    const item = toItem(pk, sk, stored);
    if (isKept) this.#cache?.keep(item, stored);
    return item;
  }

  #note({ pk, sk }: Pick<Key, 'pk' | 'sk'>): void {
    this.#generations.change(this.#table, pk);
    this.#cache?.forget({ pk, sk });
  }

  #follow({ pk, sk }: Pick<Key, 'pk' | 'sk'>, old: Item | undefined, next: Item | undefined): void {
    for (const { schema, searched, put, remove } of this.#indexes) {
      const before = old && indexRow(schema, searched, old);
      const after = next && indexRow(schema, searched, next);
      if (before !== undefined && after !== undefined && isSameRow(before, after)) continue;
      const hasMoved = before !== undefined && (before.hash !== after?.hash || before.range !== after.range);
      if (hasMoved) remove.run(before.hash, before.range, pk, sk);
      if (after !== undefined) put.run(after.hash, after.range, pk, sk, ...after.columns);
    }
  }
}

/** The columns of an item in a row. */
export const storedIn = ({ text, bytes }: Row): StoredItem => ({
  text: String(text),
  bytes: bytes === null || bytes === undefined ? null : String(bytes),
});
