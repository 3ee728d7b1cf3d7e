import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { Refusal, Unreachable, UsageError } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { rowsAt, textAt } from './replies.ts';
import { findPlace, type PlaceValues } from './target.ts';

export interface Sent {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Milliseconds until the first byte of the reply; 30,000 where it is left out. */
  readonly patience?: number;
}

/** A service, as commands talk to it. Paths begin with `/api`. */
export interface Service {
  readonly url: string;
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  /** Answers the reply, whatever its status. Throws Unreachable. */
  send(method: string, path: string, sent?: Sent): Promise<Response>;
  /** Answers the JSON of the reply, or undefined where it has none. Throws Refusal, Unreachable. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** As `call`, with a body that is sent as it is. */
  put(method: string, path: string, sent: Sent): Promise<unknown>;
}

const PATIENCE_MS = 30_000;
/** Waits before the tries after the first. */
const PAUSES_MS = [100, 400, 1600];
/** Nothing was done; the service asks to try again. */
const BUSY: readonly number[] = [429, 503];
/** What stands before the service failed; only what changes nothing is sent again. */
const BROKEN: readonly number[] = [502, 504];

const isTryAgain = (method: string, status: number): boolean =>
  BUSY.includes(status) || (method === 'GET' && BROKEN.includes(status));

/** Every spelling that a server in use reads, so that a key is good for older servers too (rest-api reference, 16). */
const keyHeaders = (key: string): Record<string, string> =>
  key === '' ? {} : { 'Service-Api-Key': key, 'direktiv-token': key, apikey: key };

/** `fetch` hides the reason in the cause; of a host with several addresses only the code says it. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { message, code } = cause as NodeJS.ErrnoException;
  return message || code || String(cause);
}

/** The connection broke: another may hold. */
const PASSING = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

function isPassing(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return PASSING.includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}

function unreachable(url: string, error: unknown): Unreachable {
  return new Unreachable(
    `${url} cannot be reached: ${reasonOf(error)}; start it, or name another with --url or WEFT_URL`,
    isPassing(error),
  );
}

/** The headers of the reply must come in time; its body may take as long as it takes. */
async function once(url: string, init: RequestInit, signal: AbortSignal, patience: number): Promise<Response> {
  const late = new AbortController();
  const timer = globalThis.setTimeout(() => late.abort(new Error(`no answer in ${patience / 1000} s`)), patience);
  try {
    return await fetch(url, { ...init, signal: AbortSignal.any([signal, late.signal]) });
  } catch (error) {
    if (signal.aborted) throw error;
    throw unreachable(new URL(url).origin, late.signal.aborted ? late.signal.reason : error);
  } finally {
    clearTimeout(timer);
  }
}

const MENDS: Readonly<Record<number, string>> = {
  401: "; log in with 'weft login', or set WEFT_KEY",
  403: '; use a key that may do this',
};

