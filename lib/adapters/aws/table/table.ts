import type { Table } from '../../../ports/table.ts';
import { type DatabaseOptions, openDatabase } from './client.ts';
import { readItems } from './item-reader.ts';
import { writeItems } from './item-writer.ts';
import { readPage } from './page-reader.ts';
import { Throttles } from './throttles.ts';

/**
 * The tables in DynamoDB, or in a database with its protocol at `endpoint`. Transient errors (throttling, or a conflict
 * with another transaction) are retried for about two seconds. The SDK repeats a call whose response was lost: a single
 * conditional write may then find its own first attempt and throw ConflictError, and a single unconditional `add` may count
 * twice. Several writes are a transaction with an idempotency token, for which both are excluded.
 */
export function dynamoTable(options: DatabaseOptions): Table {
  const database = openDatabase(options);
  const throttles = new Throttles(options.names);
  return {
    get: (keys) => readItems(database, keys),
    query: (query) => readPage(database, query),
    write: (writes) => writeItems(database, writes, throttles),
    takeThrottled: (isWanted) => throttles.take(isWanted),
  };
}
