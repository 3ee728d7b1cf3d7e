import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { Table, TableName } from '../../ports.ts';
import { type Call, databaseClient } from '../aws/database-client.ts';
import { type IndexSchema, keyNames, tableSchemas } from '../aws/schema.ts';
import { dynamoTable } from '../aws/table.ts';
import { type LocalDatabase, type LocalDatabaseOptions, startDatabase } from './database.ts';

export interface LocalTableOptions extends LocalDatabaseOptions {
  readonly onCall?: (call: Call) => void;
}

export interface LocalTable {
  readonly table: Table;
  readonly endpoint: string;
  close(): Promise<void>;
}

const NAMES = { catalog: 'weft-catalog', runs: 'weft-runs', journal: 'weft-journal' } as const;

/**
 * Starts the database, or takes the one at the endpoint, and creates what is missing in it.
 * @throws Error as `startDatabase` and `createTables` do; nothing is left running then.
 */
export async function openLocalTable({ onCall, ...options }: LocalTableOptions = {}): Promise<LocalTable> {
  const database = await startDatabase(options);
  const client = localClient(database);
  const close = () => {
    client.destroy();
    return database.close();
  };
  try {
    await createTables(client, NAMES);
  } catch (error) {
    await close();
    throw error;
  }
  const table = dynamoTable({ client, names: NAMES, ...(onCall && { onCall }) });
  return { table, endpoint: database.endpoint, close };
}

/** The embedded database asks for a signature and does not look into it: this one costs nothing. */
const SIGNATURE = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20000101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  'x-amz-date': '20000101T000000Z',
};

/** Steps of the SDK that do nothing for a database in the same machine, and together take half of a call's CPU time. */
const IDLE_STEPS = [
  'endpointDiscoveryMiddleware',
  'getUserAgentMiddleware',
  'loggerMiddleware',
  'recursionDetectionMiddleware',
];

/** A connection to the database of `startDatabase`, for `createTables` and `dynamoTable`. */
export function localClient({ endpoint, isEmbedded }: Pick<LocalDatabase, 'endpoint' | 'isEmbedded'>): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = databaseClient({
    endpoint,
    region: 'local',
    credentials,
    ...(isEmbedded ? { signer: { sign: placeholderSign } } : {}),
  });
  if (isEmbedded) for (const step of IDLE_STEPS) client.middlewareStack.remove(step);
  return client;
}

/**
 * Creates the tables that are missing, with their indexes and time to live, and waits until each can be used. Does
 * nothing to those that are there.
 * @throws Error when a table is not usable within half a minute, and when one was made by a version with other indexes.
 */
export async function createTables(client: DynamoDBClient, names: Readonly<Record<TableName, string>>): Promise<void> {
  const tables = Object.keys(tableSchemas) as TableName[];
  await Promise.all(
    tables.map(async (table) => {
      await createTable(client, inputOf(table, names[table]));
      await untilActive(client, names[table]);
      await needIndexes(client, table, names[table]);
      await expire(client, names[table]);
    }),
  );
}

async function placeholderSign<T extends { headers: Record<string, string> }>(request: T): Promise<T> {
  Object.assign(request.headers, SIGNATURE);
  return request;
}

function inputOf(table: TableName, name: string): CreateTableCommandInput {
  const indexes: [string, IndexSchema][] = Object.entries(tableSchemas[table].indexes);
  const keys = new Set<string>([
    keyNames.partition,
    keyNames.sort,
    ...indexes.flatMap(([, { hash, range }]) => [hash, range]),
  ]);
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: Array.from(keys, (key) => ({ AttributeName: key, AttributeType: 'S' as const })),
    KeySchema: keySchema(keyNames.partition, keyNames.sort),
    // An empty list is refused.
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map(([index, { hash, range, includes }]) => ({
        IndexName: index,
        KeySchema: keySchema(hash, range),
        Projection:
          includes.length === 0
            ? { ProjectionType: 'KEYS_ONLY' as const }
            : { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...includes] },
      })),
    }),
  };
}

function keySchema(hash: string, range: string): NonNullable<CreateTableCommandInput['KeySchema']> {
  return [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ];
}

async function createTable(client: DynamoDBClient, input: CreateTableCommandInput): Promise<void> {
  try {
    await client.send(new CreateTableCommand(input));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
}

const LONGEST_WAIT_MS = 30_000;
const PAUSE_MS = 100;

async function untilActive(client: DynamoDBClient, name: string): Promise<void> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const { Table: table } = await client.send(new DescribeTableCommand({ TableName: name }));
    const statuses = [table?.TableStatus, ...(table?.GlobalSecondaryIndexes ?? []).map((index) => index.IndexStatus)];
    if (statuses.every((status) => status === 'ACTIVE')) return;
    if (performance.now() > deadline) throw new Error(`the table ${name} is not ready: ${statuses.join()}`);
    await sleep(PAUSE_MS);
  }
}

async function needIndexes(client: DynamoDBClient, table: TableName, name: string): Promise<void> {
  const { Table: found } = await client.send(new DescribeTableCommand({ TableName: name }));
  const there = new Map((found?.GlobalSecondaryIndexes ?? []).map((index) => [index.IndexName, index.KeySchema]));
  const indexes: [string, IndexSchema][] = Object.entries(tableSchemas[table].indexes);
  for (const [index, { hash, range }] of indexes) {
    const keys = (there.get(index) ?? []).map(({ AttributeName: attribute }) => attribute).sort();
    if (keys.join() === [hash, range].sort().join()) continue;
    throw new Error(
      `the table ${name} was made by another version of Weft: it lacks the index ${index} by ${hash} and ${range}; ` +
        'start with another data folder, or remove this one if what is in it may go',
    );
  }
}

async function expire(client: DynamoDBClient, name: string): Promise<void> {
  const { TimeToLiveDescription: now } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  if (now?.TimeToLiveStatus === 'ENABLED' || now?.TimeToLiveStatus === 'ENABLING') return;
  const specification = { AttributeName: keyNames.expiry, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification: specification }));
}
