import { BATCH_LIMIT, type Condition, type Item, type Key, type Table, type Write } from '../../ports/table.ts';
import { type Range, readPage } from './queries.ts';

/** Splits a list into lists of at most `size` members. */
export function batchesOf<T>(all: readonly T[], size = BATCH_LIMIT): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/** Returns the items of any number of keys in their order, undefined where there is none. */
export async function getAll(table: Table, keys: readonly Key[]): Promise<(Item | undefined)[]> {
  const items: (Item | undefined)[] = [];
  for (const batch of batchesOf(keys)) items.push(...(await table.get(batch)));
  return items;
}

/** Deletes the items of any number of keys. Not one transaction: an interrupted call must be repeated. */
export async function deleteKeys(table: Table, keys: readonly Key[]): Promise<void> {
  for (const batch of batchesOf(keys)) await table.write(batch.map((key): Write => ({ do: 'delete', key })));
}

/** Deletes all items of a query over a table. Not one transaction: an interrupted call must be repeated. */
export async function deleteAll(table: Table, range: Range): Promise<void> {
  for (;;) {
    const { items } = await readPage(table, { ...range, only: ['pk', 'sk'] }, { limit: BATCH_LIMIT });
    if (items.length === 0) return;
    await deleteKeys(
      table,
      items.map(({ pk, sk }) => ({ table: range.table, pk, sk })),
    );
  }
}

/** A write that stores an item. */
export type Put = Extract<Write, { readonly do: 'put' }>;

/** The write that stores an item at a key. */
export function putAt({ table, pk, sk }: Key, attributes: Omit<Item, 'pk' | 'sk'>, when?: Condition): Put {
  return { do: 'put', table, item: { pk, sk, ...attributes }, when };
}
