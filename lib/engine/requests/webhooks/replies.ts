import { isObject, toJson } from '../../../language/json.ts';
import { detectMediaType } from '../../../language/media/detection.ts';

/** A response that an output describes. */
export interface WebhookReply {
  readonly status: number;
  /** The media type of the body. */
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const NAME = /^[A-Za-z][A-Za-z0-9-]{0,99}$/;
const VALUE = /^[\x20-\x7e]{0,4096}$/;
/** Headers of HTTP about the body and what follows, and those of applications. The service sets all others itself. */
const ALLOWED =
  /^(?:allow|cache-control|content-disposition|content-language|etag|expires|last-modified|link|location|pragma|retry-after|vary|x-.+)$/i;
/** Headers that look like those of an application, and by which proxies and browsers act. */
const RESERVED =
  /^x-(?:accel|content-(?:type-options|security)|dns-prefetch|forwarded|frame-options|lighttpd|original|permitted|real-ip|reproxy|rewrite|sendfile|ua-compatible|webkit|xss)/i;

const isStatus = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599;

const isAllowed = (name: string): boolean => NAME.test(name) && ALLOWED.test(name) && !RESERVED.test(name);

function headersOf(value: unknown): Record<string, string> {
  const all = isObject(value) ? Object.entries(value) : [];
  const valid = all.flatMap(([name, one]): [string, string][] =>
    typeof one === 'string' && isAllowed(name) && VALUE.test(one) ? [[name, one]] : [],
  );
  return Object.fromEntries(valid);
}

function typeIn(value: unknown): string | undefined {
  const all = isObject(value) ? Object.entries(value) : [];
  const [, type] = all.find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  return typeof type === 'string' && VALUE.test(type) && type !== '' ? type : undefined;
}

const bytesOf = (value: unknown): Uint8Array => Buffer.from(typeof value === 'string' ? value : toJson(value));

/**
 * The response of a webhook that replies with the output of its run. An output with a `status`, a number from 200 to 599,
 * has the `headers` and the `body` of the response: a text as it is, another value as JSON. Any other output is the body of
 * a response with the status 200. Headers that a workflow may not set are left out.
 */
export function toWebhookReply(output: Readonly<Record<string, unknown>>): WebhookReply {
  const { status, headers, body } = output;
  if (!isStatus(status)) {
    return { status: 200, type: 'application/json', headers: {}, body: bytesOf(output) };
  }
  const bytes = body === undefined || body === null ? new Uint8Array() : bytesOf(body);
  return { status, type: typeIn(headers) ?? detectMediaType(bytes), headers: headersOf(headers), body: bytes };
}
