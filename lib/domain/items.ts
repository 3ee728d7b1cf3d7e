import type { Item, Table } from '../ports.ts';

/** Reads every item of a partition, page by page. */
export async function readAll(table: Table, pk: string): Promise<Item[]> {
  const items: Item[] = [];
  let next: string | undefined;
  do {
    const page = await table.query({ table: 'catalog', pk, ...(next === undefined ? {} : { next }) });
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  return items;
}
