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
import { alignIndexes, definitionsOf, indexesOf, keySchema, untilActive } from './indexes.ts';

/** The tables at an endpoint, before the service uses them. */
export interface FoundEndpoint {
  readonly table: Table;
  readonly inventory: Inventory;
  /** The tables were just created. */
  readonly isNew: boolean;
}

export interface EndpointOptions {
  /** The URL of a DynamoDB, or of a database that speaks its protocol. */
  readonly endpoint: string;
  /** By default `local`, which some databases refuse. */
  readonly region?: string;
  readonly onCall?: (call: Call) => void;
  /** Migrates the data of older versions. If it throws, the tables are not opened. */
  readonly upgrade?: (found: FoundEndpoint) => Promise<void>;
}

export interface EndpointTable {
  readonly table: Table;
  close(): Promise<void>;
}

const NAMES = { catalog: 'weft-catalog', runs: 'weft-runs', journal: 'weft-journal' } as const;

/** Migrates items before indexes: an index over items without its attributes would be created twice. */
async function prepare(client: DynamoDBClient, { upgrade }: EndpointOptions): Promise<void> {
  const isNew = await createTables(client, NAMES);
  const reached = { client, names: NAMES };
  await upgrade?.({ table: dynamoTable(reached), inventory: dynamoInventory(reached), isNew });
  for (const table of TABLES) await alignIndexes(client, table, NAMES[table]);
}

/**
 * Opens the database at the endpoint, creates missing tables and indexes, and migrates the data.
 * @throws Error as `createTables` and `upgrade` do.
 */
export async function openEndpointTable(options: EndpointOptions): Promise<EndpointTable> {
  const { endpoint, region, onCall } = options;
  const client = endpointClient(endpoint, region);
  try {
    await prepare(client, options);
  } catch (error) {
    client.destroy();
    throw error;
  }
  const table = dynamoTable({ client, names: NAMES, ...(onCall && { onCall }) });
  return { table, close: async () => client.destroy() };
}

/**
 * A client of a database that checks no credentials, for `createTables` and `dynamoTable`. Databases keep the tables of each
 * region apart, and some accept only regions of AWS.
 */
export function endpointClient(endpoint: string, region = 'local'): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return databaseClient({ endpoint, region, credentials });
}

const TABLES = Object.keys(tableSchemas) as TableName[];

/**
 * Creates the missing tables with their indexes and time to live, and waits until each is active. Does not change existing
 * tables. Returns whether all were missing.
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

function inputOf(table: TableName, name: string): CreateTableCommandInput {
  const indexes = indexesOf(table);
  const keys = indexes.flatMap(({ KeySchema: schema = [] }) => schema.map(({ AttributeName: key = '' }) => key));
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: definitionsOf([keyNames.partition, keyNames.sort, ...keys]),
    KeySchema: keySchema(keyNames.partition, keyNames.sort),
    // DynamoDB rejects an empty list.
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
  };
}

/** Returns false when the table exists. */
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
