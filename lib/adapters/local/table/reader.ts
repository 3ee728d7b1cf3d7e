import type { Item, Key, Page, Query, Value } from '../../../ports/table.ts';
import { rangeOf, toCursor, toPlace } from '../../portable/pages.ts';
import { type IndexSchema, keysOf, tableSchemas } from '../../portable/schema.ts';
import type { LocalDatabase } from '../database/database.ts';
import type { Row, Statement } from '../database/statement.ts';
import { toItem } from './items.ts';
import { checkKey, checkKeys, MAX_BATCH, MAX_PAGE_BYTES } from './limits.ts';
import { storedIn } from './rows.ts';
import { coveringColumns, type Selection, selectedOf, selectionOf, selectionPartsOf } from './selection.ts';
import type { AllRows } from './writer.ts';

const nameOf = ({ table, pk, sk }: Key): string => `${table} ${pk.length} ${pk} ${sk}`;

/** The attributes of an item that a query returns. */
function shown(item: Item, only: readonly string[] | undefined): Item {
  if (only === undefined) return item;
  const part: Record<string, Value | undefined> = { pk: item.pk, sk: item.sk };
  for (const name of only) if (Object.hasOwn(item, name)) part[name] = item[name];
  return part as Item;
}

const sizeOf = ({ text, size }: Row): number => (typeof text === 'string' ? text.length : Number(size));

/** Reads items as DynamoDB does. */
export class TableReader {
  readonly #database: LocalDatabase;
  readonly #rows: AllRows;
  readonly #statements = new Map<string, Statement>();
  readonly #maxPageItems: number;

  /** `maxPageItems` is the maximum number of items of a page, whatever the limit of the query. */
  constructor(database: LocalDatabase, rows: AllRows, maxPageItems: number) {
    this.#database = database;
    this.#rows = rows;
    this.#maxPageItems = maxPageItems;
  }

  /** The items of the keys, in their order. Throws Error for more than 100 keys. */
  get(keys: readonly Key[]): (Item | undefined)[] {
    for (const key of keys) checkKeys(key);
    if (keys.length > MAX_BATCH) {
      const distinct = new Set(keys.map(nameOf)).size;
      if (distinct > MAX_BATCH) throw new Error(`${distinct} items asked for at once; at most ${MAX_BATCH}`);
    }
    return keys.map((key) => this.#rows[key.table].read(key));
  }

  /** Reads a page. Throws Error for an index that the table does not have, and for a cursor of another query. */
  query(query: Query): Page {
    const { hash } = keysOf(query.table, query.index);
    const range = rangeOf(query);
    const place = query.next === undefined ? undefined : toPlace(query, query.next);
    if (range === undefined) return { items: [], count: 0 };
    checkKey(hash, query.pk, 'hash');
    const { limit = Number.POSITIVE_INFINITY } = query;
    if (!(limit >= 1)) throw new Error(`a query has the limit ${limit}; at least 1`);
    const most = Math.min(limit, this.#maxPageItems);
    const selection = selectionOf(query, range, place);
    return query.count ? this.#count(query, selection, most) : this.#read(query, selection, most);
  }

  /**
   * Counts without reading the items. Such a page ends at the limit only: it moves no data, so 1 MB is no reason to end it.
   */
  #count(query: Query, { from, values }: Selection, limit: number): Page {
    if (Number.isFinite(limit)) {
      const { columns, order } = selectionPartsOf(query);
      const last = this.#statement(`SELECT ${columns} ${from} ${order} LIMIT 1 OFFSET ?`).get(...values, limit - 1);
      if (last !== undefined) return { items: [], count: limit, next: cursorOf(query, last) };
    }
    const all = this.#statement(`SELECT count(*) AS count ${from}`).get(...values);
    return { items: [], count: Number(all?.['count']) };
  }

  #read(query: Query, { from, values }: Selection, limit: number): Page {
    const { columns, order } = selectionPartsOf(query);
    const text = `SELECT ${columns}, ${selectedOf(query)} ${from} ${order} LIMIT ?`;
    const items: Item[] = [];
    let [count, size] = [0, 0];
    let last: Row | undefined;
    const isBounded = Number.isFinite(limit);
    const covering = coveringColumns(query);
    for (const row of this.#statement(text).iterate(...values, isBounded ? limit : -1)) {
      size += sizeOf(row);
      // A page has at least one item, so that the query makes progress.
      if (size > MAX_PAGE_BYTES && count > 0) return { items, count, next: cursorOf(query, last) };
      count += 1;
      last = row;
      items.push(covering === undefined ? toShown(row, query) : toCovered(row, covering));
    }
    // DynamoDB stops at the limit without reading further: the next page may be empty.
    return count === limit ? { items, count, next: cursorOf(query, last) } : { items, count };
  }

  #statement(text: string): Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const made = this.#database.statement(text);
    this.#statements.set(text, made);
    return made;
  }
}

/** What an index shows of an item: its own keys, which are columns of the row, and the attributes that it projects. */
function projectedItem({ table, pk: hashValue }: Query, index: string, item: Item, row: Row): Item {
  const { includes } = (tableSchemas[table].indexes as Readonly<Record<string, IndexSchema>>)[index] as IndexSchema;
  const { hash, range } = keysOf(table, index);
  return { ...shown(item, includes), [hash]: hashValue, [range]: String(row['range']) };
}

/** The part of an item that the columns of its row have. */
function toCovered(row: Row, columns: ReadonlyMap<string, string>): Item {
  const part: Record<string, Value> = {};
  for (const [name, column] of columns) if (row[column] !== null) part[name] = String(row[column]);
  return { ...part, pk: String(row['pk']), sk: String(row['sk']) };
}

function toShown(row: Row, query: Query): Item {
  const item = toItem(String(row['pk']), String(row['sk']), storedIn(row));
  return shown(query.index === undefined ? item : projectedItem(query, query.index, item, row), query.only);
}

function cursorOf({ table, index, pk }: Query, row: Row = {}): string {
  const { hash, range } = keysOf(table, index);
  const own = index === undefined ? [] : ([[range, String(row['range'])]] as const);
  const place = [[hash, pk], ...own, ['pk', String(row['pk'])], ['sk', String(row['sk'])]] as const;
  return toCursor(place);
}
