import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ServiceError } from '../../domain/errors.ts';

/** A reply of the service, before it has the form that the platform expects. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** A reply whose body is sent as it is produced. */
export type StreamedReply = Omit<Reply, 'body'> & { readonly body: Readable };

/** The result of an endpoint whose reply is not JSON. Any other result is sent as JSON, `undefined` as an empty reply. */
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

/** Stored bytes of users: a browser must neither guess their type nor run them with the rights of this origin. */
const UNTRUSTED = { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': 'sandbox' };

/** Bytes of a user, with the type that the user named or that was detected. */
export function untrusted(body: Uint8Array, type: string, headers: Readonly<Record<string, string>> = {}): RawReply {
  return new RawReply(body, { 'Content-Type': type, ...UNTRUSTED, ...headers });
}

const MEDIA_TYPE = /^[\x21-\x7e][\x20-\x7e]{0,254}$/;

/** Stored bytes of a user, with their stored type if it is valid in a header. */
export function stored(body: Uint8Array, type: string): RawReply {
  return untrusted(body, MEDIA_TYPE.test(type) ? type : 'application/octet-stream');
}

/** JSON with further headers. */
export function jsonWith(value: unknown, headers: Readonly<Record<string, string>>, status = 200): RawReply {
  return new RawReply(JSON.stringify(value), { 'Content-Type': 'application/json', ...headers }, status);
}

/** By lower-case name. */
type RequestHeaders = Readonly<Record<string, string | undefined>>;

/**
 * Returns the same reply at each call, and 304 without a body to a client that has it (`If-None-Match`, RFC 9110). Its
 * JSON is made at the first, by `make`.
 */
export function fixedJson(
  make: () => Promise<unknown>,
  headers: Reply['headers'] = {},
): (request: RequestHeaders) => Promise<RawReply> {
  let made: Promise<FixedReplies> | undefined;
  return async (request) => {
    made ??= make().then((json) => repliesOf(Buffer.from(JSON.stringify(json)), headers));
    const { tag, whole, unchanged } = await made;
    const known = request['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''));
    return known?.some((one) => one === tag || one === '*') ? unchanged : whole;
  };
}

interface FixedReplies {
  readonly tag: string;
  readonly whole: RawReply;
  readonly unchanged: RawReply;
}

function repliesOf(body: Uint8Array, others: Reply['headers']): FixedReplies {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, TAG_LENGTH)}"`;
  const headers = { ETag: tag, ...others };
  return {
    tag,
    whole: new RawReply(body, { 'Content-Type': 'application/json', ...headers }),
    unchanged: new RawReply('', headers, 304),
  };
}

/** 132 bits. */
const TAG_LENGTH = 22;

/** An error as plain text. */
export function plainError(status: number, text: string, headers: Readonly<Record<string, string>> = {}): RawReply {
  const type = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  return new RawReply(`${text}\n`, { ...type, ...headers }, status);
}

function jsonReply(status: number, value: unknown): Reply {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}

/** The reply for the result of an endpoint. An operation without a result has no body and no type (rest-api, 1.2). */
export function toReply(result: unknown): Reply {
  if (result instanceof RawReply) return result;
  return result === undefined ? { status: 200, headers: {}, body: '' } : jsonReply(200, result);
}

/** An error with the fields of all shapes that clients read (rest-api reference, 1.3 and 16). */
export function toErrorReply(error: ServiceError): Reply {
  const { status, message, details, retryAfter } = error;
  if (error.code === 'bad-list') return plainError(status, `Bad Request\n${message}`);
  const reply = jsonReply(status, { code: status, message, Error: message, StatusCode: status, ...details });
  if (retryAfter === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, 'Retry-After': String(retryAfter) } };
}

/** The message of a fault of the service: it contains only the id under which the log has the fault. */
export const faultText = (requestId: string): string => `an internal error occurred; the log has it under ${requestId}`;

/** The reply for a fault of the service. */
export function toFaultReply(requestId: string): Reply {
  const message = faultText(requestId);
  return jsonReply(500, { code: 500, message, Error: message, StatusCode: 500 });
}

/** The replies to requests without a route (rest-api reference, 1.1). */
export const UNROUTED: Readonly<Record<400 | 404 | 405, Reply>> = {
  400: toErrorReply(new ServiceError('malformed', 'the path holds a % that is no escape; write it as %25')),
  404: plainError(404, '404 page not found'),
  405: { status: 405, headers: {}, body: '' },
};

/** The reply to OPTIONS, with which senders of webhooks ask for permission (rest-api reference, 1.1). */
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

/** A permanent redirect to a path. */
export function redirect(to: string): Reply {
  return { status: 301, headers: { Location: to }, body: '' };
}
