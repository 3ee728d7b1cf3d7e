import { ApiError, errorOf, isAbort, toApiError } from './errors.ts';
import { type Operations, operations } from './operations.ts';
import { noteAnswer, noteFailure } from './reach.ts';
import { key, noteRefusal } from './session.ts';

export type OperationId = keyof Operations;
export type ReplyOf<Id extends OperationId> = Operations[Id]['reply'];
export type FrameOf<Id extends OperationId> = Operations[Id]['frame'];
export type PathOf<Id extends OperationId> = Operations[Id]['path'];

type Value = string | number | boolean | readonly string[] | undefined;

/** The parts of a request besides the parameters of its path. */
export interface Options<Id extends OperationId> {
  readonly query?: Readonly<Partial<Record<Operations[Id]['query'], Value>>>;
  readonly body?: Operations[Id]['body'];
  /** The content type of a body of bytes. */
  readonly type?: string;
  readonly signal?: AbortSignal;
}

interface Row {
  readonly method: string;
  readonly path: string;
  readonly op?: string;
}

/** These may hold slashes, which stay; all others are one segment. */
const GREEDY: ReadonlySet<string> = new Set(['node', 'secret']);

const encoded = (name: string, value: string): string =>
  GREEDY.has(name) ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);

function queryText(op: string | undefined, query: Readonly<Record<string, Value>>): string {
  const params = new URLSearchParams(op === undefined ? {} : { op });
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) params.append(name, String(one));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** The URL of a path of the API, which is beside the console: below the same stage, if there is one. */
export const apiUrl = (path: string): string => new URL(`../api${path}`, document.baseURI).href;

/** The URL of a request. */
export function urlOf<Id extends OperationId>(id: Id, path: PathOf<Id>, query?: Options<Id>['query']): string {
  const row: Row = operations[id];
  const values = path as Readonly<Record<string, string>>;
  const filled = row.path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(name, values[name] ?? ''));
  return apiUrl(`${filled}${queryText(row.op, query ?? {})}`);
}

type Body = string | Blob | Uint8Array<ArrayBuffer>;

const isBytes = (body: unknown): body is Body =>
  typeof body === 'string' || body instanceof Blob || body instanceof Uint8Array;

function bodyOf(body: unknown, type: string | undefined): { body?: Body; type?: string } {
  if (body === undefined) return {};
  if (isBytes(body)) return { body, ...(type === undefined ? {} : { type }) };
  return { body: JSON.stringify(body), type: 'application/json' };
}

/** The headers of every request; without a key, none. */
export const keyHeader = (): Record<string, string> =>
  key.value === undefined ? {} : { 'Service-Api-Key': key.value };

/** Sends a request and returns its reply, whose body is not read yet. Throws ApiError, and an AbortError when the signal aborts it. */
export async function request<Id extends OperationId>(
  id: Id,
  path: PathOf<Id>,
  options: Options<Id>,
): Promise<Response> {
  const { body, type } = bodyOf(options.body, options.type);
  const headers = { ...keyHeader(), ...(type === undefined ? {} : { 'Content-Type': type }) };
  const init = { method: operations[id].method, headers, ...(body === undefined ? {} : { body }) };
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  const sentWith = key.value;
  let response: Response;
  try {
    response = await fetch(urlOf(id, path, options.query), { ...init, ...signal, cache: 'no-store' });
  } catch (error) {
    throw isAbort(error) ? error : noted(id, toApiError(error));
  }
  if (response.ok) {
    noteAnswer();
    return response;
  }
  const failure = await errorOf(response);
  if (failure.status === 401) noteRefusal(sentWith, failure.message);
  throw noted(id, failure);
}

/** That a change is refused for a while, as by a limit of runs, is no reason to look less often. */
function noted(id: OperationId, failure: ApiError): ApiError {
  if (operations[id].method === 'GET' || failure.status === 0) noteFailure(failure);
  return failure;
}

/** Calls an operation. Returns its JSON, a Blob where it replies bytes, undefined where it has no body. */
export async function call<Id extends OperationId>(
  id: Id,
  path: PathOf<Id>,
  options: Options<Id> = {},
): Promise<ReplyOf<Id>> {
  const response = await request(id, path, options);
  const type = response.headers.get('content-type') ?? '';
  if (REPLIES_BYTES.has(id)) return (await response.blob()) as ReplyOf<Id>;
  // A gateway may name a type for a reply without a body.
  const text = type.includes('json') ? await response.text() : '';
  if (text === '') return undefined as ReplyOf<Id>;
  try {
    return JSON.parse(text) as ReplyOf<Id>;
  } catch {
    throw new ApiError(response.status, 'the reply of the service is no JSON');
  }
}

/** Operations whose reply is a value as it was stored, even if that is JSON. */
const REPLIES_BYTES: ReadonlySet<OperationId> = new Set<OperationId>([
  'getNamespaceVariable',
  'getWorkflowVariable',
  'getInstanceVariable',
  'waitWorkflow',
  'waitWorkflowWithBody',
]);

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
