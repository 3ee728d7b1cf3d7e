import { BatchGetItemCommand, GetItemCommand, type KeysAndAttributes } from '@aws-sdk/client-dynamodb';
import type { Item, Key, TableName } from '../../../ports/table.ts';
import { backoff, type Database, MAX_ATTEMPTS } from './client.ts';
import { type Attributes, unmarshalItem } from './values.ts';

/** DynamoDB's limit for one batch. */
const MAX_KEYS = 100;

/**
 * The items with these keys, in the order of the keys, undefined where there is none. One request for all keys.
 * @throws Error for more than 100 keys.
 */
export async function readItems(database: Database, keys: readonly Key[]): Promise<readonly (Item | undefined)[]> {
  const distinct = new Map(keys.map((key) => [identity(key.table, key.pk, key.sk), key]));
  if (distinct.size > MAX_KEYS) throw new Error(`${distinct.size} items asked for at once; at most ${MAX_KEYS}`);
  const [only, ...others] = distinct.values();
  if (only === undefined) return [];
  if (others.length === 0) {
    const item = await readItem(database, only);
    return keys.map(() => item);
  }
  const found = await readBatch(database, [...distinct.values()]);
  return keys.map((key) => found.get(identity(key.table, key.pk, key.sk)));
}

async function readItem(database: Database, key: Key): Promise<Item | undefined> {
  const command = new GetItemCommand({
    TableName: database.names[key.table],
    Key: attributesOf(key),
    ConsistentRead: true,
    ...database.capacity,
  });
  const { Item: found } = await database.call('GetItem', key.table, (client) => client.send(command));
  return found && unmarshalItem(found);
}

async function readBatch(database: Database, keys: readonly Key[]): Promise<Map<string, Item>> {
  const tables = [...new Set(keys.map((key) => key.table))];
  const found = new Map<string, Item>();
  let wanted = requestOf(database, keys);
  let before = 0;
  for (let tries = 1; ; tries++) {
    const command = new BatchGetItemCommand({ RequestItems: wanted, ...database.capacity });
    const output = await database.call('BatchGetItem', tables.join('+'), (client) => client.send(command));
    for (const table of tables) collect(found, table, output.Responses?.[database.names[table]]);
    wanted = output.UnprocessedKeys ?? {};
    if (Object.keys(wanted).length === 0) return found;
    if (tries >= MAX_ATTEMPTS) throw new Error(`the database left items unread after ${tries} tries`);
    // Keys are also unprocessed when the response reached 16 MB. It then has items, and no pause is needed.
    if (found.size === before) await backoff(tries);
    before = found.size;
  }
}

function requestOf(database: Database, keys: readonly Key[]): Record<string, KeysAndAttributes> {
  const request: Record<string, { Keys: Attributes[]; ConsistentRead: true }> = {};
  for (const key of keys) {
    const name = database.names[key.table];
    const entry = request[name] ?? { Keys: [], ConsistentRead: true };
    entry.Keys.push(attributesOf(key));
    request[name] = entry;
  }
  return request;
}

function collect(found: Map<string, Item>, table: TableName, items: readonly Attributes[] | undefined): void {
  for (const attributes of items ?? []) {
    const item = unmarshalItem(attributes);
    found.set(identity(table, item.pk, item.sk), item);
  }
}

function attributesOf(key: Key): Attributes {
  return { pk: { S: key.pk }, sk: { S: key.sk } };
}

/** A unique text for a key: the length marks the end of pk. */
function identity(table: TableName, pk: string, sk: string): string {
  return `${table} ${pk.length} ${pk} ${sk}`;
}
