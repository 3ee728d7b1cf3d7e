import type { IncomingMessage } from 'node:http';
import { fromHeader } from '../language/media/header-text.ts';
import type { WebRequest, WebResponse } from '../ports/callees/web.ts';
import { UnreachableError } from '../ports/callees/web.ts';
import { ACCEPTED_ENCODINGS, readBody } from './bodies.ts';
import type { EgressGuard } from './guard.ts';
import { toUnreachable, unreachable } from './problems.ts';
import { type OutgoingRequest, sendRequest } from './request.ts';

/** Adds a signature to the headers of a request, as the last thing before it is sent. */
export type Sign = (
  signing: NonNullable<WebRequest['signing']>,
  request: Pick<Hop, 'url' | 'method' | 'headers' | 'body'>,
) => Promise<Readonly<Record<string, string>>>;

/** One of the requests of an exchange. */
interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** The statuses that redirect, and whether the next request keeps method and body (RFC 9110, 15.4). */
const REDIRECTS: Readonly<Record<number, { readonly keepsMethod: boolean }>> = {
  301: { keepsMethod: false },
  302: { keepsMethod: false },
  303: { keepsMethod: false },
  307: { keepsMethod: true },
  308: { keepsMethod: true },
};

/** Headers that belong to a body, and those that are for one origin alone. */
const OF_BODY: ReadonlySet<string> = new Set(['content-type', 'content-encoding', 'content-language']);
const OF_ORIGIN: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);

/**
 * Sends a request through the guard, follows its redirects, and reads the response. Each redirect is checked by the guard
 * like the first URL. Throws UnreachableError with the problem.
 */
export async function exchange(guard: EgressGuard, request: WebRequest, sign: Sign): Promise<WebResponse> {
  const deadline = AbortSignal.timeout(Math.max(Math.floor(request.ms), 1));
  const signal = request.signal === undefined ? deadline : AbortSignal.any([deadline, request.signal]);
  let hop: Hop = { url: request.url, method: request.method, headers: request.headers, body: request.body };
  try {
    for (let followed = 0; ; followed += 1) {
      const message = await sendHop({ guard, request, sign, signal }, hop);
      const next = nextHop(request.url, hop, message);
      if (next === undefined || request.redirects === 0) return await toResponse(message, hop, request.maxBytes);
      message.destroy();
      if (followed >= request.redirects) throw unreachable(hop.url.host, 'redirects', `more than ${followed} times`);
      hop = next;
    }
  } catch (error) {
    throw toUnreachable(hop.url.host, error, deadline.aborted);
  }
}

interface Exchange {
  readonly guard: EgressGuard;
  readonly request: WebRequest;
  readonly sign: Sign;
  readonly signal: AbortSignal;
}

const isSameOrigin = (a: URL, b: URL): boolean => a.origin === b.origin;

async function sendHop({ guard, request, sign, signal }: Exchange, hop: Hop): Promise<IncomingMessage> {
  const { signing, credentials, url, isInsecure, opened } = request;
  const isOrigin = isSameOrigin(hop.url, url);
  const headers = { 'accept-encoding': ACCEPTED_ENCODINGS, ...hop.headers, ...(isOrigin ? credentials : {}) };
  const signed = signing !== undefined && isOrigin ? await sign(signing, { ...hop, headers }) : headers;
  const { method, body } = hop;
  const outgoing: OutgoingRequest = { method, headers: signed, signal, isInsecure, ...(body && { body }) };
  try {
    return await sendRequest(guard, hop.url, outgoing);
  } catch (error) {
    if (!(error instanceof UnreachableError) || error.problem !== 'blocked') throw error;
    // No data was sent. The rules of the namespace are read only now, since few requests need them.
    return sendRequest(guard, hop.url, { ...outgoing, opened: await opened() });
  }
}

/** The request that follows a redirect; undefined for any other response. */
function nextHop(first: URL, { url, method, headers, body }: Hop, { statusCode, headers: answered }: IncomingMessage) {
  const redirect = REDIRECTS[statusCode ?? 0];
  const { location } = answered;
  if (redirect === undefined || location === undefined) return undefined;
  const target = URL.parse(location, url.href);
  if (target === null) throw unreachable(url.host, 'redirects', 'to something that is no URL');
  const keepsMethod = redirect.keepsMethod || method === 'HEAD' || (method === 'GET' && body === undefined);
  const kept = Object.entries(headers).filter(
    ([name]) =>
      (keepsMethod || !OF_BODY.has(name.toLowerCase())) &&
      (isSameOrigin(target, first) || !OF_ORIGIN.has(name.toLowerCase())),
  );
  const next: Hop = keepsMethod
    ? { url: target, method, headers: Object.fromEntries(kept), body }
    : { url: target, method: 'GET', headers: Object.fromEntries(kept), body: undefined };
  return next;
}

async function toResponse(message: IncomingMessage, { url, method }: Hop, maxBytes: number): Promise<WebResponse> {
  const body = await readBody(message, { host: url.host, method, maxBytes });
  const headers = Object.entries(message.headers).map(([name, value]) => [
    name,
    name === 'set-cookie' ? [value ?? ''].flat().map(fromHeader) : fromHeader([value ?? ''].flat().join(', ')),
  ]);
  return { status: message.statusCode ?? 0, headers: Object.fromEntries(headers), body };
}
