import {
  addressOf,
  type CallOptions,
  createClient,
  type OperationName,
  type WeftClient,
} from '../../../clients/api/client.ts';
import { type Operations, operations } from '../../../clients/api/operations.ts';
import { isAbort, toApiError } from './errors.ts';
import { noteAnswer, noteFailure } from './reach.ts';
import { key, noteRefusal } from './session.ts';

export type { OperationName };
export type ReplyOf<Id extends OperationName> = Operations[Id]['reply'];
export type FrameOf<Id extends OperationName> = Operations[Id]['frame'];
export type PathOf<Id extends OperationName> = Operations[Id]['path'];

type Value = string | number | boolean | readonly string[] | undefined;

/** The parts of a request besides the parameters of its path. */
export interface Options<Id extends OperationName> {
  /** Values that are undefined or empty are left out. */
  readonly query?: Readonly<Partial<Record<Operations[Id]['query'], Value>>>;
  readonly body?: Operations[Id]['body'];
  /** The content type of a body of bytes. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The URL of the service, which serves the console too: below the stage of API Gateway, if there is one. */
export const SERVICE_URL = new URL('..', document.baseURI).href;

/** Whether this service, a local one, has these pages beside the API. */
export const hasBeside = (what: 'docs' | 'sync'): boolean =>
  (document.documentElement.dataset['beside'] ?? '').split(' ').includes(what);

/** The client of the API with a key. It reads nothing from the browser's cache. */
export const clientWith = (secret: string | undefined): WeftClient =>
  createClient({
    url: SERVICE_URL,
    key: secret ?? '',
    fetch: (input, init) => fetch(input, { ...init, cache: 'no-store' }),
  });

/** The options as the client takes them. */
function toCallOptions<Id extends OperationName>(
  path: PathOf<Id>,
  { query, type, headers, ...rest }: Options<Id>,
): CallOptions<Id> {
  const named = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '');
  const typed = type === undefined ? {} : { 'Content-Type': type };
  return { ...rest, path, query: Object.fromEntries(named), headers: { ...typed, ...headers } } as never;
}

/** The URL of a request. */
export const urlOf = <Id extends OperationName>(id: Id, path: PathOf<Id>, query?: Options<Id>['query']): string =>
  addressOf(SERVICE_URL, id, toCallOptions(path, query === undefined ? {} : { query }));

/** Sends a request and returns its reply, whose body is not read yet. Throws WeftError, and what `fetch` throws. */
export const send = <Id extends OperationName>(id: Id, path: PathOf<Id>, options: Options<Id>): Promise<Response> =>
  clientWith(key.value).send<OperationName>(id, toCallOptions(path, options));

/** As `send`, and notes whether the service replies and the key is valid. Throws ApiError, and AbortError if aborted. */
export const request = <Id extends OperationName>(
  id: Id,
  path: PathOf<Id>,
  options: Options<Id> = {},
): Promise<Response> => noted(id, send(id, path, options));

/** Calls an operation. Returns its JSON, a Blob for bytes, undefined for no body. Throws as `request`. */
export const call = <Id extends OperationName>(
  id: Id,
  path: PathOf<Id>,
  options: Options<Id> = {},
): Promise<ReplyOf<Id>> => noted(id, clientWith(key.value).call<OperationName>(id, toCallOptions(path, options)));

async function noted<T>(id: OperationName, reply: Promise<T>): Promise<T> {
  const sentWith = key.value;
  try {
    const value = await reply;
    noteAnswer();
    return value;
  } catch (error) {
    if (isAbort(error)) throw error;
    const failure = toApiError(error);
    if (failure.status === 401) noteRefusal(sentWith, failure.message);
    // A change that is refused for a while, as by a limit of runs, is no reason to poll less often.
    if (operations[id].method === 'GET' || failure.status === 0) noteFailure(failure);
    throw failure;
  }
}

export interface Filter {
  readonly field: string;
  readonly type: string;
  readonly val: string;
}

/** Query parameters of list filters; those without a value are left out. */
export function filterQuery(filters: readonly Filter[]) {
  const used = filters.filter(({ val }) => val !== '');
  return {
    'filter.field': used.map(({ field }) => field),
    'filter.type': used.map(({ type }) => type),
    'filter.val': used.map(({ val }) => val),
  };
}
