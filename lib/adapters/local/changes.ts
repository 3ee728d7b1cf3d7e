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

/** What a reading has read: the keys, and the watches that wait for a change of them. */
class Footprint {
  readonly #index: WatchIndex;
  readonly #keys = new Set<string>();
  readonly #watches = new Set<LocalWatch>();
  #hasChanged = false;

  constructor(index: WatchIndex) {
    this.#index = index;
  }

  add(key: string): void {
    // A reading may continue after its watches were closed.
    if (this.#watches.size === 0 || this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#index.add(key, this);
  }

  enter(watch: LocalWatch): void {
    this.#watches.add(watch);
    if (this.#hasChanged) watch.wake();
  }

  leave(watch: LocalWatch): void {
    if (!this.#watches.delete(watch) || this.#watches.size > 0) return;
    for (const key of this.#keys) this.#index.remove(key, this);
  }

  wake(): void {
    this.#hasChanged = true;
    for (const watch of this.#watches) watch.wake();
  }
}

/** The open watches, and what they watch by the keys of items and partitions. */
class WatchIndex {
  readonly #byKey = new Map<string, Set<Footprint>>();
  readonly #open = new Set<LocalWatch>();
  #isClosed = false;

  open(watch: LocalWatch): void {
    if (this.#isClosed) watch.close();
    else this.#open.add(watch);
  }

  close(watch: LocalWatch): void {
    this.#open.delete(watch);
  }

  add(key: string, footprint: Footprint): void {
    const footprints = this.#byKey.get(key);
    if (footprints === undefined) this.#byKey.set(key, new Set([footprint]));
    else footprints.add(footprint);
  }

  remove(key: string, footprint: Footprint): void {
    const footprints = this.#byKey.get(key);
    footprints?.delete(footprint);
    if (footprints?.size === 0) this.#byKey.delete(key);
  }

  notify(writes: readonly Write[]): void {
    if (this.#byKey.size === 0) return;
    for (const key of writes.flatMap(changedKeys)) {
      for (const footprint of this.#byKey.get(key) ?? []) footprint.wake();
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
  readonly #table: Table;
  #footprint: Footprint;
  /** That of the reading before, which is watched until the present reading ends: there is no gap between. */
  #former: Footprint;
  #state: Woken = 'quiet';
  #resolve: ((woken: Woken) => void) | undefined;

  constructor(index: WatchIndex, table: Table) {
    this.#index = index;
    this.#table = table;
    this.#footprint = new Footprint(index);
    this.#former = this.#footprint;
    index.open(this);
  }

  begin(): Table {
    const [table, footprint] = [this.#table, new Footprint(this.#index)];
    this.#follow(footprint);
    return {
      get: (keys) => {
        for (const { table: name, pk, sk } of keys) footprint.add(itemKey(name, pk, sk));
        return table.get(keys);
      },
      query: (query) => {
        footprint.add(partitionKey(query.table, query.pk, query.index));
        return table.query(query);
      },
      write: (writes) => table.write(writes),
    };
  }

  join(other: Watch): void {
    if (other instanceof LocalWatch) this.#follow(other.#footprint);
  }

  next(atMost: number): Promise<Woken> {
    this.#leaveFormer();
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
    this.#footprint.leave(this);
    this.#leaveFormer();
    this.#index.close(this);
    this.#resolve?.('over');
  }

  #follow(footprint: Footprint): void {
    this.#leaveFormer();
    this.#former = this.#footprint;
    this.#footprint = footprint;
    if (this.#state === 'over') return;
    this.#state = 'quiet';
    footprint.enter(this);
  }

  #leaveFormer(): void {
    if (this.#former === this.#footprint) return;
    this.#former.leave(this);
    this.#former = this.#footprint;
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
