import { framesOf } from './frames.ts';
import { parseJson, printJson } from './numbers.ts';
import { type Operations, operations } from './operations.ts';

/** The name of an operation of the API, as in its OpenAPI description. */
export type OperationName = keyof Operations;

type PathOf<K extends OperationName> = Operations[K]['path'];
type Value = string | number | boolean;

/** The parameters of a call. Path parameters are required; a query parameter may be a list. */
export type CallOptions<K extends OperationName> = {
  readonly query?: { readonly [name in Operations[K]['query']]?: Value | readonly Value[] };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
} & (keyof PathOf<K> extends never ? { readonly path?: PathOf<K> } : { readonly path: PathOf<K> }) &
  (undefined extends Operations[K]['body']
    ? { readonly body?: Operations[K]['body'] }
    : { readonly body: Operations[K]['body'] });

/** Options are optional for an operation without path parameters and without a required body. */
type Arguments<K extends OperationName> =
  Record<never, never> extends CallOptions<K> ? [options?: CallOptions<K>] : [options: CallOptions<K>];

/** The names of the operations that can be watched as a stream. */
export type StreamName = { [K in OperationName]: Operations[K]['frame'] extends never ? never : K }[OperationName];

export interface ClientSettings {
  /** The address of the service: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The API key; not needed by a service without keys. */
  readonly key?: string;
  /** Sends the requests; default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** The service refused a request, or the run that a request waited for failed. */
export class WeftError extends Error {
  override readonly name = 'WeftError';
  readonly status: number;
  /** The body of the reply as JSON; undefined if it is not JSON. */
  readonly details: unknown;
  /** The headers of the reply; a failed run has its code in `Service-Instance-Error-Code`. */
  readonly headers: Headers;
  constructor(status: number, message: string, details: unknown, headers: Headers) {
    super(message);
    this.status = status;
    this.details = details;
    this.headers = headers;
  }
}

/** A client of a service. */
export interface WeftClient {
  /** Calls an operation. Throws WeftError, and TypeError if the service cannot be reached. */
  call<K extends OperationName>(operation: K, ...options: Arguments<K>): Promise<Operations[K]['reply']>;
  /** Watches an operation: yields a frame now and after each change, until the signal is aborted or the service ends. */
  stream<K extends StreamName>(operation: K, ...options: Arguments<K>): AsyncGenerator<Operations[K]['frame']>;
  /** Calls an operation and returns the unread reply. Throws as `call`. */
  send<K extends OperationName>(operation: K, ...options: Arguments<K>): Promise<Response>;
}

type AnyOptions = {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, Value | readonly Value[] | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** The slashes of a path in the tree are not encoded. */
const encoded = (name: string, value: string): string => {
  const text = encodeURIComponent(value);
  return name === 'node' || name === 'secret' ? text.replaceAll('%2F', '/') : text;
};

/** The URL of a request to the service at a URL. */
export function addressOf(url: string, operation: OperationName, { path = {}, query = {} }: AnyOptions): string {
  const row: { readonly path: string; readonly op?: string } = operations[operation];
  const place = row.path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(name, path[name] ?? ''));
  const search = new URLSearchParams(row.op === undefined ? {} : { op: row.op });
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one));
  }
  const text = search.toString();
  return `${url.replace(/\/+$/, '')}/api${place}${text === '' ? '' : `?${text}`}`;
}

/** Text and bytes are sent as they are, everything else as JSON. */
function contentOf({ body }: AnyOptions): Pick<RequestInit, 'body'> & Pick<AnyOptions, 'headers'> {
  if (body === undefined) return {};
  if (typeof body === 'string' || body instanceof Blob || body instanceof Uint8Array) return { body: body as string };
  return { body: printJson(body), headers: { 'Content-Type': 'application/json' } };
}

const parsed = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

/** The error of a reply with this text, which is JSON or plain. */
export function errorOf({ status, statusText = '', headers }: ReplyHead, text: string): WeftError {
  const details = parsed(text);
  const { message } = (details ?? {}) as { readonly message?: unknown };
  const plain = text.trim() === '' ? `the service replied ${status} ${statusText}`.trim() : text.trim();
  return new WeftError(status, typeof message === 'string' ? message : plain, details, headers);
}

/** Status and headers of a reply whose body is read already. */
type ReplyHead = Pick<Response, 'status' | 'headers'> & { readonly statusText?: string };

const READERS = {
  json: async (response: Response) => {
    const text = await response.text();
    const value = parsed(text);
    if (value === undefined && text !== '') {
      throw new WeftError(response.status, 'the reply of the service is not JSON', undefined, response.headers);
    }
    return value;
  },
  bytes: (response: Response) => response.blob(),
  none: async (response: Response) => {
    await response.body?.cancel();
    return undefined;
  },
} as const;

/** Yields the data of the events of a stream. */
async function* dataOf(response: Response): AsyncGenerator<unknown> {
  for await (const frames of framesOf(response)) {
    for (const { event, data } of frames) {
      const value = parsed(data);
      if (event === 'error') {
        const message = (value as { readonly Message?: string } | undefined)?.Message ?? 'the stream failed';
        throw new WeftError(response.status, message, value, response.headers);
      }
      if (value !== undefined) yield value;
    }
  }
}

/** Creates a client of the service at a URL. It has no dependency, and works wherever `fetch` does. */
export function createClient({ url, key = '', fetch = globalThis.fetch }: ClientSettings): WeftClient {
  const request = async (operation: OperationName, options: AnyOptions, more: Record<string, string>) => {
    const { method } = operations[operation];
    const { headers = {}, ...content } = contentOf(options);
    const response = await fetch(addressOf(url, operation, options), {
      method,
      // The key must not be sent to another host.
      redirect: 'error',
      headers: { ...(key === '' ? {} : { 'Service-Api-Key': key }), ...headers, ...more, ...options.headers },
      ...content,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (response.status >= 400) throw errorOf(response, await response.text());
    return response;
  };
  return {
    send: (operation, ...[options = {}]) => request(operation, options as AnyOptions, {}),
    call: async (operation, ...[options = {}]) => {
      const response = await request(operation, options as AnyOptions, {});
      return (await READERS[operations[operation].reply](response)) as never;
    },
    stream: async function* (operation, ...[options = {}]) {
      const response = await request(operation, options as AnyOptions, { Accept: 'text/event-stream' });
      yield* dataOf(response) as AsyncGenerator<never>;
    },
  };
}
