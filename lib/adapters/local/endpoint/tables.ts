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

/** What is found at an endpoint before anything is served. */
export interface FoundEndpoint {
  readonly table: Table;
  readonly inventory: Inventory;
  /** The tables were made a moment ago. */
  readonly isNew: boolean;
}

export interface EndpointOptions {
  /** The address of a DynamoDB, or of anything that speaks its protocol. */
  readonly endpoint: string;
  readonly onCall?: (call: Call) => void;
  /** Migrates what older versions left. It may throw: then nothing is opened. */
  readonly upgrade?: (found: FoundEndpoint) => Promise<void>;
}

export interface EndpointTable {
  readonly table: Table;
  close(): Promise<void>;
}

const NAMES = { catalog: 'weft-catalog', runs: 'weft-runs', journal: 'weft-journal' } as const;

/** Items first: an index over what lacks its attributes would be made twice. */
async function prepare(client: DynamoDBClient, { upgrade }: EndpointOptions): Promise<void> {
  const isNew = await createTables(client, NAMES);
  const reached = { client, names: NAMES };
  await upgrade?.({ table: dynamoTable(reached), inventory: dynamoInventory(reached), isNew });
  for (const table of TABLES) await alignIndexes(client, table, NAMES[table]);
}

/**
 * Takes the database at the endpoint, creates what is missing in it, and migrates what is there.
 * @throws Error as `createTables` and `upgrade` do.
 */
export async function openEndpointTable(options: EndpointOptions): Promise<EndpointTable> {
  const { endpoint, onCall } = options;
  const client = endpointClient(endpoint);
  try {
    await prepare(client, options);
  } catch (error) {
    client.destroy();
    throw error;
  }
  const table = dynamoTable({ client, names: NAMES, ...(onCall && { onCall }) });
  return { table, close: async () => client.destroy() };
}

/** A connection to a database in this machine or nearby, for `createTables` and `dynamoTable`. */
export function endpointClient(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return databaseClient({ endpoint, region: 'local', credentials });
}

const TABLES = Object.keys(tableSchemas) as TableName[];

/**
 * Creates the tables that are missing, with their indexes and time to live, and waits until each can be used. Does
 * nothing to those that are there. Returns whether all were missing.
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
