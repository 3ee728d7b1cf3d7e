import type { Item, Query, Table } from '../../ports/table.ts';

async function readPages(table: Table, query: Omit<Query, 'table'>): Promise<Item[]> {
  const items: Item[] = [];
  let next: string | undefined;
  do {
    const page = await table.query({ table: 'catalog', ...query, ...(next === undefined ? {} : { next }) });
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  return items;
}

/** Reads every item of a partition, page by page; only these attributes, if some are named. */
export const readAll = (table: Table, pk: string, only?: readonly string[]): Promise<Item[]> =>
  readPages(table, { pk, ...(only === undefined ? {} : { only }) });

/** Reads those whose sort key begins so. */
export const readPrefix = (table: Table, pk: string, prefix: string): Promise<Item[]> =>
  readPages(table, { pk, prefix });
