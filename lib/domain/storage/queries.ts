import type { Item, Page, Query, Table } from '../../ports/table.ts';
import type { Partition } from './key-parts.ts';
import { mergedPage } from './merging.ts';
import type { Partitions } from './spread.ts';

/** Which items of a partition are read, and which of their attributes. */
type Extract = Omit<Query, 'next' | 'count' | keyof Partition>;

/** A query without its cursor, of one partition or of several that are read as one. */
export type Range = Extract & (Partition | Partitions);

/** Returns a page of a range, as `Table.query`; a range of several partitions costs a query of each. */
export function readPage(
  table: Table,
  range: Range,
  page: Pick<Query, 'next' | 'count' | 'limit'> = {},
): Promise<Page> {
  if (!('pks' in range)) return table.query({ ...range, ...page });
  const { pks, order, ...extract } = range;
  const [pk = ''] = pks;
  return pks.length > 1 ? mergedPage(table, { ...range, ...page }) : table.query({ ...extract, ...page, pk });
}

/** Returns the first items of each partition of a range, at most `limit` of each, partition by partition. */
export async function readHeads(
  table: Table,
  { pks, order: _, ...extract }: Extract & Partitions,
  limit: number,
): Promise<Item[]> {
  const pages = await Promise.all(pks.map((pk) => table.query({ ...extract, pk, limit })));
  return pages.flatMap(({ items }) => items);
}

/** Returns the first items of a range, at most `limit`. */
export async function readFirst(table: Table, range: Range, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  let next: string | undefined;
  do {
    const page: Page = await readPage(table, range, { limit: limit - items.length, next });
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined && items.length < limit);
  return items;
}

async function* follow(table: Table, range: Range, isCount = false, after?: string): AsyncGenerator<Page> {
  const count = isCount ? { count: true } : {};
  let next = after;
  do {
    const page: Page = await readPage(table, range, { ...count, next });
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
    const page: Page = await readPage(table, range, { count: true, limit: left, next });
    left -= page.count;
    next = page.next;
    if (next === undefined) return;
  }
  for await (const { items } of follow(table, range, false, next)) yield items;
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
  for await (const { count } of follow(table, range, true)) total += count;
  return total;
}
