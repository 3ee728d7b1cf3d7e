import type { Item, TableName } from '../../../ports/table.ts';
import type { LocalDatabase } from '../database/database.ts';
import type { Row, Statement } from '../database/statement.ts';
import { rowsOf } from './schema.ts';
import type { AllRows } from './writer.ts';

/** The belongings of an item, which are removed with it when it expires. */
export interface Belongings {
  /** Partitions of which every item is removed. */
  readonly partitions: readonly { readonly table: TableName; readonly pk: string }[];
  /** Called in the transaction that removes the item; may change other rows of the database. */
  readonly remove: () => void;
}

/**
 * Removes at most `most` items: those whose time to live (the attribute `ttl`, seconds since 1970) is over at `now`
 * (milliseconds since 1970), the oldest first, and the items that belong to them. An item goes in the transaction that
 * removes the last of its belongings. Returns the number of removed items. Throws StorageError while the disk accepts no
 * writes.
 */
export type Expire = (now: number, most: number, belongingsOf: (table: TableName, item: Item) => Belongings) => number;

interface Statements {
  readonly expired: Statement;
  readonly partition: Statement;
}

function statementsOf(database: LocalDatabase, table: TableName): Statements {
  const rows = rowsOf(table);
  return {
    expired: database.statement(`SELECT pk, sk FROM ${rows} WHERE ttl IS NOT NULL AND ttl < ? ORDER BY ttl LIMIT ?`),
    partition: database.statement(`SELECT pk, sk FROM ${rows} WHERE pk = ? LIMIT ?`),
  };
}

const keyIn = ({ pk, sk }: Row) => ({ pk: String(pk), sk: String(sk) });

/** Removes expired items from the tables of a database. */
export function expiryOf(database: LocalDatabase, rows: AllRows): Expire {
  const statements = {
    catalog: statementsOf(database, 'catalog'),
    runs: statementsOf(database, 'runs'),
    journal: statementsOf(database, 'journal'),
  };
  const removeOne = (table: TableName, row: Row): void => {
    const key = keyIn(row);
    rows[table].remove(key, rows[table].get(key));
  };
  /** Removes at most `most` items of a partition; returns their number. */
  const clear = ({ table, pk }: Belongings['partitions'][number], most: number): number => {
    const found = statements[table].partition.all(pk, most);
    for (const row of found) removeOne(table, row);
    return found.length;
  };
  return (now, most, belongingsOf) =>
    database.write(() => {
      let left = most;
      for (const [table, { expired }] of Object.entries(statements) as [TableName, Statements][]) {
        for (const row of expired.all(Math.floor(now / 1000), left)) {
          const item = rows[table].get(keyIn(row));
          // A row that was read a moment ago can belong to an item before it.
          if (item === undefined) continue;
          const { partitions, remove } = belongingsOf(table, item);
          for (const partition of partitions) left -= clear(partition, left);
          if (left === 0) return most;
          remove();
          removeOne(table, row);
          left -= 1;
        }
      }
      return most - left;
    });
}
