import { omitUndefined } from '../../language/omit-undefined.ts';
import { ownMember } from '../../language/own-members.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';

/** The parameters of a list (rest-api reference, 2.2). */
export interface ListRequest {
  readonly order: readonly { readonly field: string; readonly direction: string }[];
  readonly filter: readonly { readonly field: string; readonly type: string; readonly val: string }[];
  readonly limit: number;
  readonly offset: number;
  /** The pagination of older clients: the next `first` rows after `after`, or the `last` rows before `before`. */
  readonly cursor?: {
    readonly first?: number;
    readonly last?: number;
    readonly after?: string;
    readonly before?: string;
  };
}

type QueryValues = Readonly<Record<string, readonly string[]>>;

const MIN_INTEGER = -(2 ** 31);
const MAX_INTEGER = 2 ** 31 - 1;
const MAX_SHOWN = 40;

/** Parses parameters; a malformed one is an error with the code that clients of the list know. */
class Parser {
  private readonly query: QueryValues;
  private readonly code: ErrorCode;
  constructor(query: QueryValues, code: ErrorCode) {
    this.query = query;
    this.code = code;
  }

  integer(name: string): number | undefined {
    const text = ownMember(this.query, name)?.[0];
    if (text === undefined || text === '') return undefined;
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= MIN_INTEGER && value <= MAX_INTEGER) return value;
    throw new ServiceError(this.code, `${name} is '${text.slice(0, MAX_SHOWN)}', which is not a 32-bit integer`);
  }

  orders(): ListRequest['order'] {
    const fields = this.query['order.field'] ?? [];
    const directions = this.query['order.direction'] ?? [];
    const isSingle = fields.length === 1 && directions.length === 0;
    if (!isSingle && fields.length !== directions.length) {
      throw new ServiceError(this.code, 'bad ordering arguments: send one order.direction for each order.field');
    }
    return fields.map((field, index) => ({ field, direction: directions[index] ?? '' }));
  }

  filters(): ListRequest['filter'] {
    const fields = this.query['filter.field'] ?? [];
    const types = this.query['filter.type'] ?? [];
    const values = this.query['filter.val'] ?? [];
    if (fields.length !== types.length || fields.length !== values.length) {
      const text = 'bad filtering arguments: send one filter.type and one filter.val for each filter.field';
      throw new ServiceError(this.code, text);
    }
    return fields.map((field, index) => ({ field, type: types[index] ?? '', val: values[index] ?? '' }));
  }
}

/** Parses the list parameters of a query string. Throws an error with `code` for a malformed parameter. */
export function toListRequest(query: QueryValues, code: ErrorCode = 'bad-list'): ListRequest {
  const parser = new Parser(query, code);
  const cursor = omitUndefined({
    first: parser.integer('first'),
    last: parser.integer('last'),
    after: query['after']?.[0],
    before: query['before']?.[0],
  });
  return omitUndefined({
    order: parser.orders(),
    filter: parser.filters(),
    limit: parser.integer('limit') ?? 0,
    offset: parser.integer('offset') ?? 0,
    cursor: Object.keys(cursor).length === 0 ? undefined : cursor,
  });
}
