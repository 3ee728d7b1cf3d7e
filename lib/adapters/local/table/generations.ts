import type { TableName } from '../../../ports/table.ts';

/** The maximum number of partitions whose generation is remembered. */
const MAX_PARTITIONS = 20_000;

/** The generations of partitions: numbers that change with every write. Only partitions that are asked about cost memory. */
export class Generations {
  readonly #current = new Map<string, number>();
  #last = 0;

  of(table: TableName, pk: string): number {
    const name = table + pk;
    const known = this.#current.get(name);
    if (known !== undefined) return known;
    // A forgotten partition gets a new number, as if it had changed.
    if (this.#current.size >= MAX_PARTITIONS) this.#current.clear();
    this.#last += 1;
    this.#current.set(name, this.#last);
    return this.#last;
  }

  /** Must be called whenever an item of the partition is written. */
  change(table: TableName, pk: string): void {
    this.#current.delete(table + pk);
  }
}
