import type { Item, Page, Table } from '../../ports/table.ts';
import { batchesOf } from './batches.ts';
import { type Range, readPage } from './queries.ts';

/** The rows [from, to) of a list. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The rows of a span, and the number of all rows. */
export interface Window {
  readonly items: readonly Item[];
  readonly total: number;
}

/** The number of partitions that are counted at the same time. */
const CONCURRENCY = 8;

/** Rows before and after the span are counted: that costs the database as much as reading, and transfers nothing. */
async function readOne(table: Table, range: Range, { from, to }: Span): Promise<Window> {
  const items: Item[] = [];
  let total = 0;
  let next: string | undefined;
  do {
    const isInSpan = total >= from && total < to;
    const left = total < from ? from - total : to - total;
    const limit = left > 0 && Number.isFinite(left) ? left : undefined;
    const page: Page = await readPage(table, range, { count: !isInSpan, limit, next });
    items.push(...page.items);
    total += page.count;
    next = page.next;
  } while (next !== undefined);
  return { items, total };
}

const NO_ROWS: Span = { from: 0, to: 0 };

async function countRows(table: Table, ranges: readonly Range[]): Promise<number> {
  let sum = 0;
  for (const batch of batchesOf(ranges, CONCURRENCY)) {
    for (const { total } of await Promise.all(batch.map((range) => readOne(table, range, NO_ROWS)))) sum += total;
  }
  return sum;
}

/**
 * Returns the rows of a span of partitions that follow one another in a list, and the number of all rows. Only the span
 * is read.
 */
export async function readWindow(table: Table, ranges: readonly Range[], { from, to }: Span): Promise<Window> {
  const items: Item[] = [];
  let total = 0;
  for (const [index, range] of ranges.entries()) {
    if (total >= to) return { items, total: total + (await countRows(table, ranges.slice(index))) };
    const window = await readOne(table, range, { from: Math.max(from - total, 0), to: to - total });
    items.push(...window.items);
    total += window.total;
  }
  return { items, total };
}
