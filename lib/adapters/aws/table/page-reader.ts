import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { Page, Query } from '../../../ports/table.ts';
import { rangeOf, toCursor, toPlace } from '../../portable/pages.ts';
import { keyNames, keysOf } from '../../portable/schema.ts';
import type { Database } from './client.ts';
import { keyText, Placeholders, whereText } from './expression.ts';
import { unmarshalItem } from './values.ts';

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
  if (output.LastEvaluatedKey === undefined) return page;
  return { ...page, next: toCursor(Object.entries(output.LastEvaluatedKey).map(([name, value]) => [name, value.S])) };
}

function inputOf(database: Database, query: Query): QueryCommandInput | undefined {
  const keys = keysOf(query.table, query.index);
  const range = rangeOf(query);
  const start = query.next === undefined ? undefined : toPlace(query, query.next);
  if (range === undefined) return undefined;
  const holders = new Placeholders();
  const condition = keyText(query, range, keys, holders);
  const projection = projectionText(query, holders);
  const filter = whereText(query.where, holders);
  return {
    TableName: database.names[query.table],
    KeyConditionExpression: condition,
    ScanIndexForward: query.descending !== true,
    ...(query.index === undefined ? { ConsistentRead: true } : { IndexName: query.index }),
    ...(query.limit === undefined ? {} : { Limit: query.limit }),
    ...(query.count ? { Select: 'COUNT' as const } : projection && { ProjectionExpression: projection }),
    ...(filter === undefined ? {} : { FilterExpression: filter }),
    ...(start && { ExclusiveStartKey: Object.fromEntries(Array.from(start, ([name, value]) => [name, { S: value }])) }),
    ...holders.fields(),
    ...database.capacity,
  };
}

function projectionText(query: Query, holders: Placeholders): string | undefined {
  if (query.only === undefined || query.count) return undefined;
  const names = new Set([keyNames.partition, keyNames.sort, ...query.only]);
  return [...names].map((name) => holders.name(name)).join(', ');
}
