import type { Changes, Watch, Woken } from '../../ports/changes.ts';
import type { Table, TableName, Write } from '../../ports/table.ts';
import { keyNames, tableSchemas } from '../portable/schema.ts';

const nameOfItem = (table: TableName, pk: string, sk: string): string => `${table} ${pk}\n${sk}`;
const nameOfPartition = (table: TableName, pk: string, index = ''): string => `${table}/${index} ${pk}`;

/** The index partitions that a write names itself; all lists of ours also read the items behind what they find. */
function indexNames(table: TableName, attributes: Readonly<Record<string, unknown>> = {}): string[] {
  return Object.entries<{ readonly hash: string }>(tableSchemas[table].indexes).flatMap(([index, { hash }]) => {
    const pk = attributes[hash];
    return typeof pk === 'string' ? [nameOfPartition(table, pk, index)] : [];
  });
}

function touchedBy(write: Write): string[] {
  if (write.do === 'check') return [];
  const isPut = write.do === 'put';
  const table = isPut ? write.table : write.key.table;
  const { [keyNames.partition]: pk, [keyNames.sort]: sk } = isPut ? write.item : write.key;
  const attributes = isPut ? write.item : write.do === 'update' ? write.set : undefined;
  return [nameOfItem(table, pk, sk), nameOfPartition(table, pk), ...indexNames(table, attributes)];
}

/** Who watches what, by the names of items and partitions. */
class Watchers {
  readonly #byName = new Map<string, Set<LocalWatch>>();
  readonly #all = new Set<LocalWatch>();
  #isOver = false;

  join(watch: LocalWatch): void {
    if (this.#isOver) watch.close();
    else this.#all.add(watch);
  }

  leave(watch: LocalWatch): void {
    this.#all.delete(watch);
  }

  note(name: string, watch: LocalWatch): void {
    const watching = this.#byName.get(name);
    if (watching === undefined) this.#byName.set(name, new Set([watch]));
    else watching.add(watch);
  }

  forget(name: string, watch: LocalWatch): void {
    const watching = this.#byName.get(name);
    watching?.delete(watch);
    if (watching?.size === 0) this.#byName.delete(name);
  }

  tell(writes: readonly Write[]): void {
    if (this.#byName.size === 0) return;
    for (const name of writes.flatMap(touchedBy)) {
      for (const watch of this.#byName.get(name) ?? []) watch.wake();
    }
  }

  end(): void {
    this.#isOver = true;
    for (const watch of [...this.#all]) watch.close();
  }

  get size(): number {
    return this.#all.size;
  }

  get names(): number {
    return this.#byName.size;
  }
}

class LocalWatch implements Watch {
  readonly #watchers: Watchers;
  readonly #recorder: Table;
  #noted = new Set<string>();
  /** What the reading before noted; watched until the present one is through, so that there is no gap. */
  #former = new Set<string>();
  #state: Woken = 'quiet';
  #settle: ((woken: Woken) => void) | undefined;

  constructor(watchers: Watchers, table: Table) {
    this.#watchers = watchers;
    this.#recorder = {
      get: (keys) => {
        for (const { table: name, pk, sk } of keys) this.#note(nameOfItem(name, pk, sk));
        return table.get(keys);
      },
      query: (query) => {
        this.#note(nameOfPartition(query.table, query.pk, query.index));
        return table.query(query);
      },
      write: (writes) => table.write(writes),
    };
    watchers.join(this);
  }

  begin(): Table {
    this.#forgetFormer();
    this.#former = this.#noted;
    this.#noted = new Set();
    if (this.#state === 'changed') this.#state = 'quiet';
    return this.#recorder;
  }

  next(atMost: number): Promise<Woken> {
    this.#forgetFormer();
    if (this.#state !== 'quiet') return Promise.resolve(this.#state);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle?.('quiet'), atMost);
      this.#settle = (woken) => {
        clearTimeout(timer);
        this.#settle = undefined;
        resolve(woken);
      };
    });
  }

  wake(): void {
    if (this.#state !== 'over') this.#state = 'changed';
    this.#settle?.(this.#state);
  }

  close(): void {
    this.#state = 'over';
    for (const name of [...this.#noted, ...this.#former]) this.#watchers.forget(name, this);
    this.#noted.clear();
    this.#former.clear();
    this.#watchers.leave(this);
    this.#settle?.('over');
  }

  #note(name: string): void {
    // A reading may outlive its watch.
    if (this.#state === 'over') return;
    this.#noted.add(name);
    this.#watchers.note(name, this);
  }

  #forgetFormer(): void {
    for (const name of this.#former) if (!this.#noted.has(name)) this.#watchers.forget(name, this);
    this.#former.clear();
  }
}

/** The changes of a local service. */
export interface LocalChanges extends Changes {
  /** The table, telling those who watch of each write that goes through it. */
  telling(table: Table): Table;
  /** How many watch at this moment. */
  readonly size: number;
  /** How many items and partitions they watch. */
  readonly names: number;
  /** Ends every watch, also those that come later. */
  close(): void;
}

/**
 * Changes that are told in the moment they are written: a watch wakes when a write touches an item or a partition that
 * its last reading read. Writes of other processes are not told.
 */
export function localChanges(): LocalChanges {
  const watchers = new Watchers();
  return {
    watch: (table) => new LocalWatch(watchers, table),
    telling: (table) => ({
      get: (keys) => table.get(keys),
      query: (query) => table.query(query),
      // Also of a write that failed: its answer alone may have been lost.
      write: (writes) => table.write(writes).finally(() => watchers.tell(writes)),
    }),
    get size() {
      return watchers.size;
    },
    get names() {
      return watchers.names;
    },
    close: () => watchers.end(),
  };
}
