import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { parseJson } from '../../../lib/language/json-numbers.ts';
import { omitUndefined } from '../../../lib/language/omit-undefined.ts';
import { CommandFailedError, ServiceUnreachableError, UsageError } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { AWS_IAM, iamTokensFor } from './aws-iam.ts';
import { plainRefusal } from './refusals.ts';
import { rowsAt, textAt } from './replies.ts';
import { resolveTarget, type Target, type TargetValues } from './target.ts';

export interface RequestOptions {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The time to the first byte of the reply, in milliseconds; default 30,000. */
  readonly timeoutMs?: number;
}

/** The client of a service. Paths begin with `/api`. */
export interface Service {
  readonly url: string;
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  /** Returns the reply, whatever its status. Throws ServiceUnreachableError. */
  send(method: string, path: string, options?: RequestOptions): Promise<Response>;
  /**
   * Sends JSON. Returns the JSON of the reply, or undefined if it is empty. Throws CommandFailedError,
   * ServiceUnreachableError.
   */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** As `call`, with a body that is sent as it is. */
  upload(method: string, path: string, options: RequestOptions): Promise<unknown>;
}

const TIMEOUT_MS = 30_000;
/** The delays before the retries. */
const RETRY_DELAYS_MS = [100, 400, 1600];
/** The request had no effect, and the service asks for a retry. */
const RETRYABLE: readonly number[] = [429, 503];
/** A gateway failed: only requests without side effects are retried. */
const GATEWAY_ERRORS: readonly number[] = [502, 504];

const isRetryable = (method: string, status: number): boolean =>
  RETRYABLE.includes(status) || (method === 'GET' && GATEWAY_ERRORS.includes(status));

/** A key, or what makes the token for a request. */
export type Credential = string | (() => Promise<string>);

/** A key in every header that existing servers read (rest-api reference, 16); a token, which is long, in one. */
async function credentialHeaders(credential: Credential): Promise<Record<string, string>> {
  if (typeof credential === 'function') return { Authorization: `Bearer ${await credential()}` };
  return credential === '' ? {} : { 'Service-Api-Key': credential, 'direktiv-token': credential, apikey: credential };
}

/** The credential for a service: a key, or tokens of IAM in place of the key `aws-iam`. */
export const credentialOf = ({ url, key }: Pick<Target, 'url' | 'key'>, env: Terminal['env']): Credential =>
  key === AWS_IAM ? iamTokensFor(url, env) : key;

/** The reason of a failed `fetch` is in its cause; for a host with several addresses only the code names it. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { message, code } = cause as NodeJS.ErrnoException;
  return message || code || String(cause);
}

/** The connection broke: a new one may succeed. */
const TRANSIENT_CODES = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

function isTransient(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return TRANSIENT_CODES.includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}

function toUnreachable(url: string, error: unknown): ServiceUnreachableError {
  return new ServiceUnreachableError(
    `${url} cannot be reached: ${reasonOf(error)}; start the service, or select another with --url or WEFT_URL`,
    isTransient(error),
  );
}

