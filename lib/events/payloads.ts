import { NumberRangeError, numberProblem, parseJson } from '../language/json-numbers.ts';
import { type Bounds, exceededBound, hasMoreNodes, MAX_NODES, MOST_NODES } from '../language/json-size.ts';
import { syntaxProblem } from './json-syntax.ts';

/** The payload members of an event: `data`, `data_base64`, or none. */
export type Payload = Readonly<Record<string, unknown>>;

/** A payload becomes a part of the data of a run, whose nesting is limited. */
const BOUNDS: Bounds = { levels: 900, characters: Number.POSITIVE_INFINITY, nodes: MAX_NODES };

const TOO_MANY = `more than ${MOST_NODES}`;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder();

/** Parses JSON, or returns the problem. Malformed UTF-8 in texts is replaced. */
export function tryParseJson(bytes: Uint8Array): { readonly value: unknown } | { readonly problem: string } {
  if (hasMoreNodes(bytes, MAX_NODES)) return { problem: TOO_MANY };
  try {
    const value: unknown = parseJson(lenient.decode(bytes));
    return exceededBound(value, BOUNDS) === undefined ? { value } : { problem: 'exceeded max depth' };
  } catch (error) {
    if (error instanceof NumberRangeError) return { problem: `the JSON is ${error.message}` };
    // The two parsers differ for one text only: malformed JSON after a byte order mark.
    return { problem: syntaxProblem(bytes) ?? 'invalid JSON' };
  }
}

/**
 * Returns the payload by its content type; one that is malformed for its type is base64. JSON with a number that is too
 * large is a problem.
 */
export function payloadOf(
  bytes: Uint8Array,
  type: string | undefined,
  version: unknown,
): Payload | { readonly problem: string } {
  if (bytes.length === 0) return {};
  const isJson = type === undefined || isJsonType(type);
  const problem = isJson ? numberProblem(bytes) : undefined;
  if (problem !== undefined) return { problem: `data: the JSON is ${problem}` };
  const read = isJson ? readJson : isTextType(type) ? readText : undefined;
  return read?.(bytes) ?? bytesPayload(bytes, version);
}

/** Version 0.3 has no `data_base64`. */
function bytesPayload(bytes: Uint8Array, version: unknown): Payload {
  const text = toBase64(bytes);
  return version === '0.3' ? { datacontentencoding: 'base64', data: text } : { data_base64: text };
}

function readJson(bytes: Uint8Array): Payload | undefined {
  if (decode(bytes) === undefined) return undefined;
  const parsed = tryParseJson(bytes);
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

/** Encodes bytes as base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** Returns whether the value is base64 with padding and without line breaks. */
export function isBase64(text: unknown): text is string {
  return typeof text === 'string' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Returns the media type without its parameters, in lower case. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function isJsonType(contentType: string): boolean {
  return /^[^/]+\/(?:json|[^/]*\+json)$/.test(mediaTypeOf(contentType));
}

const TEXTS = /^text\/|^application\/(?:xml|yaml|javascript|ecmascript|x-www-form-urlencoded)$|\+(?:xml|yaml)$/;

/** Only UTF-8: bytes in another charset can be valid UTF-8 by chance. */
function isTextType(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  return TEXTS.test(mediaTypeOf(contentType)) && ['utf-8', 'utf8', 'us-ascii'].includes(charset);
}
