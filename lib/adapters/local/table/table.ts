import { join } from 'node:path';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { Inventory } from '../../../ports/inventory.ts';
import type { Table, TableName } from '../../../ports/table.ts';
import { type Call, databaseClient } from '../../aws/table/client.ts';
import { dynamoInventory } from '../../aws/table/inventory.ts';
import { dynamoTable } from '../../aws/table/table.ts';
import { keyNames, tableSchemas } from '../../portable/schema.ts';
import { type LocalDatabase, type LocalDatabaseOptions, startDatabase } from './database.ts';
import { keepCopy } from './database-copy.ts';
import { alignIndexes, definitionsOf, indexesOf, keySchema, untilActive } from './indexes.ts';

/** What is found when the tables are opened; nobody else reads or writes them yet. */
export interface FoundTables {
  readonly table: Table;
  readonly inventory: Inventory;
  /** They were made a moment ago. */
  readonly isNew: boolean;
  /** Keeps a copy of the database in the folder, under a name that says why, and answers where; of one elsewhere, none. */
  keepCopy(name: string): string | undefined;
}

export interface LocalTableOptions extends LocalDatabaseOptions {
  readonly onCall?: (call: Call) => void;
  /** Leads what older versions left to what this one reads. It may throw: then nothing is opened. */
  readonly upgrade?: (found: FoundTables) => Promise<void>;
}

export interface LocalTable {
  readonly table: Table;
  readonly endpoint: string;
  close(): Promise<void>;
}

const NAMES = { catalog: 'weft-catalog', runs: 'weft-runs', journal: 'weft-journal' } as const;

/** Items first: an index over what lacks its attributes would be made twice. */
async function prepare(client: DynamoDBClient, { upgrade, endpoint, folder }: LocalTableOptions): Promise<void> {
  const isNew = await createTables(client, NAMES);
  const copy = (name: string) =>
    folder !== undefined && !endpoint ? keepCopy(join(folder, 'database'), name) : undefined;
  const reached = { client, names: NAMES };
  await upgrade?.({ table: dynamoTable(reached), inventory: dynamoInventory(reached), isNew, keepCopy: copy });
  for (const table of TABLES) await alignIndexes(client, table, NAMES[table]);
}

/**
 * Starts the database, or takes the one at the endpoint, creates what is missing in it, and leads what is there to the
 * present layout.
 * @throws Error as `startDatabase`, `createTables` and `upgrade` do; nothing is left running then.
 */
export async function openLocalTable(options: LocalTableOptions = {}): Promise<LocalTable> {
  const { onCall } = options;
  const database = await startDatabase(options);
  const client = localClient(database);
  const close = () => {
    client.destroy();
    return database.close();
  };
  try {
    await prepare(client, options);
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

const TABLES = Object.keys(tableSchemas) as TableName[];

/**
 * Creates the tables that are missing, with their indexes and time to live, and waits until each can be used. Does
 * nothing to those that are there. Answers whether all were missing.
 * @throws Error when a table is not usable within half a minute.
 */
export async function createTables(
  client: DynamoDBClient,
  names: Readonly<Record<TableName, string>>,
): Promise<boolean> {
  const made = TABLES.map(async (table) => {
    const isNew = await createTable(client, inputOf(table, names[table]));
    await untilActive(client, names[table]);
    await expire(client, names[table]);
    return isNew;
  });
  return (await Promise.all(made)).every((isNew) => isNew);
}

async function placeholderSign<T extends { headers: Record<string, string> }>(request: T): Promise<T> {
  Object.assign(request.headers, SIGNATURE);
  return request;
}

function inputOf(table: TableName, name: string): CreateTableCommandInput {
  const indexes = indexesOf(table);
  const keys = indexes.flatMap(({ KeySchema: schema = [] }) => schema.map(({ AttributeName: key = '' }) => key));
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: definitionsOf([keyNames.partition, keyNames.sort, ...keys]),
    KeySchema: keySchema(keyNames.partition, keyNames.sort),
    // An empty list is refused.
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
  };
}

/** False when it is there. */
async function createTable(client: DynamoDBClient, input: CreateTableCommandInput): Promise<boolean> {
  try {
    await client.send(new CreateTableCommand(input));
    return true;
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    return false;
  }
}

async function expire(client: DynamoDBClient, name: string): Promise<void> {
  const { TimeToLiveDescription: now } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  if (now?.TimeToLiveStatus === 'ENABLED' || now?.TimeToLiveStatus === 'ENABLING') return;
  const specification = { AttributeName: keyNames.expiry, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification: specification }));
}
