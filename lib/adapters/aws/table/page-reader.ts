import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { Page, Query } from '../../../ports/table.ts';
import { keyNames, keysOf } from '../../portable/schema.ts';
import type { Database } from './client.ts';
import { keyText, Placeholders, rangeOf } from './expression.ts';
import { type Attributes, unmarshalItem } from './values.ts';

/**
 * One page of a query. `from` and `to` are inclusive, in either direction, and narrow `prefix` where both are given.
 * @throws Error for an index that the table does not have, and for a cursor `next` of another query.
 */
export async function readPage(database: Database, query: Query): Promise<Page> {
  const input = inputOf(database, query);
  if (input === undefined) return { items: [], count: 0 };
  const output = await database.call('Query', query.table, (client) => client.send(new QueryCommand(input)));
  const items = (output.Items ?? []).map(unmarshalItem);
  const page = { items, count: output.Count ?? items.length };
  return output.LastEvaluatedKey ? { ...page, next: cursorOf(output.LastEvaluatedKey) } : page;
}

function inputOf(database: Database, query: Query): QueryCommandInput | undefined {
  const keys = keysOf(query.table, query.index);
  const range = rangeOf(query);
  const start = query.next === undefined ? undefined : startOf(query, query.next);
  if (range === undefined) return undefined;
  const holders = new Placeholders();
  const condition = keyText(query, range, keys, holders);
  const projection = projectionText(query, holders);
  return {
    TableName: database.names[query.table],
    KeyConditionExpression: condition,
    ScanIndexForward: query.descending !== true,
    ...(query.index === undefined ? { ConsistentRead: true } : { IndexName: query.index }),
    ...(query.limit === undefined ? {} : { Limit: query.limit }),
    ...(query.count ? { Select: 'COUNT' as const } : projection && { ProjectionExpression: projection }),
    ...(start && { ExclusiveStartKey: start }),
    ...holders.fields(),
    ...database.capacity,
  };
}

function projectionText(query: Query, holders: Placeholders): string | undefined {
  if (query.only === undefined || query.count) return undefined;
  const names = new Set([keyNames.partition, keyNames.sort, ...query.only]);
  return [...names].map((name) => holders.name(name)).join(', ');
}

function cursorOf(key: Attributes): string {
  const plain = Object.entries(key).map(([name, value]) => [name, value.S]);
  return Buffer.from(JSON.stringify(Object.fromEntries(plain))).toString('base64url');
}

/** Clients send cursors back: a cursor of another partition must not read there. */
function startOf(query: Query, cursor: string): Attributes {
  const { hash, range } = keysOf(query.table, query.index);
  const names = [...new Set<string>([hash, range, keyNames.partition, keyNames.sort])];
  const plain = readCursor(cursor);
  const isOurs = plain.get(hash) === query.pk && plain.size === names.length && names.every((name) => plain.has(name));
  if (!isOurs) throw new Error('this cursor does not continue this query');
  return Object.fromEntries(Array.from(plain, ([name, value]) => [name, { S: value }]));
}

function readCursor(cursor: string): Map<string, string> {
  const entries = new Map<string, string>();
  try {
    const plain: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    for (const [name, value] of Object.entries(plain ?? {})) {
      if (typeof value === 'string') entries.set(name, value);
    }
  } catch (cause) {
    throw new Error('this cursor is unreadable', { cause });
  }
  return entries;
}
