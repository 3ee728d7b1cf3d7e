import type { Item, Query, Table } from '../../ports/table.ts';

/** The rows of one partition, in the order in which they are listed. */
export type Range = Omit<Query, 'limit' | 'next' | 'count'>;

/** Rows [from, to) of all. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Window {
  readonly items: readonly Item[];
  /** How many rows there are in all. */
  readonly total: number;
}

/** So many partitions are counted side by side. */
const ABREAST = 8;

/** Rows before and behind the span are counted, which costs the database as much and nobody else anything. */
async function readOne(table: Table, range: Range, { from, to }: Span): Promise<Window> {
  const items: Item[] = [];
  let total = 0;
  let next: string | undefined;
  do {
    const isWanted = total >= from && total < to;
    const limit = total < from ? from - total : to - total;
    const page = await table.query({
      ...range,
      ...(isWanted ? {} : { count: true }),
      ...(limit > 0 && Number.isFinite(limit) ? { limit } : {}),
      ...(next === undefined ? {} : { next }),
    });
    if (isWanted) items.push(...page.items);
    total += page.count;
    next = page.next;
  } while (next !== undefined);
  return { items, total };
}

const NOTHING: Span = { from: 0, to: 0 };

async function countAll(table: Table, ranges: readonly Range[]): Promise<number> {
  let total = 0;
  for (let first = 0; first < ranges.length; first += ABREAST) {
    const some = ranges.slice(first, first + ABREAST).map((range) => readOne(table, range, NOTHING));
    for (const counted of await Promise.all(some)) total += counted.total;
  }
  return total;
}

/** The rows of a span of partitions that follow one another, and the number of all rows: only the span is read. */
export async function readWindow(table: Table, ranges: readonly Range[], { from, to }: Span): Promise<Window> {
  const items: Item[] = [];
  let total = 0;
  for (const [index, range] of ranges.entries()) {
    if (total >= to) return { items, total: total + (await countAll(table, ranges.slice(index))) };
    const part = await readOne(table, range, { from: Math.max(from - total, 0), to: to - total });
    items.push(...part.items);
    total += part.total;
  }
  return { items, total };
}

/** All rows of the partitions, page by page. */
export async function* pagesOf(table: Table, ranges: readonly Range[]): AsyncGenerator<readonly Item[]> {
  for (const range of ranges) {
    let next: string | undefined;
    do {
      const page = await table.query({ ...range, ...(next === undefined ? {} : { next }) });
      yield page.items;
      next = page.next;
    } while (next !== undefined);
  }
}
