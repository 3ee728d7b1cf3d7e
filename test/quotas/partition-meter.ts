import { tableSchemas } from '../../lib/adapters/portable/schema.ts';
import type { Item, Key, Table, TableName, Write } from '../../lib/ports/table.ts';

/** The units that a partition takes a second (AWS: "Designing partition keys to distribute your workload"). */
export const WRITE_UNITS_OF_PARTITION = 1000;
export const READ_UNITS_OF_PARTITION = 3000;

const WRITE_UNIT = 1024;
const READ_UNIT = 4096;

const sizeOf = (item: Item | undefined): number => (item === undefined ? 0 : Buffer.byteLength(JSON.stringify(item)));

interface IndexKey {
  readonly hash: string;
  readonly range: string;
  readonly includes: readonly string[];
}

const indexesOf = (table: TableName): [string, IndexKey][] => Object.entries(tableSchemas[table].indexes);

/** Counts the units that each partition key of tables and indexes uses in each second, as DynamoDB bills them. */
export class PartitionMeter {
  readonly #now: () => number;
  /** By `second table index partition`. */
  readonly #writes = new Map<string, number>();
  /** By `second table partition sort key`: DynamoDB moves a hot item into a partition of its own. */
  readonly #reads = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The most units of any key in one second whose name contains a text. */
  highest(kind: 'reads' | 'writes', text = ''): number {
    const counts = kind === 'reads' ? this.#reads : this.#writes;
    return Math.max(0, ...[...counts].flatMap(([name, units]) => (name.includes(text) ? [units] : [])));
  }

  /** All write units of the keys whose names contain a text. */
  written(text: string): number {
    return [...this.#writes].reduce((sum, [name, units]) => (name.includes(text) ? sum + units : sum), 0);
  }

  /** The number of keys that were written in the same second and whose names contain a text. */
  keys(text: string): number {
    return [...this.#writes.keys()].filter((name) => name.includes(text)).length;
  }

  clear(): void {
    this.#writes.clear();
    this.#reads.clear();
  }

  #add(counts: Map<string, number>, name: string, units: number): void {
    const key = `${Math.floor(this.#now() / 1000)} ${name}`;
    counts.set(key, (counts.get(key) ?? 0) + units);
  }

  #noteWrite(key: Key, before: Item | undefined, after: Item | undefined, isTransaction: boolean): void {
    const units = Math.max(1, Math.ceil(Math.max(sizeOf(before), sizeOf(after)) / WRITE_UNIT));
    this.#add(this.#writes, `${key.table} - ${key.pk}`, units * (isTransaction ? 2 : 1));
    for (const [name, { hash, range, includes }] of indexesOf(key.table)) {
      const rowOf = (item: Item | undefined) =>
        item?.[hash] === undefined ? undefined : JSON.stringify([hash, range, ...includes].map((part) => item[part]));
      const [old, now] = [rowOf(before), rowOf(after)];
      if (old === now) continue;
      const isMoved = before?.[hash] !== after?.[hash] || before?.[range] !== after?.[range];
      if (old !== undefined && (isMoved || now === undefined)) {
        this.#add(this.#writes, `${key.table} ${name} ${before?.[hash]}`, 1);
      }
      if (now !== undefined) this.#add(this.#writes, `${key.table} ${name} ${after?.[hash]}`, 1);
    }
  }

  /** A table that counts the units of its requests. */
  measure(table: Table): Table {
    const keyOf = (write: Write): Key =>
      write.do === 'put' ? { table: write.table, pk: write.item.pk, sk: write.item.sk } : write.key;
    return {
      get: async (keys) => {
        const items = await table.get(keys);
        for (const [index, { table: name, pk, sk }] of keys.entries()) {
          const units = Math.max(1, Math.ceil(sizeOf(items[index]) / READ_UNIT));
          this.#add(this.#reads, `${name} ${pk} ${sk}`, units);
        }
        return items;
      },
      query: (query) => table.query(query),
      write: async (writes) => {
        const keys = writes.map(keyOf);
        const before = await table.get(keys);
        await table.write(writes);
        const after = await table.get(keys);
        for (const [index, key] of keys.entries()) {
          this.#noteWrite(key, before[index], after[index], writes.length > 1);
        }
      },
    };
  }
}
