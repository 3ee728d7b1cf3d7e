import type { Readable } from 'node:stream';
import { ServiceError } from '../../domain/errors.ts';

/** What leaves: to API Gateway as it is, or as a stream's head and body. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** What leaves bit by bit. */
export type StreamedReply = Omit<Reply, 'body'> & { readonly body: Readable };

/** What an endpoint answers when its reply is not JSON; anything else that it returns is JSON, undefined is nothing. */
export class RawReply implements Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  constructor(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}, status = 200) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** What a browser must not do with bytes that a user stored: guess their type, or run them with our origin's rights. */
const UNTRUSTED = { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': 'sandbox' };

/** Bytes of a user, of the type that the user named or that they seem to be. */
export function untrusted(body: Uint8Array, type: string, headers: Readonly<Record<string, string>> = {}): RawReply {
  return new RawReply(body, { 'Content-Type': type, ...UNTRUSTED, ...headers });
}

const MEDIA_TYPE = /^[\x21-\x7e][\x20-\x7e]{0,254}$/;

/** Bytes of a user as they were stored, of the type they were stored with if that can stand in a header. */
export function stored(body: Uint8Array, type: string): RawReply {
  return untrusted(body, MEDIA_TYPE.test(type) ? type : 'application/octet-stream');
}

/** JSON with headers of its own. */
export function jsonWith(value: unknown, headers: Readonly<Record<string, string>>): RawReply {
  return new RawReply(JSON.stringify(value), { 'Content-Type': 'application/json', ...headers });
}

/** An error in words alone. */
export function plainError(status: number, text: string, headers: Readonly<Record<string, string>> = {}): RawReply {
  const type = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  return new RawReply(`${text}\n`, { ...type, ...headers }, status);
}

function jsonReply(status: number, value: unknown): Reply {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}

/** The reply to what an endpoint answered. An operation with nothing to say has no body and no type (rest-api, 1.2). */
export function toReply(result: unknown): Reply {
  if (result instanceof RawReply) return result;
  return result === undefined ? { status: 200, headers: {}, body: '' } : jsonReply(200, result);
}

/** The sum of every shape in which clients look for an error (rest-api reference, 1.3 and 16). */
export function toErrorReply(error: ServiceError): Reply {
  const { status, message, details } = error;
  if (error.code === 'bad-list') return plainError(status, `Bad Request\n${message}`);
  return jsonReply(status, { code: status, message, Error: message, StatusCode: status, ...details });
}

/** What is said of a fault of ours: nothing of it leaves but a number to look for in the log. */
export const faultText = (requestId: string): string => `an internal error occurred; the log has it under ${requestId}`;

/** The reply to a fault of ours. */
export function toFaultReply(requestId: string): Reply {
  const message = faultText(requestId);
  return jsonReply(500, { code: 500, message, Error: message, StatusCode: 500 });
}

/** Replies to requests that no route serves (rest-api reference, 1.1). */
export const UNROUTED: Readonly<Record<400 | 404 | 405, Reply>> = {
  400: toErrorReply(new ServiceError('malformed', 'the path holds a % that is no escape; write it as %25')),
  404: plainError(404, '404 page not found'),
  405: { status: 405, headers: {}, body: '' },
};

/** The reply to OPTIONS, of which senders of webhooks ask whether they may (rest-api reference, 1.1). */
export const OPTIONS: Reply = {
  status: 200,
  headers: {
    'WebHook-Allowed-Rate': '120',
    'Webhook-Allowed-Origin': 'eventgrid.azure.net',
    'Cache-Control': 'no-cache, no-store, must-revalidate',
    Pragma: 'no-cache',
    Expires: '0',
  },
  body: '',
};

export function redirect(to: string): Reply {
  return { status: 301, headers: { Location: to }, body: '' };
}
