import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ServiceError } from '../../domain/errors.ts';
import { fromHeader } from '../../language/media/header-text.ts';
import { ownMember } from '../../language/own-members.ts';

/** A request as received, before it is validated, without its body. */
export interface RequestHead {
  readonly method: string;
  /** Encoded, without the query. */
  readonly path: string;
  /** The prefix of the path in the caller's URL: the stage of API Gateway, or empty. */
  readonly base: string;
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** By lower-case name; the first value of a repeated header, as UTF-8. */
  readonly headers: Readonly<Record<string, string>>;
  /** The IP address of the client, or of the proxy before it; empty if it is not known. */
  readonly address: string;
}

/** A request with its body. */
export interface Request extends RequestHead {
  readonly body: Uint8Array;
}

/** A proxy event of API Gateway, with the body in it, or of the local gateway, which reads the body when it is asked. */
export type RequestEvent = APIGatewayProxyEvent & {
  /** Reads the body of at most `most` bytes on the account of the key. Throws ServiceError. */
  readonly readBody?: (keyId: string, most: number) => Promise<Uint8Array>;
  /** Undefined if work for a tenant may begin at once; else resolves when it may. */
  readonly enter?: (tenant: string) => Promise<void> | undefined;
};

function headersOf(event: APIGatewayProxyEvent): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(event.headers ?? {}))
    headers[name.toLowerCase()] = fromHeader(value ?? '');
  return headers;
}

function queryOf(event: APIGatewayProxyEvent): Record<string, readonly string[]> {
  const query: Record<string, readonly string[]> = Object.create(null);
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) query[name] = values ?? [];
  return query;
}

function baseOf({ path, requestContext }: APIGatewayProxyEvent): string {
  const full = requestContext?.path ?? path;
  return full.endsWith(path) ? full.slice(0, full.length - path.length) : '';
}

/** Reads the head of a proxy event of API Gateway (REST, payload version 1). */
export function toRequestHead(event: APIGatewayProxyEvent): RequestHead {
  return {
    method: event.httpMethod,
    path: event.path,
    base: baseOf(event),
    query: queryOf(event),
    headers: headersOf(event),
    address: event.requestContext?.identity?.sourceIp ?? '',
  };
}

/** The body of a request whose key was checked. Throws ServiceError, locally also `too-large` for more than `most` bytes. */
export async function readBody(event: RequestEvent, keyId: string, most: number): Promise<Uint8Array> {
  if (event.readBody !== undefined) return event.readBody(keyId, most);
  const { body } = event;
  return body === null ? new Uint8Array() : Buffer.from(body, event.isBase64Encoded ? 'base64' : 'utf8');
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** A flag in the query: true for a text that Go's `ParseBool` reads as true, else false (rest-api reference, 4.4). */
export function isOn(query: Request['query'], name: string): boolean {
  return TRUE.has(ownMember(query, name)?.[0] ?? '');
}

/** A time in the query, milliseconds since 1970; undefined if it is absent. Throws `malformed`. */
export function timeAt(query: Request['query'], name: string): number | undefined {
  const text = ownMember(query, name)?.[0] ?? '';
  if (text === '') return undefined;
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return ms;
  throw new ServiceError('malformed', `${name} is '${text.slice(0, 60)}', which is not an RFC 3339 time`);
}
