import { keysOf, tableSchemas } from '../../lib/adapters/portable/schema.ts';
import {
  type Condition,
  ConflictError,
  type Item,
  type Key,
  type Page,
  type Query,
  type Table,
  type TableName,
  type TextCondition,
  type Value,
  type Where,
  type Write,
} from '../../lib/ports/table.ts';

const MAX_BATCH = 100;
const MAX_ITEM = 400 * 1024;
const MAX_PAGE = 1024 * 1024;

type Rows = Map<string, Item>;
type State = Record<TableName, Rows>;

const nameOf = ({ pk, sk }: { readonly pk: string; readonly sk: string }): string => JSON.stringify([pk, sk]);
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const same = (a: Value | undefined, b: Value): boolean => JSON.stringify(a) === JSON.stringify(b);

function holds({ absent, present, equals = {} }: Condition = {}, item: Item | undefined): boolean {
  if (absent === true && item !== undefined) return false;
  if ((present === true || Object.keys(equals).length > 0) && item === undefined) return false;
  return Object.entries(equals).every(([name, value]) => same(item?.[name], value));
}

function needStorable(value: Value | undefined): number {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`an item cannot hold the number ${value}`);
  if (value instanceof Uint8Array) return value.length;
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).reduce((sum: number, one: Value) => sum + needStorable(one), 0);
  }
  return typeof value === 'string' ? Buffer.byteLength(value) : 8;
}

const sizeOf = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + name.length + needStorable(value), 0);

function stored(item: Item): Item {
  const kept = Object.entries(item).filter(([, value]) => value !== undefined);
  if (sizeOf(item) > MAX_ITEM) throw new Error(`the item ${item.pk} ${item.sk} is above ${MAX_ITEM} bytes`);
  return structuredClone(Object.fromEntries(kept)) as Item;
}

/** Throws Error for a key attribute of an index that is no text. */
function needTextKeys(table: TableName, item: Item): void {
  for (const index of Object.keys(tableSchemas[table].indexes)) {
    const { hash, range } = keysOf(table, index);
    const wrong = [hash, range].find((name) => item[name] !== undefined && typeof item[name] !== 'string');
    if (wrong !== undefined) throw new Error(`${wrong} is a key of the index ${index}, so it must be a string`);
  }
}

const TESTS: Readonly<Record<TextCondition['is'], (value: string, text: string) => boolean>> = {
  'equal to': (value, text) => value === text,
  'beginning with': (value, text) => value.startsWith(text),
  containing: (value, text) => value.includes(text),
};

const meets = (item: Item, where: Where = []): boolean =>
  where.every((group) =>
    group.some(({ attribute, is, text }) => {
      const value = item[attribute];
      return typeof value === 'string' && TESTS[is](value, text);
    }),
  );

const placeOf = (write: Write): Key =>
  write.do === 'put' ? { table: write.table, pk: write.item.pk, sk: write.item.sk } : write.key;

function updated(old: Item | undefined, write: Extract<Write, { do: 'update' }>): Item {
  const { key, set = {}, remove = [], add = {} } = write;
  const given = Object.entries(set).filter(([, value]) => value !== undefined);
  if (given.length + remove.length + Object.keys(add).length === 0) throw new Error('an update that changes nothing');
  const base = Object.entries(old ?? { pk: key.pk, sk: key.sk }).filter(([name]) => !remove.includes(name));
  const sums = Object.entries(add).map(([name, more]) => [name, Number(old?.[name] ?? 0) + more] as const);
  return Object.fromEntries([...base, ...given, ...sums]) as Item;
}

interface Cursor {
  readonly of: string;
  readonly at: string;
}

function readCursor(text: string): Cursor {
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString()) as Cursor | null;
    if (typeof cursor?.at === 'string') return cursor;
  } catch {}
  throw new Error('the cursor cannot be read');
}

/** A table in memory, for tests that need many tables. It implements the contract of the port only. */
export class MemoryTable implements Table {
  private readonly state: State;

  constructor(state: State = { catalog: new Map(), runs: new Map(), journal: new Map() }) {
    this.state = state;
  }

  /** Returns an independent copy. The items are shared, because they are never changed in place. */
  copy(): MemoryTable {
    const { catalog, runs, journal } = this.state;
    return new MemoryTable({ catalog: new Map(catalog), runs: new Map(runs), journal: new Map(journal) });
  }

