import { tableSchemas } from '../../lib/adapters/portable/schema.ts';
import type { Table, Write } from '../../lib/ports/table.ts';
import { TokenBucket } from './token-bucket.ts';

/** The error of DynamoDB when a key takes no more writes (aws-facts, 4), and of the adapter after its attempts. */
export class ThrottledKeyError extends Error {
  override readonly name = 'ProvisionedThroughputExceededException';
}

/** A partition of a table, or of an index of it. */
interface Place {
  readonly name: string;
  readonly pk: string;
}

/** The partitions that a write changes. */
function placesOf(write: Write): Place[] {
  const [table, pk] = write.do === 'put' ? [write.table, write.item.pk] : [write.key.table, write.key.pk];
  const attributes = write.do === 'put' ? write.item : write.do === 'update' ? write.set : undefined;
  const rows = Object.entries(tableSchemas[table].indexes).flatMap(([index, { hash }]) => {
    const key = attributes?.[hash];
    return typeof key === 'string' ? [{ name: `${table} ${index}`, pk: key }] : [];
  });
  return [{ name: table, pk }, ...rows];
}

/** A database in which each partition key takes `perSecond` writes a second, and has those of one second in reserve. */
export class OneKeyLimit {
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #isOfKind: (pk: string) => boolean;
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #throttled = new Set<string>();

  /** `isOfKind`: which keys have the limit. */
  constructor(perSecond: number, now: () => number, isOfKind = (_pk: string): boolean => true) {
    this.#perSecond = perSecond;
    this.#now = now;
    this.#isOfKind = isOfKind;
  }

  #takes({ name, pk }: Place): boolean {
    if (!this.#isOfKind(pk)) return true;
    const key = `${name} ${pk}`;
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#perSecond, this.#perSecond, this.#now);
    this.#buckets.set(key, bucket);
    return bucket.take();
  }

  /** The table with this limit; `isReporting`: it says which keys it has throttled. */
  limit(table: Table, isReporting: boolean): Table {
    const takeThrottled: Table['takeThrottled'] = (isWanted) => {
      const taken = [...this.#throttled].filter(isWanted);
      for (const key of taken) this.#throttled.delete(key);
      return taken;
    };
    return {
      get: (keys) => table.get(keys),
      query: (query) => table.query(query),
      write: async (writes) => {
        const refused = writes.flatMap(placesOf).filter((place) => !this.#takes(place));
        if (refused.length === 0) return table.write(writes);
        for (const { pk } of refused) this.#throttled.add(pk);
        throw new ThrottledKeyError(JSON.stringify(refused));
      },
      ...(isReporting && { takeThrottled }),
    };
  }
}
