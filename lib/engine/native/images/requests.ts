import { STATUS_CODES } from 'node:http';
import { isScalar, parseJson } from '../../../language/json-numbers.ts';
import { textOf as toJsonText } from '../../../language/own-members.ts';
import type { WebResponse } from '../../../ports/callees/web.ts';
import { resultProblem, textProblem } from '../../evaluation/bounds.ts';
import { plainFailure } from '../../evaluation/failures.ts';
import { headersOf, isReservedHeader, methodOf, urlOf } from '../../http/fields.ts';
import { mask } from '../../http/masks.ts';
import { retryAfterOf } from '../../http/responses.ts';
import { exchangeCall, type HttpCall, sentBy } from '../../http/sending.ts';
import { type ImageCall, ImageError, membersOf, textOf } from './call.ts';

/** As many redirects as a client of Go follows, with which the images were made. */
const REDIRECTS = 10;

/** The parts of a request that an image sets; the other ones are the fields of its input. */
export interface Sent {
  readonly method: string;
  readonly body: Buffer | undefined;
  /** The header `Authorization`, which no other origin gets. */
  readonly authorization?: string | undefined;
  readonly isInsecure: boolean;
}

const toText = (value: unknown): string => (isScalar(value) ? toJsonText(value) : '');

/** Sends the request that the fields `url`, `params` and `headers` describe, and returns the response. */
export async function sendImageRequest(
  call: ImageCall,
  { method, body, authorization, isInsecure }: Sent,
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
      credentials: authorization === undefined ? {} : { authorization },
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

function resultOf(body: Uint8Array): unknown {
  if (body.length === 0) return '';
  const value = jsonOf(body);
  return value === undefined ? Buffer.from(body).toString('base64') : value.json;
}

/** How much of the body of a refusal its message has, characters. */
const MAX_SHOWN = 500;

/**
 * Sends a request of which the image returns the body: JSON, else base64, and an empty text for none. Throws ImageError
 * with `failureCode` for a status other than 2xx.
 */
export async function sendForBody(call: ImageCall, sent: Sent, failureCode: string): Promise<unknown> {
  const response = await sendImageRequest(call, sent);
  const { status, body } = response;
  if (status >= 200 && status <= 299) return resultOf(body);
  // Before it is cut: the beginning of a secret is no longer found in it.
  const shown = mask(Buffer.from(body).toString('utf8'), call.secrets).slice(0, MAX_SHOWN);
  const message = `Response Message: ${statusText(status)}, Response Code: ${status} \nResponseBody: ${shown}`;
  throw new ImageError(failureCode, message, retryAfterOf(response, call.context.ports.clock.now()));
}

/** The header `Authorization` of HTTP Basic. */
export const basicOf = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** The name of a header as Go writes it: `content-type` is `Content-Type`. */
const canonical = (name: string): string => name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase());

/** The headers of a response as Go has them: lists of values by canonical names. */
export const goHeaders = ({ headers }: WebResponse): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [canonical(name), [value].flat()]));

/** The status as Go has it, for example `200 OK`. */
export const statusText = (status: number): string => `${status} ${STATUS_CODES[status] ?? ''}`.trim();

/**
 * The value of the body of a response; undefined if it is no JSON. Throws StateError for JSON that exceeds the bounds of
 * results: it is not even read.
 */
export function jsonOf(body: Uint8Array): { readonly json: unknown } | undefined {
  needNone(textProblem(body));
  const value = parsed(body);
  if (value !== undefined) needNone(resultProblem(value.json));
  return value;
}

function parsed(body: Uint8Array): { readonly json: unknown } | undefined {
  try {
    return { json: parseJson(Buffer.from(body).toString('utf8')) };
  } catch {
    return undefined;
  }
}

function needNone(problem: string | undefined): void {
  if (problem !== undefined) throw plainFailure(`the JSON of the response is ${problem}`);
}
