import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeTableCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndex,
  type GlobalSecondaryIndexDescription,
  type TableDescription,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import type { TableName } from '../../../ports/table.ts';
import { type IndexSchema, keyNames, tableSchemas } from '../../portable/schema.ts';

/** The key schema of a table or an index, for a request to DynamoDB. */
export function keySchema(hash: string, range: string): NonNullable<GlobalSecondaryIndex['KeySchema']> {
  return [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ];
}

/** The definitions of key attributes, for a request to DynamoDB. */
export const definitionsOf = (names: Iterable<string>) =>
  Array.from(new Set(names), (name) => ({ AttributeName: name, AttributeType: 'S' as const }));

const indexOf = ([name, { hash, range, includes }]: [string, IndexSchema]): GlobalSecondaryIndex => ({
  IndexName: name,
  KeySchema: keySchema(hash, range),
  Projection:
    includes.length === 0
      ? { ProjectionType: 'KEYS_ONLY' }
      : { ProjectionType: 'INCLUDE', NonKeyAttributes: [...includes] },
});

/** The definitions of the indexes of a table. */
export const indexesOf = (table: TableName): GlobalSecondaryIndex[] =>
  Object.entries<IndexSchema>(tableSchemas[table].indexes).map(indexOf);

const MAX_WAIT_MS = 30_000;
const PAUSE_MS = 100;

/**
 * Waits until a table and its indexes can be used.
 * @throws Error after half a minute, unless an index is being filled: that takes long over many items.
 */
export async function untilActive(client: DynamoDBClient, name: string): Promise<TableDescription> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const { Table: table = {} } = await client.send(new DescribeTableCommand({ TableName: name }));
    const statuses = [table.TableStatus, ...(table.GlobalSecondaryIndexes ?? []).map((index) => index.IndexStatus)];
    if (statuses.every((status) => status === 'ACTIVE')) return table;
    const isBuilding = (table.GlobalSecondaryIndexes ?? []).some(({ Backfilling: isFilled }) => isFilled === true);
    if (performance.now() > deadline && !isBuilding)
      throw new Error(`the table ${name} is not ready: ${statuses.join()}`);
    await sleep(PAUSE_MS);
  }
}

type Described = Pick<GlobalSecondaryIndexDescription, 'IndexName' | 'KeySchema' | 'Projection'>;

/** The definition of an index as one text, for comparison. */
function signOf({ IndexName: name, KeySchema: keys = [], Projection: shown = {} }: Described): string {
  const names = keys.map(({ AttributeName: attribute, KeyType: type }) => `${type} ${attribute}`).sort();
  const attributes = [...(shown.NonKeyAttributes ?? [])].sort();
  return [name, ...names, shown.ProjectionType, ...attributes].join(' ');
}

/**
 * Deletes the indexes that are not in the schema or have another definition, and creates the missing ones, one at a time,
 * as DynamoDB demands. It can be interrupted anywhere and repeated.
 */
export async function alignIndexes(client: DynamoDBClient, table: TableName, name: string): Promise<void> {
  const wanted = new Map(indexesOf(table).map((index) => [signOf(index), index]));
  let found = (await untilActive(client, name)).GlobalSecondaryIndexes ?? [];
  for (const index of found.filter((one) => !wanted.has(signOf(one)))) {
    const change = { Delete: { IndexName: index.IndexName } };
    await client.send(new UpdateTableCommand({ TableName: name, GlobalSecondaryIndexUpdates: [change] }));
    found = (await untilActive(client, name)).GlobalSecondaryIndexes ?? [];
  }
  const there = new Set(found.map(signOf));
  const keys = found.flatMap(({ KeySchema: schema = [] }) => schema.map(({ AttributeName: key = '' }) => key));
  for (const [sign, index] of wanted) {
    if (there.has(sign)) continue;
    keys.push(...(index.KeySchema ?? []).map(({ AttributeName: key = '' }) => key));
    const definitions = definitionsOf([keyNames.partition, keyNames.sort, ...keys]);
    const change = {
      TableName: name,
      AttributeDefinitions: definitions,
      GlobalSecondaryIndexUpdates: [{ Create: index }],
    };
    await client.send(new UpdateTableCommand(change));
    await untilActive(client, name);
  }
}
