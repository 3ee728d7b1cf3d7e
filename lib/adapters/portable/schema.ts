/** A secondary index: its partition key, its sort key, and the attributes that it projects besides the keys. */
export interface IndexSchema {
  readonly hash: string;
  readonly range: string;
  readonly includes: readonly string[];
}

/** The indexes of a table. The key attributes of tables and indexes are strings. */
export interface TableSchema {
  readonly indexes: Readonly<Record<string, IndexSchema>>;
}

const RUN_SUMMARY = [
  'n',
  'id',
  'as',
  'wf',
  'status',
  'created',
  'updated',
  'invoker',
  'code',
  'message',
  'revision',
] as const;

/** The attributes of an ended run that the metrics need, in the index `by-end`. */
const RUN_RESULT = ['wf', 'revision', 'status', 'code', 'at', 'created', 'updated', 'tally'] as const;

/** The names of the partition key, the sort key and the time to live (seconds since 1970) of every table. */
export const keyNames = { partition: 'pk', sort: 'sk', expiry: 'ttl' } as const;

/** The tables and their indexes. The local tables and the deployed stack are both created from this. */
export const tableSchemas = {
  catalog: { indexes: {} },
  runs: {
    indexes: {
      'by-namespace': { hash: 'nsBucket', range: 'order', includes: RUN_SUMMARY },
      'by-end': { hash: 'endBucket', range: 'endOrder', includes: RUN_RESULT },
    },
  },
  journal: {
    indexes: { 'by-time': { hash: 'timeBucket', range: 'time', includes: [] } },
  },
} as const satisfies Record<string, TableSchema>;

/**
 * The items that processes may keep in memory for a moment, as keys and attributes of the domain name them: those of
 * namespaces that have an attribute, and those that are read with them, such as API keys.
 */
export const leasable = { table: 'catalog', namespaces: 'namespaces', spread: 'spread', apiKeys: 'api-keys' } as const;

/**
 * The partition key and the sort key of a table, or of its index with that name.
 * @throws Error when the table has no such index.
 */
export function keysOf(table: keyof typeof tableSchemas, index?: string): { hash: string; range: string } {
  if (index === undefined) return { hash: keyNames.partition, range: keyNames.sort };
  const indexes: Readonly<Record<string, IndexSchema>> = tableSchemas[table].indexes;
  const found = Object.hasOwn(indexes, index) ? indexes[index] : undefined;
  if (found === undefined) throw new Error(`the table ${table} has no index ${index}`);
  return found;
}
