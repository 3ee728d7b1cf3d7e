import type { Table } from '../../../ports/table.ts';
import { type DatabaseOptions, openDatabase } from './client.ts';
import { readItems } from './item-reader.ts';
import { writeItems } from './item-writer.ts';
import { readPage } from './page-reader.ts';

/**
 * The tables in DynamoDB, or in whatever speaks its protocol at `endpoint`. A call that DynamoDB refuses for the moment
 * (throttled, or in the way of another transaction) is repeated for a few seconds before its error is thrown. A lost
 * answer makes the SDK repeat a call. A lone conditional write may then meet its own first attempt and throw
 * ConflictError, and a lone unconditional `add` may count twice; several writes never do (their transaction has a
 * token).
 */
export function dynamoTable(options: DatabaseOptions): Table {
  const database = openDatabase(options);
  return {
    get: (keys) => readItems(database, keys),
    query: (query) => readPage(database, query),
    write: (writes) => writeItems(database, writes),
  };
}
