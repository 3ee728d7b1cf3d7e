import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { TableName, Write } from '../../../ports/table.ts';
import { type IndexSchema, keyNames, tableSchemas } from '../../portable/schema.ts';

/** The most keys that are remembered. */
const MAX_KEYS = 1_000;

/** A reason for which DynamoDB throttled a request, with the ARN of the table or of the index. */
interface Reason {
  readonly reason?: string | undefined;
  readonly resource?: string | undefined;
}

/** The errors have the list under two names, `ThrottlingException` under the second. */
interface Throttled {
  readonly ThrottlingReasons?: readonly Reason[];
  readonly throttlingReasons?: readonly Reason[];
}

/** The reason that is about one key: its partition takes no more writes a second, whatever the table does. */
const OF_ONE_KEY = /^(?:Table|Index)WriteKeyRangeThroughputExceeded$/;
const THROTTLED_ITEM = new Set<string | undefined>(['ThrottlingError', 'ProvisionedThroughputExceeded']);

const tableOf = (write: Write): TableName => (write.do === 'put' ? write.table : write.key.table);

/** The partition key of a write in its table, or in an index; undefined where the write does not have it. */
function keyOf(write: Write, index?: IndexSchema): unknown {
  const attributes = write.do === 'put' ? write.item : write.do === 'update' ? write.set : undefined;
  if (index !== undefined) return attributes?.[index.hash];
  return write.do === 'put' ? write.item[keyNames.partition] : write.key.pk;
}

const indexesOf = (write: Write): Readonly<Record<string, IndexSchema>> => tableSchemas[tableOf(write)].indexes;

const allKeysOf = (write: Write): unknown[] => [
  keyOf(write),
  ...Object.values(indexesOf(write)).map((index) => keyOf(write, index)),
];

/** The throttled partition keys that an error names. A cancelled transaction names the item alone: any of its keys. */
function keysIn(error: unknown, names: Readonly<Record<TableName, string>>, writes: readonly Write[]): unknown[] {
  if (error instanceof TransactionCanceledException) {
    const reasons = error.CancellationReasons ?? [];
    return writes.flatMap((write, index) => (THROTTLED_ITEM.has(reasons[index]?.Code) ? allKeysOf(write) : []));
  }
  const { ThrottlingReasons, throttlingReasons } = error as Throttled;
  const reasons = (ThrottlingReasons ?? throttlingReasons ?? []).filter(({ reason = '' }) => OF_ONE_KEY.test(reason));
  return reasons.flatMap(({ resource = '' }) => {
    const [, table, index] = /:table\/([^/]+)(?:\/index\/([^/]+))?$/.exec(resource) ?? [];
    const concerned = writes.filter((write) => names[tableOf(write)] === table);
    return concerned.flatMap((write) =>
      index === undefined ? [keyOf(write)] : [keyOf(write, indexesOf(write)[index])],
    );
  });
}

/** Remembers the partition keys whose writes DynamoDB has throttled because one key takes 1,000 units a second. */
export class Throttles {
  readonly #names: Readonly<Record<TableName, string>>;
  readonly #keys = new Set<string>();

  /** `names`: the names of the tables in the database. */
  constructor(names: Readonly<Record<TableName, string>>) {
    this.#names = names;
  }

  /** Notes the keys that an error of these writes is about, if it is about any. */
  note(error: unknown, writes: readonly Write[]): void {
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    for (const key of keysIn(error, this.#names, writes)) if (typeof key === 'string') this.#keys.add(key);
  }

  /** Returns the wanted keys, and forgets them. */
  take(isWanted: (pk: string) => boolean): readonly string[] {
    if (this.#keys.size === 0) return [];
    const taken = [...this.#keys].filter(isWanted);
    for (const key of taken) this.#keys.delete(key);
    return taken;
  }
}
