import { isObject } from '../../language/json.ts';
import { isNumber } from '../../language/json-numbers.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import { failure, type StateError } from '../evaluation/failures.ts';

/** The failure of a request that cannot be sent as it is written. The text must not contain a value of the request. */
export const invalidRequest = (text: string): StateError => failure('http.request', `the request is invalid: ${text}`);

/** The longest URL that is sent, characters. */
const MAX_URL = 16 * 1024;
const DEFAULT_MS = 30_000;
/** The longest time of one call: a Lambda function runs for 15 minutes. */
const MAX_MS = 14 * 60_000;
const DEFAULT_REDIRECTS = 5;
const MAX_REDIRECTS = 20;
const MAX_HEADERS = 100;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// Line breaks would begin another header, or another request.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are refused
const VALUE = /^[^\u0000-\u0008\u000a-\u001f\u007f]*$/;
/** Whether a text can be the value of a header. */
export const isHeaderValue = (text: string): boolean => VALUE.test(text);

/** Headers that the connection needs, and that would change where a request ends or which host it is for. */
const RESERVED: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whether a header, in lower case, is set by the connection and never by a request. */
export const isReservedHeader = (name: string): boolean => RESERVED.has(name);

const METHODS_REFUSED: ReadonlySet<string> = new Set(['CONNECT', 'TRACE']);

/** The URL, with the path and the query of the call. */
export function urlOf(value: unknown, path: unknown, query: unknown): URL {
  if (typeof value !== 'string') throw invalidRequest("'url' is no text");
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw invalidRequest("'url' is no URL that begins with http:// or https://");
  }
  if (path !== undefined && path !== null) {
    if (typeof path !== 'string') throw invalidRequest("'path' is no text");
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${path.replace(/^\//, '')}`;
  }
  for (const [name, one] of entriesOf(query, 'query')) {
    for (const item of [one].flat()) if (item !== null) url.searchParams.append(name, toText(item, 'query', name));
  }
  if (url.href.length > MAX_URL) throw invalidRequest(`'url' has more than ${MAX_URL} characters`);
  url.hash = '';
  return url;
}

/** The entries of an object of names and values; none for null. Throws `http.request` for another value. */
export function entriesOf(value: unknown, field: string): readonly (readonly [string, unknown])[] {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) throw invalidRequest(`'${field}' is no object of names and values`);
  return Object.entries(value);
}

/** The text of a scalar. Throws `http.request` for another value. */
export function toText(value: unknown, field: string, name: string): string {
  if (typeof value === 'string') return value;
  if (isNumber(value) || typeof value === 'boolean') return String(value);
  throw invalidRequest(`'${name}' in '${field}' is neither text nor a number nor true or false`);
}

/** The headers by their names in lower case. Null leaves one out; a list is joined by commas. */
export function headersOf(value: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [written, one] of entriesOf(value, 'headers')) {
    const name = written.toLowerCase();
    if (!TOKEN.test(name)) throw invalidRequest('the name of a header has a character that names cannot have');
    if (isReservedHeader(name)) throw invalidRequest(`the header '${name}' is set by Weft itself`);
    if (one === null) continue;
    const text = [one]
      .flat()
      .map((item) => toText(item, 'headers', name))
      .join(', ');
    if (!isHeaderValue(text)) {
      throw invalidRequest(`the header '${name}' has a line break, or another character that headers cannot have`);
    }
    headers[name] = text.trim();
  }
  if (Object.keys(headers).length > MAX_HEADERS) throw invalidRequest(`there are more than ${MAX_HEADERS} headers`);
  return headers;
}

/** The method in capitals; without one, POST for a request with a body, else GET. */
export function methodOf(value: unknown, hasBody: boolean): string {
  if (value === undefined || value === null) return hasBody ? 'POST' : 'GET';
  const method = typeof value === 'string' ? value.toUpperCase() : '';
  if (!/^[A-Z]{1,20}$/.test(method) || METHODS_REFUSED.has(method)) {
    throw invalidRequest("'method' is none of HTTP that can be sent, such as GET or POST");
  }
  return method;
}

/** The time for a call, milliseconds. */
export function msOf(value: unknown): number {
  if (value === undefined || value === null) return DEFAULT_MS;
  const duration = typeof value === 'string' ? parseDuration(value) : undefined;
  if (duration === undefined) throw invalidRequest("'timeout' is no duration such as PT30S");
  return Math.min(Math.max(addDuration(0, duration), 1), MAX_MS);
}

const isStatus = (value: unknown): value is number | string =>
  (typeof value === 'number' && Number.isInteger(value)) || (typeof value === 'string' && /^[1-5]xx$/.test(value));

/** The statuses that are a success. */
export function expectOf(value: unknown): readonly (number | string)[] {
  if (value === undefined || value === null) return ['2xx'];
  const statuses = [value].flat();
  if (statuses.length > 0 && statuses.every(isStatus)) return statuses;
  throw invalidRequest("'expect' is no list of statuses such as 200 or 2xx");
}

/** How many redirects are followed. */
export function redirectsOf(value: unknown): number {
  if (value === undefined || value === null) return DEFAULT_REDIRECTS;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_REDIRECTS) return value;
  throw invalidRequest(`'redirects' is no number from 0 to ${MAX_REDIRECTS}`);
}

/** Whether certificates are not verified. */
export function insecureOf(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw invalidRequest("'insecure' is neither true nor false");
}
