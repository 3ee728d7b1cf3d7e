/** A secondary index: the attributes that partition and order it, and what it carries besides the keys. */
export interface IndexSchema {
  readonly hash: string;
  readonly range: string;
  readonly includes: readonly string[];
}

/** Every key attribute of ours, of a table or of an index, is a string. */
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

/** What is counted of a run that is over. */
const RUN_RESULT = ['wf', 'revision', 'status', 'code', 'at', 'created', 'updated', 'tally'] as const;

/** The partition key, the sort key and the attribute of the time to live (seconds since 1970), of every table. */
export const keyNames = { partition: 'pk', sort: 'sk', expiry: 'ttl' } as const;

/** The tables, all on demand. Local creation and the deployed stack are both made from this. */
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
 * The attributes that partition and order a table, or its index of that name.
 * @throws Error when the table has no such index.
 */
export function keysOf(table: keyof typeof tableSchemas, index?: string): { hash: string; range: string } {
  if (index === undefined) return { hash: keyNames.partition, range: keyNames.sort };
  const indexes: Readonly<Record<string, IndexSchema>> = tableSchemas[table].indexes;
  const found = Object.hasOwn(indexes, index) ? indexes[index] : undefined;
  if (found === undefined) throw new Error(`the table ${table} has no index ${index}`);
  return found;
}
