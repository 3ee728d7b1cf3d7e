import type { Item, Page, Table } from '../../ports/table.ts';
import { batchesOf } from './batches.ts';
import { compareKeys } from './merging.ts';
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

/** The rows of a list that cursors name: those between two positions of its index, of them the first or the last. */
export interface Cut {
  /** The position after which the rows begin, in the order of the list; its row may have been deleted. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  /** So many rows, from the end if `isFromEnd`, else from the beginning. */
  readonly rows: number;
  readonly isFromEnd: boolean;
}

/** The rows of a cut, the number of the first one in the list, and the number of all rows of the list. */
export interface Piece extends Window {
  readonly from: number;
}

/** The parts of ranges from one position to another, both included. Of a range and a position the narrower bound holds. */
const narrow = (ranges: readonly Range[], low: string | undefined, high: string | undefined): Range[] =>
  ranges.map((range) => ({
    ...range,
    from: [range.from, low]
      .filter((one) => one !== undefined)
      .toSorted(compareKeys)
      .at(-1),
    to: [range.to, high].filter((one) => one !== undefined).toSorted(compareKeys)[0],
  }));

/** Bounds of a query are included: this sorts next after a position. */
const nextAfter = (position: string | undefined): string | undefined => position && `${position}\u0000`;

const reversed = (ranges: readonly Range[]): Range[] =>
  ranges.map((range) => ({ ...range, descending: range.descending !== true })).toReversed();

/** Returns the rows of a cut of partitions that follow one another in a list. Only they are read; all others are counted. */
export async function readCut(table: Table, ranges: readonly Range[], cut: Cut): Promise<Piece> {
  const { after, before, rows, isFromEnd } = cut;
  const isDescending = ranges[0]?.descending === true;
  const [low, high] = isDescending ? [before, after] : [after, before];
  const isCrossed = low !== undefined && high !== undefined && compareKeys(low, high) >= 0;
  if (isCrossed) return readCut(table, ranges, { after, rows: 0, isFromEnd: false });
  const countOf = (some: readonly Range[], isNeeded: boolean) => (isNeeded ? countRows(table, some) : 0);
  const [below, above, atHigh] = await Promise.all([
    countOf(narrow(ranges, undefined, low), low !== undefined),
    countOf(narrow(ranges, high, undefined), high !== undefined),
    countOf(narrow(ranges, high, high), high !== undefined),
  ]);
  // The row at the upper end is within the bounds of the query and not of the cut: it is skipped, or it is the last one.
  const inside = narrow(ranges, nextAfter(low), high);
  const skipped = isFromEnd !== isDescending ? atHigh : 0;
  const window = await readWindow(table, isFromEnd ? reversed(inside) : inside, { from: skipped, to: skipped + rows });
  const total = window.total - atHigh;
  const items = window.items.slice(0, total);
  const ahead = isDescending ? above : below;
  const from = ahead + (isFromEnd ? total - items.length : 0);
  return { items: isFromEnd ? items.toReversed() : items, from, total: below + total + above };
}
