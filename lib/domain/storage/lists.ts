import { parseJson } from '../../language/json-numbers.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import type { ListRequest } from './list-requests.ts';
import type { Cut, Span } from './windows.ts';

export interface PageInfo {
  readonly order: ListRequest['order'];
  readonly filter: ListRequest['filter'];
  readonly limit: number;
  readonly offset: number;
  readonly total: number;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string;
  readonly endCursor: string;
}

/** A page of a list for all clients: `results` for v0.7 and later, `edges` and `totalCount` for v0.6. */
export interface List<T> {
  readonly pageInfo: PageInfo;
  readonly results: readonly T[];
  readonly totalCount: number;
  readonly edges: readonly { readonly node: T; readonly cursor: string }[];
}

/** How the rows of a list are ordered and filtered. */
export interface Sorting<T> {
  /** By order field: the value to compare. */
  readonly orders: Readonly<Record<string, (row: T) => string | number>>;
  /** The order of a request that gives none. */
  readonly defaults: readonly { readonly field: string; readonly direction: 'ASC' | 'DESC' }[];
  /** By `FIELD/TYPE`: whether the row passes. */
  readonly filters: Readonly<Record<string, (row: T, value: string) => boolean>>;
  /** The id of a row in a cursor. */
  readonly idOf: (row: T) => string;
}

/** The most rows of a page, also for a request without a limit: `limit` 0 and negative numbers mean none. */
export const MAX_PAGE_ROWS = 1_000;

const rowsWanted = (limit: number): number => (limit > 0 ? Math.min(limit, MAX_PAGE_ROWS) : MAX_PAGE_ROWS);

