import type { Changes, Watch, Woken } from '../../ports/changes.ts';
import type { Table, TableName, Write } from '../../ports/table.ts';
import { keyNames, tableSchemas } from '../portable/schema.ts';

const itemKey = (table: TableName, pk: string, sk: string): string => `${table} ${pk}\n${sk}`;
const partitionKey = (table: TableName, pk: string, index = ''): string => `${table}/${index} ${pk}`;

/**
 * The index partitions that a write names. A write that does not name its index partition is noticed by its item: lists
 * also read the items that they find in an index.
 */
function indexPartitionKeys(table: TableName, attributes: Readonly<Record<string, unknown>> = {}): string[] {
  return Object.entries<{ readonly hash: string }>(tableSchemas[table].indexes).flatMap(([index, { hash }]) => {
    const pk = attributes[hash];
    return typeof pk === 'string' ? [partitionKey(table, pk, index)] : [];
  });
}

function changedKeys(write: Write): string[] {
  if (write.do === 'check') return [];
  const isPut = write.do === 'put';
  const table = isPut ? write.table : write.key.table;
  const { [keyNames.partition]: pk, [keyNames.sort]: sk } = isPut ? write.item : write.key;
  const attributes = isPut ? write.item : write.do === 'update' ? write.set : undefined;
  return [itemKey(table, pk, sk), partitionKey(table, pk), ...indexPartitionKeys(table, attributes)];
}

/** The open watches, by the keys of the items and partitions that they watch. */
class WatchIndex {
  readonly #byKey = new Map<string, Set<LocalWatch>>();
  readonly #open = new Set<LocalWatch>();
  #isClosed = false;

  open(watch: LocalWatch): void {
    if (this.#isClosed) watch.close();
    else this.#open.add(watch);
  }

  close(watch: LocalWatch): void {
    this.#open.delete(watch);
  }

  add(key: string, watch: LocalWatch): void {
    const watches = this.#byKey.get(key);
    if (watches === undefined) this.#byKey.set(key, new Set([watch]));
    else watches.add(watch);
  }

  remove(key: string, watch: LocalWatch): void {
    const watches = this.#byKey.get(key);
    watches?.delete(watch);
    if (watches?.size === 0) this.#byKey.delete(key);
  }

  notify(writes: readonly Write[]): void {
    if (this.#byKey.size === 0) return;
    for (const key of writes.flatMap(changedKeys)) {
      for (const watch of this.#byKey.get(key) ?? []) watch.wake();
    }
  }

  closeAll(): void {
    this.#isClosed = true;
    for (const watch of [...this.#open]) watch.close();
  }

  get watchCount(): number {
    return this.#open.size;
  }

  get keyCount(): number {
    return this.#byKey.size;
  }
}

class LocalWatch implements Watch {
  readonly #index: WatchIndex;
  readonly #recorder: Table;
  #keys = new Set<string>();
  /** The keys of the reading before, which are watched until the present reading ends: there is no gap between. */
  #formerKeys = new Set<string>();
  #state: Woken = 'quiet';
  #resolve: ((woken: Woken) => void) | undefined;

  constructor(index: WatchIndex, table: Table) {
    this.#index = index;
    this.#recorder = {
      get: (keys) => {
        for (const { table: name, pk, sk } of keys) this.#add(itemKey(name, pk, sk));
        return table.get(keys);
      },
      query: (query) => {
        this.#add(partitionKey(query.table, query.pk, query.index));
        return table.query(query);
      },
      write: (writes) => table.write(writes),
    };
    index.open(this);
  }

  begin(): Table {
    this.#removeFormer();
    this.#formerKeys = this.#keys;
    this.#keys = new Set();
    if (this.#state === 'changed') this.#state = 'quiet';
    return this.#recorder;
  }

  next(atMost: number): Promise<Woken> {
    this.#removeFormer();
    if (this.#state !== 'quiet') return Promise.resolve(this.#state);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#resolve?.('quiet'), atMost);
      this.#resolve = (woken) => {
        clearTimeout(timer);
        this.#resolve = undefined;
        resolve(woken);
      };
    });
  }

  wake(): void {
    if (this.#state !== 'over') this.#state = 'changed';
    this.#resolve?.(this.#state);
  }

  close(): void {
    this.#state = 'over';
    for (const key of [...this.#keys, ...this.#formerKeys]) this.#index.remove(key, this);
    this.#keys.clear();
    this.#formerKeys.clear();
    this.#index.close(this);
    this.#resolve?.('over');
  }

  #add(key: string): void {
    // A reading may continue after its watch was closed.
    if (this.#state === 'over') return;
    this.#keys.add(key);
    this.#index.add(key, this);
  }

  #removeFormer(): void {
    for (const key of this.#formerKeys) if (!this.#keys.has(key)) this.#index.remove(key, this);
    this.#formerKeys.clear();
  }
}

/** The changes of a local service. */
export interface LocalChanges extends Changes {
  /** The table with all its writes observed: each one wakes the watches of the changed items. */
  observe(table: Table): Table;
  /** The number of open watches. */
  readonly watchCount: number;
  /** The number of items and partitions that they watch. */
  readonly keyCount: number;
  /** Closes every watch, also later ones. */
  close(): void;
}

/**
 * Changes within this process: a watch wakes at once when a write changes an item or a partition that its last reading
 * read. Writes of other processes are not noticed.
 */
export function localChanges(): LocalChanges {
  const index = new WatchIndex();
  return {
    watch: (table) => new LocalWatch(index, table),
    observe: (table) => ({
      get: (keys) => table.get(keys),
      query: (query) => table.query(query),
      ...(table.generation === undefined ? {} : { generation: table.generation }),
      // Also after an error: the write may have taken effect.
      write: (writes) => table.write(writes).finally(() => index.notify(writes)),
    }),
    get watchCount() {
      return index.watchCount;
    },
    get keyCount() {
      return index.keyCount;
    },
    close: () => index.closeAll(),
  };
}