/** The headers of the reply must arrive within the timeout; its body may take longer. */
async function fetchOnce(url: string, init: RequestInit, signal: AbortSignal, timeoutMs: number): Promise<Response> {
  const late = new AbortController();
  const timer = globalThis.setTimeout(() => late.abort(new Error(`no reply in ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    return await fetch(url, { ...init, signal: AbortSignal.any([signal, late.signal]) });
  } catch (error) {
    if (signal.aborted) throw error;
    throw toUnreachable(new URL(url).origin, late.signal.aborted ? late.signal.reason : error);
  } finally {
    clearTimeout(timer);
  }
}

const HINTS: Readonly<Record<number, string>> = {
  401: "; log in with 'weft login', or set WEFT_KEY",
  403: '; use a key with the permission for this',
};

/** The body of a reply, chunk by chunk. Throws ServiceUnreachableError if it is incomplete or the signal is aborted. */
export async function* bodyOf(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  try {
    // The signal of `fetch` has no effect on the body after the request was garbage-collected (nodejs/undici#4627).
    yield* Readable.fromWeb(response.body, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ServiceUnreachableError(
      `the reply of ${new URL(response.url).origin} is incomplete: ${reasonOf(error)}; try again`,
    );
  }
}

/** The error of a reply with an error status; names that the service does not know are in the words of the user. */
export async function toFailure(response: Response, signal: AbortSignal): Promise<CommandFailedError> {
  const body = (await text(bodyOf(response, signal))).trim();
  const message = textAt(toValue(body), 'message') || textAt(toValue(body), 'error', 'message') || body;
  const line = (message || response.statusText).split('\n')[0] ?? '';
  const { pathname, search } = new URL(response.url);
  const plain = plainRefusal(`${pathname}${search}`, line);
  if (plain !== undefined) return new CommandFailedError(plain, response.status);
  // The service names the field and its valid values beside the text, which is that of the original.
  const hint = textAt(toValue(body), 'hint');
  const detail = hint === '' ? '' : `: ${hint}`;
  return new CommandFailedError(`${response.status}: ${line}${detail}${HINTS[response.status] ?? ''}`, response.status);
}

function toValue(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

async function toJsonReply(url: string, response: Response, signal: AbortSignal): Promise<unknown> {
  if (response.status >= 400) throw await toFailure(response, signal);
  const body = await text(bodyOf(response, signal));
  const value = toValue(body);
  if (value === undefined && body !== '') throw new ServiceUnreachableError(`the server at ${url} is not Weft`);
  return value;
}

/** The client of the service at a URL. Its requests end when the signal is aborted. */
export function serviceAt(
  {
    url,
    key,
    namespace,
  }: Omit<Target, 'key' | 'namespace'> & {
    readonly key: Credential;
    readonly namespace?: string | undefined;
  },
  signal: AbortSignal,
): Service {
  const send: Service['send'] = async (method, path, { body, headers = {}, timeoutMs = TIMEOUT_MS, ...rest } = {}) => {
    const init = omitUndefined({
      method,
      // The key must not be sent to another host.
      redirect: 'error' as const,
      headers: { ...(await credentialHeaders(key)), ...headers },
      body,
    });
    const abort = rest.signal ?? signal;
    for (const delay of RETRY_DELAYS_MS) {
      const response = await fetchOnce(`${url}${path}`, init, abort, timeoutMs).catch((error: unknown) => {
        if (method === 'GET' && error instanceof ServiceUnreachableError && error.isTransient) return undefined;
        throw error;
      });
      if (response !== undefined && !isRetryable(method, response.status)) return response;
      await response?.body?.cancel();
      await setTimeout(delay, undefined, { signal: abort });
    }
    return fetchOnce(`${url}${path}`, init, abort, timeoutMs);
  };
  const upload: Service['upload'] = async (method, path, options) =>
    toJsonReply(url, await send(method, path, options), options.signal ?? signal);
  const call: Service['call'] = (method, path, body) =>
    upload(method, path, body === undefined ? {} : { body: JSON.stringify(body) });
  return { url, namespace, signal, send, upload, call };
}

/** The client of the service that options, environment and profiles select. Throws UsageError. */
export async function openService(values: TargetValues, terminal: Terminal): Promise<Service> {
  const target = await resolveTarget(values, terminal);
  return serviceAt({ ...target, key: credentialOf(target, terminal.env) }, terminal.signal);
}

/** The path of a namespace. */
export const namespacePath = (namespace: string): string => `/api/namespaces/${encodeURIComponent(namespace)}`;

/** The path of a node in a namespace; the root has the empty path. */
export function treePath(namespace: string, path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  return `${namespacePath(namespace)}/tree/${segments.map(encodeURIComponent).join('/')}`;
}

/** The selected namespace. Throws UsageError if there is none. */
export function needNamespace({ namespace }: Pick<Service, 'namespace'>): string {
  if (namespace !== undefined) return namespace;
  throw new UsageError('no namespace given; use --namespace, WEFT_NAMESPACE or a profile, or a folder with .weft.yaml');
}

/** The client of the service and the path of the selected namespace. Throws UsageError. */
export async function openNamespace(
  values: TargetValues,
  terminal: Terminal,
): Promise<{ readonly service: Service; readonly base: string; readonly namespace: string }> {
  const service = await openService(values, terminal);
  const namespace = needNamespace(service);
  return { service, namespace, base: namespacePath(namespace) };
}

const MAX_PAGES = 100_000;

/**
 * All rows of a list with pagination: servers before v0.7 announce a next page, later ones a total (rest-api reference,
 * 2). Undefined if the reply is no list. Throws CommandFailedError, ServiceUnreachableError.
 */
export async function readList(
  service: Service,
  path: string,
  ...names: readonly string[]
): Promise<unknown[] | undefined> {
  const rows: unknown[] = [];
  const separator = path.includes('?') ? '&' : '?';
  let page = '';
  for (let read = 0; read < MAX_PAGES; read += 1) {
    const reply = await service.call('GET', `${path}${page}`);
    const found = rowsAt(reply, ...names);
    if (found === undefined) return undefined;
    rows.push(...found);
    const info = (name: string) => textAt(reply, ...names, 'pageInfo', name);
    const hasMore = info('hasNextPage') === 'true' || Number(info('total')) > rows.length;
    if (!hasMore || found.length === 0) return rows;
    page =
      info('total') === ''
        ? `${separator}first=100&after=${encodeURIComponent(info('endCursor'))}`
        : `${separator}offset=${rows.length}`;
  }
  return rows;
}
