import type { Item, Page, Query, Table } from '../../ports/table.ts';

/** A query without its cursor: all pages of it. */
export type Range = Omit<Query, 'next' | 'count'>;

async function* follow(table: Table, query: Query, after?: string): AsyncGenerator<Page> {
  let next = after;
  do {
    const page: Page = await table.query({ ...query, next });
    yield page;
    next = page.next;
  } while (next !== undefined);
}

/** Yields the items of a query, page by page. */
export async function* pagesOf(table: Table, range: Range): AsyncGenerator<readonly Item[]> {
  for await (const { items } of follow(table, range)) yield items;
}

/**
 * Yields the items of a query after the first `skipped` ones, page by page. The skipped items are counted, not read: that
 * costs the database as much as reading, and transfers nothing.
 */
export async function* pagesAfter(table: Table, range: Range, skipped: number): AsyncGenerator<readonly Item[]> {
  let left = skipped;
  let next: string | undefined;
  while (left > 0) {
    const page: Page = await table.query({ ...range, count: true, limit: left, next });
    left -= page.count;
    next = page.next;
    if (next === undefined) return;
  }
  for await (const { items } of follow(table, range, next)) yield items;
}

/** Returns all items of a query. */
export async function readAll(table: Table, range: Range): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of pagesOf(table, range)) items.push(...page);
  return items;
}

/** Counts the items of a query without reading them. */
export async function countAll(table: Table, range: Range): Promise<number> {
  let total = 0;
  for await (const { count } of follow(table, { ...range, count: true })) total += count;
  return total;
}