function compare(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function sorted<T>(rows: readonly T[], request: ListRequest, sorting: Sorting<T>): T[] {
  const known = request.order.filter(({ field }) => Object.hasOwn(sorting.orders, field));
  const defaultOf = (field: string) => sorting.defaults.find((entry) => entry.field === field)?.direction ?? 'ASC';
  const orders = (known.length > 0 ? known : sorting.defaults).map(({ field, direction }) => ({
    read: sorting.orders[field] ?? (() => 0),
    sign: (direction === 'ASC' || direction === 'DESC' ? direction : defaultOf(field)) === 'ASC' ? 1 : -1,
  }));
  return [...rows].sort((a, b) => orders.map(({ read, sign }) => sign * compare(read(a), read(b))).find(Boolean) ?? 0);
}

/** Returns whether the row passes all filters; unknown fields and types are ignored (rest-api reference, 2.2). */
export function passes<T>(row: T, request: ListRequest, filters: Sorting<T>['filters']): boolean {
  return request.filter.every(({ field, type, val }) => {
    const name = `${field}/${type}`;
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
    return val === '' || filter === undefined || filter(row, val);
  });
}

/**
 * Returns the times of the filters of this field and type, milliseconds since 1970. Throws an error with `code` for a
 * malformed time.
 */
export const filterTimes = (
  request: Pick<ListRequest, 'filter'>,
  field: string,
  type: string,
  code: ErrorCode,
): number[] =>
  filterValues(request, field, type).map((text) => {
    const ms = Date.parse(text);
    if (Number.isNaN(ms)) throw new ServiceError(code, `'${text.slice(0, 60)}' is not an RFC 3339 time`);
    return ms;
  });

/** Returns the values of the filters of this field and type; an empty value is no filter. */
export const filterValues = ({ filter }: Pick<ListRequest, 'filter'>, field: string, type: string): string[] =>
  filter.filter((one) => one.field === field && one.type === type && one.val !== '').map(({ val }) => val);

/**
 * Returns the cursor of the row with this id: base64 of `{"id": …}`, and `"v"` where the list is read by the position of
 * its rows in an index (rest-api reference, 2.4).
 */
export const cursorOf = (id: string, position?: string): string =>
  Buffer.from(JSON.stringify({ id, v: position })).toString('base64');

/** A text in a cursor; the empty text for a text that is not a cursor. */
function textIn(cursor: string, field: 'id' | 'v'): string {
  try {
    const value: unknown = (parseJson(Buffer.from(cursor, 'base64').toString()) as Record<string, unknown>)[field];
    return typeof value === 'string' ? value : '';
  } catch {
    return '';
  }
}

/** Returns the id in a cursor; the empty text for a text that is not a cursor. */
export const idIn = (cursor: string): string => textIn(cursor, 'id');

/** DynamoDB rejects longer sort keys, bytes; a position gets one character in addition. */
const MAX_POSITION_BYTES = 1023;

/** Returns the position in a cursor; the empty text for a cursor without one, or with a text that no key can be. */
function positionIn(cursor: string): string {
  const position = textIn(cursor, 'v');
  return position.isWellFormed() && Buffer.byteLength(position) <= MAX_POSITION_BYTES ? position : '';
}

/**
 * Returns which of `total` rows are requested, as [from, to). `indexOf` returns the index of the row of a cursor, or -1.
 */
export function rangeOf(request: ListRequest, total: number, indexOf: (cursor: string) => number): [number, number] {
  if (request.cursor === undefined) {
    const from = Math.min(Math.max(request.offset, 0), total);
    return [from, Math.min(from + rowsWanted(request.limit), total)];
  }
  const { first, last, after, before } = request.cursor;
  const from = after === undefined ? 0 : indexOf(after) + 1;
  const end = before === undefined || indexOf(before) < 0 ? total : indexOf(before);
  const to = Math.max(from, end);
  if (last !== undefined) return [Math.max(from, to - Math.min(Math.max(last, 0), MAX_PAGE_ROWS)), to];
  return [from, Math.min(to, from + Math.min(Math.max(first ?? MAX_PAGE_ROWS, 0), MAX_PAGE_ROWS))];
}

/** Returns the cut that the cursors of a request name, for a list whose cursors have positions. A malformed cursor is ignored. */
export function cutOf({ cursor = {} }: ListRequest, maxRows = MAX_PAGE_ROWS): Cut {
  const { first, last, after, before } = cursor;
  const positionOf = (one: string | undefined) => (one && positionIn(one)) || undefined;
  const rows = Math.min(Math.max(last ?? first ?? maxRows, 0), maxRows);
  return { after: positionOf(after), before: positionOf(before), rows, isFromEnd: last !== undefined };
}

/** Returns the rows [from, to) of a request without a cursor, at most `maxRows`. */
export function spanOf({ offset, limit }: ListRequest, maxRows = MAX_PAGE_ROWS): Span {
  const from = Math.max(offset, 0);
  return { from, to: from + (limit > 0 ? Math.min(limit, maxRows) : maxRows) };
}

/** Where the rows of a page are in their list. */
export interface Placing<T> {
  readonly from: number;
  readonly total: number;
  readonly idOf: (row: T) => string;
  /** The position of a row in the index that the list is read from, for cursors. */
  readonly positionOf?: (row: T) => string;
}

/** Makes the reply of a list from the rows of one page, the first of which is number `from` of `total`. */
export function toList<T>(
  request: ListRequest,
  rows: readonly T[],
  { from, total, idOf, positionOf }: Placing<T>,
): List<T> {
  const edges = rows.map((node) => ({ node, cursor: cursorOf(idOf(node), positionOf?.(node)) }));
  return {
    pageInfo: {
      order: request.order,
      filter: request.filter,
      limit: request.limit,
      offset: request.offset,
      total,
      hasNextPage: from + rows.length < total,
      hasPreviousPage: from > 0,
      startCursor: edges[0]?.cursor ?? '',
      endCursor: edges.at(-1)?.cursor ?? '',
    },
    results: rows,
    totalCount: total,
    edges,
  };
}

/** Converts the rows of a list; the cursors stay as they are. */
export function mapList<T, R>(list: List<T>, convert: (row: T) => R): List<R> {
  const edges = list.edges.map(({ node, cursor }) => ({ node: convert(node), cursor }));
  return { ...list, results: edges.map(({ node }) => node), edges };
}

/** Inserts names, such as the namespace, after `pageInfo`, where clients expect them. */
export const withNames = <L extends { readonly pageInfo: PageInfo }, Names extends object>(list: L, names: Names) => {
  const { pageInfo, ...rest } = list;
  return { pageInfo, ...names, ...rest };
};

/** Filters, sorts and paginates rows that are all in memory. */
export function paginate<T>(all: readonly T[], request: ListRequest, sorting: Sorting<T>): List<T> {
  const passing = all.filter((row) => passes(row, request, sorting.filters));
  const rows = sorted(passing, request, sorting);
  const indexOf = (cursor: string) => {
    const id = idIn(cursor);
    return rows.findIndex((row) => sorting.idOf(row) === id);
  };
  const [from, to] = rangeOf(request, rows.length, indexOf);
  return toList(request, rows.slice(from, to), { from, total: rows.length, idOf: sorting.idOf });
}