  async get(keys: readonly Key[]): Promise<(Item | undefined)[]> {
    if (keys.length > MAX_BATCH) throw new Error(`${keys.length} keys at once; at most ${MAX_BATCH}`);
    return keys.map((key) => structuredClone(this.state[key.table].get(nameOf(key))));
  }

  async write(writes: readonly Write[]): Promise<void> {
    if (writes.length > MAX_BATCH) throw new Error(`${writes.length} writes at once; at most ${MAX_BATCH}`);
    const places = writes.map(placeOf);
    const olds = places.map((key) => this.state[key.table].get(nameOf(key)));
    if (new Set(places.map((key) => key.table + nameOf(key))).size < writes.length) throw new Error('one item twice');
    const news = writes.map((write, index) => {
      const item = write.do === 'put' ? write.item : write.do === 'update' ? updated(olds[index], write) : undefined;
      if (item !== undefined) needTextKeys(placeOf(write).table, item);
      return item && stored(item);
    });
    const failed = writes.flatMap((write, index) => (holds(write.when, olds[index]) ? [] : [index]));
    if (failed.length > 0) throw new ConflictError(failed);
    for (const [index, { do: what }] of writes.entries()) if (what !== 'check') this.put(places[index], news[index]);
  }

  private put(key: Key | undefined, item: Item | undefined): void {
    if (key === undefined) return;
    if (item === undefined) this.state[key.table].delete(nameOf(key));
    else this.state[key.table].set(nameOf(key), item);
  }

  /** The items of a query, in its order. */
  private matching(query: Query): { readonly sort: string; readonly item: Item }[] {
    const { table, index, pk, prefix = '', from, to, descending = false } = query;
    const { hash, range } = keysOf(table, index);
    const found = [...this.state[table].values()].flatMap((item) => {
      const sort = item[range];
      if (item[hash] !== pk || typeof sort !== 'string' || !sort.startsWith(prefix)) return [];
      const isIn = (from === undefined || compare(sort, from) >= 0) && (to === undefined || compare(sort, to) <= 0);
      return isIn && meets(item, query.where) ? [{ sort, item }] : [];
    });
    found.sort((a, b) => compare(a.sort, b.sort) || compare(nameOf(a.item), nameOf(b.item)));
    return descending ? found.reverse() : found;
  }

  async query(query: Query): Promise<Page> {
    const { table, index, pk, descending = false, limit = Number.POSITIVE_INFINITY, next, count = false } = query;
    const of = JSON.stringify([table, index ?? '', pk]);
    const cursor = next === undefined ? undefined : readCursor(next);
    if (cursor !== undefined && cursor.of !== of) throw new Error('the cursor does not continue this query');
    const sign = descending ? -1 : 1;
    const placed = this.matching(query).map((row) => ({ ...row, at: JSON.stringify([row.sort, nameOf(row.item)]) }));
    const rest = placed.filter(({ sort, at }) => {
      if (cursor === undefined) return true;
      const [border = ''] = JSON.parse(cursor.at) as string[];
      return (compare(sort, border) || compare(at, cursor.at)) * sign > 0;
    });
    let bytes = 0;
    const taken = rest.filter((row, place) => {
      bytes += sizeOf(row.item);
      return place < limit && (place === 0 || bytes <= MAX_PAGE);
    });
    const last = taken.at(-1);
    const more = taken.length < rest.length && last !== undefined;
    const page = { items: count ? [] : taken.map(({ item }) => shown(item, query)), count: taken.length };
    return more ? { ...page, next: Buffer.from(JSON.stringify({ of, at: last.at })).toString('base64url') } : page;
  }
}

/** The attributes that a query returns: all, those of the index, or the requested ones. */
function shown(item: Item, { table, index, only }: Query): Item {
  const carried = index === undefined ? undefined : carriedBy(table, index);
  const names = Object.keys(item).filter((name) => {
    if (name === 'pk' || name === 'sk') return true;
    return (carried?.has(name) ?? true) && (only?.includes(name) ?? true);
  });
  return structuredClone(Object.fromEntries(names.map((name) => [name, item[name]]))) as Item;
}

function carriedBy(table: TableName, index: string): Set<string> {
  const indexes: Readonly<Record<string, { readonly includes: readonly string[] }>> = tableSchemas[table].indexes;
  const { hash, range } = keysOf(table, index);
  return new Set([hash, range, ...(indexes[index]?.includes ?? [])]);
}
