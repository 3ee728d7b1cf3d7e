import { ConflictError, type Item, type Key, type TableName, type Write } from '../../../ports/table.ts';
import { asks, checkCondition, holds } from './conditions.ts';
import { type StoredItem, toStored } from './items.ts';
import { checkKeys, itemSize, MAX_BATCH, MAX_ITEM_BYTES, MAX_TRANSACTION_BYTES } from './limits.ts';
import type { Rows } from './rows.ts';
import { checkUpdate, updated } from './updates.ts';

/** The rows of each table. */
export type AllRows = Readonly<Record<TableName, Rows>>;

/** A write with its key and the item that it replaces. */
interface Change {
  readonly write: Write;
  readonly key: Key;
  readonly old: Item | undefined;
}

const keyOf = (write: Write): Key =>
  write.do === 'put' ? { table: write.table, pk: write.item.pk, sk: write.item.sk } : write.key;

const nameOf = ({ table, pk, sk }: Key): string => `${table} ${pk.length} ${pk} ${sk}`;

/** Throws Error for writes that DynamoDB rejects whatever is stored. */
function checkWrites(writes: readonly Write[], keys: readonly Key[]): void {
  if (writes.length > MAX_BATCH) throw new Error(`${writes.length} writes at once; at most ${MAX_BATCH}`);
  for (const key of keys) checkKeys(key);
  if (keys.length > 1 && new Set(keys.map(nameOf)).size < keys.length) {
    throw new Error('one transaction has two writes of one item');
  }
  for (const write of writes) {
    checkCondition(write.when);
    if (write.do === 'update') checkUpdate(write);
    if (write.do === 'check' && !asks(write.when)) throw new Error('a check asks for nothing');
  }
}

/** Whether a put asks for nothing but that its item is missing. */
const isInsert = (write: Write): write is Extract<Write, { readonly do: 'put' }> =>
  write.do === 'put' && write.when?.absent === true && write.when.equals === undefined && write.when.present !== true;

/** A text of up to this length is below the limits: a character has at most three bytes. */
const SURELY_SMALL = 100_000;

/** The bytes of an item that may be large, else an estimate. Throws Error above the limit. */
function largeSize(table: TableName, item: Item, { text }: StoredItem): number {
  if (text.length <= SURELY_SMALL) return text.length;
  const size = itemSize(item);
  if (size > MAX_ITEM_BYTES)
    throw new Error(`${table} ${item.pk} ${item.sk} is above the 400 KB that an item may hold`);
  return size;
}

/** Writes items as DynamoDB does: all or nothing, on conditions. */
export class TableWriter {
  readonly #rows: AllRows;

  constructor(rows: AllRows) {
    this.#rows = rows;
  }

  /**
   * Runs the writes; must be called within `LocalDatabase.write`.
   * @throws ConflictError when a condition does not hold; Error for a write above a limit of DynamoDB.
   */
  write(writes: readonly Write[]): void {
    if (writes.length === 0) return;
    const keys = writes.map(keyOf);
    checkWrites(writes, keys);
    const [first] = writes;
    if (writes.length === 1 && first !== undefined && isInsert(first)) this.#insert(first);
    else this.#writeAll(writes, keys);
  }

  #writeAll(writes: readonly Write[], keys: readonly Key[]): void {
    const changes = writes.map((write, index) => this.#changeOf(write, keys[index] as Key));
    const failed = changes.flatMap(({ write, old }, index) => (holds(write.when, old) ? [] : [index]));
    if (failed.length > 0) throw new ConflictError(failed);
    this.#apply(changes);
  }

  /** Most writes store one new run, and need not read before. */
  #insert({ table, item }: Extract<Write, { readonly do: 'put' }>): void {
    const stored = toStored(item);
    largeSize(table, item, stored);
    if (!this.#rows[table].insert(item, stored)) throw new ConflictError([0]);
  }

  #changeOf(write: Write, key: Key): Change {
    const rows = this.#rows[key.table];
    const isAsked = write.do === 'update' || write.do === 'check' || write.when !== undefined || rows.hasIndexes;
    return { write, key, old: isAsked ? rows.get(key) : undefined };
  }

  #apply(changes: readonly Change[]): void {
    let size = 0;
    for (const { write, key, old } of changes) {
      const rows = this.#rows[key.table];
      if (write.do === 'check') continue;
      if (write.do === 'delete') {
        rows.remove(key, old);
        continue;
      }
      const item = write.do === 'put' ? write.item : updated(old, write);
      const stored = toStored(item);
      size += largeSize(key.table, item, stored);
      rows.put(item, stored, old);
    }
    if (size > MAX_TRANSACTION_BYTES)
      throw new Error(`${changes.length} writes are above 4 MB, the maximum size of a transaction`);
  }
}
