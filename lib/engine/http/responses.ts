import { parseJson } from '../../language/json-numbers.ts';
import type { WebResponse } from '../../ports/callees/web.ts';
import { resultProblem, textProblem } from '../evaluation/bounds.ts';
import type { HttpCause } from './codes.ts';

/** The media type without its parameters, in lower case; empty: none. */
const typeOf = ({ headers }: WebResponse): string =>
  String(headers['content-type'] ?? '')
    .split(';')[0]
    ?.trim()
    .toLowerCase() ?? '';

const isJsonType = (type: string): boolean => /^(application|text)\/json$|\+json$/.test(type);

const TEXT_TYPES: ReadonlySet<string> = new Set([
  'application/xml',
  'application/javascript',
  'application/ecmascript',
  'application/x-www-form-urlencoded',
  'application/yaml',
  'application/x-yaml',
  'application/x-ndjson',
  'application/jsonl',
  'application/graphql',
  'application/sql',
  'application/toml',
]);

const isTextType = (type: string): boolean => type.startsWith('text/') || /\+xml$/.test(type) || TEXT_TYPES.has(type);

function decoderFor({ headers }: WebResponse): { decode(bytes: Uint8Array): string } {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(String(headers['content-type'] ?? ''))?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** The body of a response as a value, or why it is none. */
export type BodyValue = { readonly body: unknown } | { readonly cause: HttpCause; readonly problem: string };

/**
 * The body of a response: a JSON type as its value, a text type as text, no body as the empty text, and any other type as
 * `{type, base64}`. Bytes without a type are text if they are UTF-8.
 */
export function bodyValueOf(response: WebResponse): BodyValue {
  const { body } = response;
  const type = typeOf(response);
  if (body.length === 0) return { body: '' };
  if (isJsonType(type)) return jsonOf(response);
  if (isTextType(type)) return { body: decoderFor(response).decode(body) };
  if (type !== '') return { body: { type, base64: toBase64(body) } };
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(body) };
  } catch {
    return { body: { type: 'application/octet-stream', base64: toBase64(body) } };
  }
}

function jsonOf(response: WebResponse): BodyValue {
  const excess = textProblem(response.body);
  if (excess !== undefined) return { cause: 'tooLarge', problem: `its JSON is ${excess}` };
  const value = parse(decoderFor(response).decode(response.body));
  if (value === undefined) return { cause: 'response', problem: 'its type is JSON and its body is not' };
  const problem = resultProblem(value.json);
  return problem === undefined ? { body: value.json } : { cause: 'tooLarge', problem: `its JSON is ${problem}` };
}

function parse(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: parseJson(text) };
  } catch {
    return undefined;
  }
}

const MAX_EXCERPT = 200;

/** The beginning of a text body, for a message; empty for anything else. */
export function excerptOf(response: WebResponse): string {
  const type = typeOf(response);
  if (!isJsonType(type) && !isTextType(type)) return '';
  const text = decoderFor(response).decode(response.body.subarray(0, 4 * MAX_EXCERPT));
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_EXCERPT ? `${line.slice(0, MAX_EXCERPT)}…` : line;
}

/** How long a response asks to wait before the next request (RFC 9110, 10.2.3), milliseconds; undefined: it does not. */
export function retryAfterOf({ headers }: WebResponse, now: number): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  const at = /^\d+$/.test(value.trim()) ? now + Number(value) * 1000 : Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0);
}
