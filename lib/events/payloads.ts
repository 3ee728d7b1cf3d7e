import { exceededBound } from '../language/json.ts';
import { syntaxProblem } from './json-syntax.ts';

/** The part of an event that is its payload: `data`, `data_base64`, or nothing. */
export type Payload = Readonly<Record<string, unknown>>;

/** A payload becomes a part of a run's data, which may not be nested much deeper. */
const BOUNDS = { levels: 900, characters: Number.POSITIVE_INFINITY };

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder();

/** The JSON value of the bytes, or what is wrong with them. Broken UTF-8 in texts is replaced. */
export function parseJson(bytes: Uint8Array): { readonly value: unknown } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(lenient.decode(bytes));
    return exceededBound(value, BOUNDS) === undefined ? { value } : { problem: 'exceeded max depth' };
  } catch {
    // The one text that the two readers could judge differently has a byte order mark before broken JSON.
    return { problem: syntaxProblem(bytes) ?? 'invalid JSON' };
  }
}

/** The payload as it came; where it cannot be read as its type says, its bytes are kept. */
export function payloadOf(bytes: Uint8Array, type: string | undefined, version: unknown): Payload {
  if (bytes.length === 0) return {};
  const read = type === undefined || isJsonType(type) ? readJson : isTextType(type) ? readText : undefined;
  return read?.(bytes) ?? bytesPayload(bytes, version);
}

/** 0.3 has no `data_base64`. */
function bytesPayload(bytes: Uint8Array, version: unknown): Payload {
  const text = toBase64(bytes);
  return version === '0.3' ? { datacontentencoding: 'base64', data: text } : { data_base64: text };
}

function readJson(bytes: Uint8Array): Payload | undefined {
  if (decode(bytes) === undefined) return undefined;
  const parsed = parseJson(bytes);
  return 'value' in parsed ? { data: parsed.value } : undefined;
}

function readText(bytes: Uint8Array): Payload | undefined {
  const text = decode(bytes);
  return text === undefined ? undefined : { data: text };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** True for base64 as events carry it: with padding, without line breaks. */
export function isBase64(text: unknown): text is string {
  return typeof text === 'string' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** The type without its parameters, in lower case. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function isJsonType(contentType: string): boolean {
  return /^[^/]+\/(?:json|[^/]*\+json)$/.test(mediaTypeOf(contentType));
}

const TEXTS = /^text\/|^application\/(?:xml|yaml|javascript|ecmascript|x-www-form-urlencoded)$|\+(?:xml|yaml)$/;

/** Only in UTF-8: bytes of another charset could be taken for it by chance. */
function isTextType(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  return TEXTS.test(mediaTypeOf(contentType)) && ['utf-8', 'utf8', 'us-ascii'].includes(charset);
}
