import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toHeader } from '../language/media/header-text.ts';
import { UnreachableError } from '../ports/callees/web.ts';
import type { EgressGuard } from './guard.ts';

/** A request to a server that a user named. */
export interface OutgoingRequest {
  readonly method: string;
  /** Sent as UTF-8. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | Readable;
  /** Aborts the request and the reading of its response. */
  readonly signal?: AbortSignal;
  /** The request fails when its connection has been idle for this time, milliseconds. */
  readonly idleMs?: number;
  /** Whether the server's certificate is not verified. */
  readonly isInsecure?: boolean;
  /** The egress rules of the namespace for which the request is sent. */
  readonly opened?: readonly string[];
}

/**
 * Sends a request through the guard, by a connection of its own. Resolves with the response as soon as its headers are
 * there. Redirects are not followed.
 * @throws UnreachableError for a URL other than of http or https, and for a protected address; Error when the connection
 * fails.
 */
export async function sendRequest(guard: EgressGuard, url: URL, request: OutgoingRequest): Promise<IncomingMessage> {
  if (!/^https?:$/.test(url.protocol)) throw new UnreachableError(`'${url}' is no address of the web`, 'request');
  const { method, headers = {}, body, signal, idleMs, isInsecure = false, opened } = request;
  const lookup = guard.lookupFor(url, opened);
  const open = url.protocol === 'https:' ? requestSecure : requestPlain;
  const length = body instanceof Uint8Array ? { 'content-length': String(body.length) } : {};
  // A server that speaks HTTP/2 only refuses the handshake then, instead of sending an unreadable answer.
  const tls = { ALPNProtocols: ['http/1.1'], ...(isInsecure && { rejectUnauthorized: false }) };
  const encoded = Object.entries(headers).map(([name, value]) => [name, toHeader(value)]);
  const options = { method, headers: { ...Object.fromEntries(encoded), ...length }, lookup, agent: false, ...tls };
  return new Promise((resolve, reject) => {
    const outgoing = open(url, { ...options, ...(signal && { signal }) });
    if (idleMs !== undefined)
      outgoing.setTimeout(idleMs, () => outgoing.destroy(new Error('it did not answer in time')));
    outgoing.once('response', resolve);
    // There may be further errors after the first.
    outgoing.on('error', reject);
    if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
    else pipeline(body, outgoing).catch(reject);
  });
}
