import { STATUS_CODES } from 'node:http';
import type { WebResponse } from '../../../ports/web.ts';
import { headersOf, isReservedHeader, methodOf, urlOf } from '../../http/fields.ts';
import { exchangeCall, type HttpCall, sentBy } from '../../http/sending.ts';
import { type ImageCall, membersOf, textOf } from './call.ts';

/** As many redirects as a client of Go follows, with which the images were made. */
const REDIRECTS = 10;

/** What an image sends; the other fields of the request are those of its input. */
export interface Sent {
  readonly method: string;
  readonly body: Buffer | undefined;
  /** Credentials for the header `Authorization`. */
  readonly basic?: { readonly user: string; readonly password: string } | undefined;
  readonly isInsecure: boolean;
}

const toText = (value: unknown): string => (typeof value === 'object' ? '' : String(value));

/** Sends the request that the fields `url`, `params` and `headers` describe, and returns the response. */
export async function sendImageRequest(
  call: ImageCall,
  { method, body, basic, isInsecure }: Sent,
): Promise<WebResponse> {
  const { fields, context, secrets } = call;
  const url = urlOf(textOf(fields, 'url'), undefined, undefined);
  for (const [name, value] of membersOf(fields, 'params')) url.searchParams.set(name, toText(value));
  // A client of Go sets these itself and ignores them in a request.
  const headers = membersOf(fields, 'headers').filter(([name]) => !isReservedHeader(name.toLowerCase()));
  const { namespaceId, namespace, key, traceparent, ports, until, signal } = context;
  const sending: HttpCall = {
    ports,
    until,
    ...(signal && { signal }),
    identity: { namespaceId, namespace, idempotencyKey: key, traceparent },
    request: {
      url: url.href,
      method: methodOf(method, false),
      headers: headersOf(Object.fromEntries(headers.map(([name, value]) => [name, toText(value)]))),
      credentials: basic === undefined ? {} : { authorization: `Basic ${toBase64(`${basic.user}:${basic.password}`)}` },
      ...(body && { body: body.toString('base64'), bodyEncoding: 'base64' }),
      ms: until - ports.clock.now(),
      expect: [],
      redirects: REDIRECTS,
      isInsecure,
      secrets,
    },
  };
  call.note(sentBy(sending));
  const response = await exchangeCall(sending);
  call.note(sentBy(sending, response));
  return response;
}

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

/** The name of a header as Go writes it: `content-type` is `Content-Type`. */
const canonical = (name: string): string => name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase());

/** The headers of a response as Go has them: lists of values by canonical names. */
export const goHeaders = ({ headers }: WebResponse): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [canonical(name), [value].flat()]));

/** The status as Go has it, for example `200 OK`. */
export const statusText = (status: number): string => `${status} ${STATUS_CODES[status] ?? ''}`.trim();

/** The value of a JSON text; undefined if it is none. */
export function jsonOf(body: Uint8Array): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(Buffer.from(body).toString('utf8')) };
  } catch {
    return undefined;
  }
}