/** The body of a reply, chunk by chunk. Throws Unreachable when it is cut off, and when the signal is aborted. */
export async function* bodyOf(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  try {
    // The signal is given again: once the request is garbage-collected, the one that `fetch` got no longer ends the body
    // (nodejs/undici#4627).
    yield* Readable.fromWeb(response.body, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Unreachable(`the reply of ${new URL(response.url).origin} was cut off: ${reasonOf(error)}; try again`);
  }
}

/** What the service said no with. */
export async function refusalOf(response: Response, signal: AbortSignal): Promise<Refusal> {
  const said = (await text(bodyOf(response, signal))).trim();
  const message = textAt(toValue(said), 'message') || textAt(toValue(said), 'error', 'message') || said;
  const line = (message || response.statusText).split('\n')[0] ?? '';
  return new Refusal(`${response.status}: ${line}${MENDS[response.status] ?? ''}`, response.status);
}

function toValue(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}

async function toJsonReply(url: string, response: Response, signal: AbortSignal): Promise<unknown> {
  if (response.status >= 400) throw await refusalOf(response, signal);
  const said = await text(bodyOf(response, signal));
  const value = toValue(said);
  if (value === undefined && said !== '') throw new Unreachable(`what answers at ${url} is not Weft`);
  return value;
}

/** The service at a place. */
export function serviceAt(
  { url, key, namespace }: { readonly url: string; readonly key: string; readonly namespace?: string | undefined },
  signal: AbortSignal,
): Service {
  const send: Service['send'] = async (method, path, { body, headers = {}, patience = PATIENCE_MS, ...more } = {}) => {
    const init = {
      method,
      // Another host must not get the key.
      redirect: 'error' as const,
      headers: { ...keyHeaders(key), ...headers },
      ...(body === undefined ? {} : { body }),
    };
    const stop = more.signal ?? signal;
    for (const pause of PAUSES_MS) {
      const response = await once(`${url}${path}`, init, stop, patience).catch((error: unknown) => {
        if (method === 'GET' && error instanceof Unreachable && error.isPassing) return undefined;
        throw error;
      });
      if (response !== undefined && !isTryAgain(method, response.status)) return response;
      await response?.body?.cancel();
      await setTimeout(pause, undefined, { signal: stop });
    }
    return once(`${url}${path}`, init, stop, patience);
  };
  const put: Service['put'] = async (method, path, sent) =>
    toJsonReply(url, await send(method, path, sent), sent.signal ?? signal);
  const call: Service['call'] = (method, path, body) =>
    put(method, path, body === undefined ? {} : { body: JSON.stringify(body) });
  return { url, namespace, signal, send, put, call };
}

/** The service that options, environment and profiles name. Throws UsageError. */
export async function openService(values: PlaceValues, terminal: Terminal): Promise<Service> {
  return serviceAt(await findPlace(values, terminal), terminal.signal);
}

/** The path of a namespace. */
export const namespacePath = (namespace: string): string => `/api/namespaces/${encodeURIComponent(namespace)}`;

/** The path of a node in a namespace; the root has the empty path. */
export function treePath(namespace: string, path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  return `${namespacePath(namespace)}/tree/${segments.map(encodeURIComponent).join('/')}`;
}

/** Throws UsageError unless a namespace is named. */
export function needNamespace({ namespace }: Pick<Service, 'namespace'>): string {
  if (namespace !== undefined) return namespace;
  throw new UsageError('name a namespace by --namespace, WEFT_NAMESPACE or a profile');
}

/** Where a command of a namespace acts. Throws UsageError. */
export async function openNamespace(
  values: PlaceValues,
  terminal: Terminal,
): Promise<{ readonly service: Service; readonly base: string; readonly namespace: string }> {
  const service = await openService(values, terminal);
  const namespace = needNamespace(service);
  return { service, namespace, base: namespacePath(namespace) };
}

const MOST_PAGES = 100_000;

/**
 * All rows of a list, whichever way the server divides it: servers before v0.7 tell a next page, later ones a total
 * (rest-api reference, 2). Undefined where the reply is no list. Throws Refusal, Unreachable.
 */
export async function readList(
  service: Service,
  path: string,
  ...names: readonly string[]
): Promise<unknown[] | undefined> {
  const rows: unknown[] = [];
  const glue = path.includes('?') ? '&' : '?';
  let page = '';
  for (let read = 0; read < MOST_PAGES; read += 1) {
    const reply = await service.call('GET', `${path}${page}`);
    const found = rowsAt(reply, ...names);
    if (found === undefined) return undefined;
    rows.push(...found);
    const info = (name: string) => textAt(reply, ...names, 'pageInfo', name);
    const isMore = info('hasNextPage') === 'true' || Number(info('total')) > rows.length;
    if (!isMore || found.length === 0) return rows;
    page =
      info('total') === ''
        ? `${glue}first=100&after=${encodeURIComponent(info('endCursor'))}`
        : `${glue}offset=${rows.length}`;
  }
  return rows;
}
