import { type ErrorCode, ServiceError } from '../errors.ts';

/** What a client asks of a list (rest-api reference, 2.2). */
export interface ListRequest {
  readonly order: readonly { readonly field: string; readonly direction: string }[];
  readonly filter: readonly { readonly field: string; readonly type: string; readonly val: string }[];
  readonly limit: number;
  readonly offset: number;
  /** Cursors of the older clients: the next `first` after `after`, or the `last` before `before`. */
  readonly cursor?: {
    readonly first?: number;
    readonly last?: number;
    readonly after?: string;
    readonly before?: string;
  };
}

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

/** A list as every client wants it: `results` for v0.7 and later, `edges` and `totalCount` for v0.6. */
export interface List<T> {
  readonly pageInfo: PageInfo;
  readonly results: readonly T[];
  readonly totalCount: number;
  readonly edges: readonly { readonly node: T; readonly cursor: string }[];
}

type QueryValues = Readonly<Record<string, readonly string[]>>;

const SMALLEST = -(2 ** 31);
const LARGEST = 2 ** 31 - 1;

/** Reads parameters; what is wrong with them leaves under the code that the list's clients know. */
class Reader {
  private readonly query: QueryValues;
  private readonly code: ErrorCode;
  constructor(query: QueryValues, code: ErrorCode) {
    this.query = query;
    this.code = code;
  }

  integer(name: string): number | undefined {
    const text = this.query[name]?.[0];
    if (text === undefined || text === '') return undefined;
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= SMALLEST && value <= LARGEST) return value;
    throw new ServiceError(this.code, `${name} is '${text.slice(0, 40)}', which is no 32-bit integer`);
  }

  orders(): ListRequest['order'] {
    const fields = this.query['order.field'] ?? [];
    const directions = this.query['order.direction'] ?? [];
    const isSingle = fields.length === 1 && directions.length === 0;
    if (!isSingle && fields.length !== directions.length) {
      throw new ServiceError(this.code, 'bad ordering arguments: as many order.direction as order.field');
    }
    return fields.map((field, index) => ({ field, direction: directions[index] ?? '' }));
  }

  filters(): ListRequest['filter'] {
    const fields = this.query['filter.field'] ?? [];
    const types = this.query['filter.type'] ?? [];
    const values = this.query['filter.val'] ?? [];
    if (fields.length !== types.length || fields.length !== values.length) {
      throw new ServiceError(this.code, 'bad filtering arguments: as many filter.type and filter.val as filter.field');
    }
    return fields.map((field, index) => ({ field, type: types[index] ?? '', val: values[index] ?? '' }));
  }
}

/** Reads the list parameters of a query string. Throws `code` for numbers and counts that do not fit. */
export function toListRequest(query: QueryValues, code: ErrorCode = 'bad-list'): ListRequest {
  const reader = new Reader(query, code);
  const first = reader.integer('first');
  const last = reader.integer('last');
  const after = query['after']?.[0];
  const before = query['before']?.[0];
  const cursor = {
    ...(first === undefined ? {} : { first }),
    ...(last === undefined ? {} : { last }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  };
  return {
    order: reader.orders(),
    filter: reader.filters(),
    limit: reader.integer('limit') ?? 0,
    offset: reader.integer('offset') ?? 0,
    ...(Object.keys(cursor).length === 0 ? {} : { cursor }),
  };
}

export interface Sorting<T> {
  /** Order field -> what to compare. The first is the default. */
  readonly orders: Readonly<Record<string, (row: T) => string | number>>;
  readonly defaults: readonly { readonly field: string; readonly direction: 'ASC' | 'DESC' }[];
  /** `FIELD/TYPE` -> whether the row passes. */
  readonly filters: Readonly<Record<string, (row: T, value: string) => boolean>>;
  /** What names a row in a cursor. */
  readonly idOf: (row: T) => string;
}

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

/** Whether the row passes all filters; unknown fields and types filter nothing (rest-api reference, 2.2). */
export function passes<T>(row: T, request: ListRequest, filters: Sorting<T>['filters']): boolean {
  return request.filter.every(({ field, type, val }) => {
    const name = `${field}/${type}`;
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
    return val === '' || filter === undefined || filter(row, val);
  });
}

export const cursorOf = (id: string): string => Buffer.from(JSON.stringify({ id })).toString('base64');

/** The id in a cursor; empty for a text that is none. */
export function idIn(cursor: string): string {
  try {
    const { id } = JSON.parse(Buffer.from(cursor, 'base64').toString()) as { readonly id?: unknown };
    return typeof id === 'string' ? id : '';
  } catch {
    return '';
  }
}

/** Which rows of `total` the request asks for, as [from, to). */
export function rangeOf(request: ListRequest, total: number, indexOf: (cursor: string) => number): [number, number] {
  if (request.cursor === undefined) {
    const from = Math.min(Math.max(request.offset, 0), total);
    return [from, request.limit > 0 ? Math.min(from + request.limit, total) : total];
  }
  const { first, last, after, before } = request.cursor;
  const from = after === undefined ? 0 : indexOf(after) + 1;
  const end = before === undefined || indexOf(before) < 0 ? total : indexOf(before);
  const to = Math.max(from, end);
  if (last !== undefined) return [Math.max(from, to - Math.max(last, 0)), to];
  return [from, first === undefined ? to : Math.min(to, from + Math.max(first, 0))];
}

/** Wraps the rows of one page. */
export function toList<T>(
  request: ListRequest,
  rows: readonly T[],
  place: { readonly from: number; readonly total: number; readonly idOf: (row: T) => string },
): List<T> {
  const edges = rows.map((node) => ({ node, cursor: cursorOf(place.idOf(node)) }));
  return {
    pageInfo: {
      order: request.order,
      filter: request.filter,
      limit: request.limit,
      offset: request.offset,
      total: place.total,
      hasNextPage: place.from + rows.length < place.total,
      hasPreviousPage: place.from > 0,
      startCursor: edges[0]?.cursor ?? '',
      endCursor: edges.at(-1)?.cursor ?? '',
    },
    results: rows,
    totalCount: place.total,
    edges,
  };
}

/** A list with the names of what it is of, where clients were always given them. */
export const withNames = <L extends { readonly pageInfo: PageInfo }, Names extends object>(list: L, names: Names) => {
  const { pageInfo, ...rest } = list;
  return { pageInfo, ...names, ...rest };
};

/** Filters, sorts and cuts rows that are all at hand. */
export function paginate<T>(all: readonly T[], request: ListRequest, sorting: Sorting<T>): List<T> {
  const rows = sorted(
    all.filter((row) => passes(row, request, sorting.filters)),
    request,
    sorting,
  );
  const indexOf = (cursor: string) => rows.findIndex((row) => cursorOf(sorting.idOf(row)) === cursor);
  const [from, to] = rangeOf(request, rows.length, indexOf);
  return toList(request, rows.slice(from, to), { from, total: rows.length, idOf: sorting.idOf });
}
