import { expect } from 'vitest';
import { ConflictError, type Item, type Key, type Table, type TableName, type Write } from '../../lib/ports/table.ts';

/** Returns the table under test, which exists when its tests run. */
export type TableOf = () => Table;

let partitions = 0;

/** A new partition for each test, so that all tests share one database. */
export const fresh = (): string => `partition-${++partitions}`;
export const keyOf = (pk: string, sk: string, table: TableName = 'catalog'): Key => ({ table, pk, sk });
export const put = (item: Item, table: TableName = 'catalog'): Write => ({ do: 'put', table, item });
export const sortsOf = (items: readonly Item[]): string[] => items.map((item) => item.sk);

export async function fill(table: Table, pk: string, sorts: readonly string[], more: object = {}): Promise<void> {
  for (const sk of sorts) await table.write([put({ pk, sk, ...more })]);
}

export async function conflictOf(written: Promise<void>): Promise<readonly number[]> {
  const error: unknown = await written.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConflictError);
  return error instanceof ConflictError ? error.failed : [];
}
