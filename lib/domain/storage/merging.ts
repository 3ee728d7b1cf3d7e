import type { Item, Page, Query, Table } from '../../ports/table.ts';
import type { Partitions } from './spread.ts';

/** A query of partitions as if they were one. The cursor `next` is the position of the last row that was returned. */
export type MergedQuery = Omit<Query, 'pk'> & Partitions;

/** Rows that one partition may have beyond its share of a page. */
const SURPLUS = 4;

/** The order of keys in DynamoDB, which is that of the bytes in UTF-8: negative, zero or positive. */
export const compareKeys = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The part of a page that one partition has. */
interface Piece {
  readonly rows: readonly Item[];
  readonly hasMore: boolean;
}

const orderOf = ({ order }: MergedQuery, row: Item): string => String(row[order]);

/** The query of one partition, after the position; the row at the position itself is included. */
function queryOf({ pks, order, next, ...query }: MergedQuery, pk: string): Query {
  const after = next === undefined ? {} : query.descending === true ? { to: next } : { from: next };
  return { ...query, ...after, pk };
}

/** Reads rows of a partition: at least one, if it has any. */
async function readPiece(table: Table, merged: MergedQuery, pk: string): Promise<Piece> {
  const { limit, only, order, pks, next: position } = merged;
  const share = limit === undefined ? undefined : Math.min(limit, Math.ceil(limit / pks.length) + SURPLUS) + 1;
  const query = { ...queryOf(merged, pk), count: undefined, limit: share, only: only && [...only, order] };
  let next: string | undefined;
  do {
    const page: Page = await table.query({ ...query, next });
    const rows = page.items.filter((row) => orderOf(merged, row) !== position);
    next = page.next;
    if (rows.length > 0) return { rows, hasMore: next !== undefined };
  } while (next !== undefined);
  return { rows: [], hasMore: false };
}

/** Returns how many items of one partition a query has. */
export async function countPartition(table: Table, query: Query): Promise<number> {
  let total = 0;
  let next: string | undefined;
  do {
    const page: Page = await table.query({ ...query, count: true, next });
    total += page.count;
    next = page.next;
  } while (next !== undefined);
  return total;
}

/** Counts all rows after the position. */
async function countRest(table: Table, merged: MergedQuery): Promise<number> {
  const { next } = merged;
  const counts = merged.pks.map(async (pk) => {
    const query = queryOf(merged, pk);
    const atPosition = next === undefined ? 0 : await countPartition(table, { ...query, from: next, to: next });
    return (await countPartition(table, query)) - atPosition;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Rows in their order, up to the first of which a partition may have further ones before the next. */
function mergePieces(
  merged: MergedQuery,
  pieces: readonly Piece[],
): { readonly rows: Item[]; readonly isAll: boolean } {
  const sign = merged.descending === true ? -1 : 1;
  const compare = (a: string, b: string): number => sign * compareKeys(a, b);
  const ends = pieces.flatMap(({ rows, hasMore }) => {
    const last = rows.at(-1);
    return hasMore && last !== undefined ? [orderOf(merged, last)] : [];
  });
  const [end] = ends.sort(compare);
  const all = pieces.flatMap(({ rows }) => rows).sort((a, b) => compare(orderOf(merged, a), orderOf(merged, b)));
  const known = end === undefined ? all : all.filter((row) => compare(orderOf(merged, row), end) <= 0);
  const rows = known.slice(0, merged.limit);
  return { rows, isAll: end === undefined && rows.length === all.length };
}

/**
 * Returns a page of partitions as if they were one, in their common order; counts them as `Query` does. Its cursor stays
 * valid while rows are added and deleted. A page may have fewer rows than its limit while there are more.
 */
export async function mergedPage(table: Table, merged: MergedQuery): Promise<Page> {
  const isCount = merged.count === true;
  if (isCount && merged.limit === undefined) return { items: [], count: await countRest(table, merged) };
  const wanted = isCount ? { ...merged, only: [merged.order] } : merged;
  const pieces = await Promise.all(merged.pks.map((pk) => readPiece(table, wanted, pk)));
  const { rows, isAll } = mergePieces(wanted, pieces);
  const last = rows.at(-1);
  const page = { items: isCount ? [] : rows, count: rows.length };
  return isAll || last === undefined ? page : { ...page, next: orderOf(merged, last) };
}
