import { createHash } from 'node:crypto';
import { isBase64 } from '../../events/payloads.ts';
import { isObject, toJson } from '../../language/json.ts';
import { entriesOf, invalidRequest, isHeaderValue, toText } from './fields.ts';

/** The largest body that is sent, bytes. */
const MAX_BODY = 16 * 1024 * 1024;

/** A body as it is sent, with its content type. `encoding`: how `text` is written, UTF-8 by default. */
export interface Body {
  readonly text: string;
  readonly encoding?: 'base64';
  readonly type: string;
}

/** Bytes in the data of a run: as a response has them, and as a file of a form. */
interface Bytes {
  readonly type: string;
  readonly base64: string;
  readonly filename?: string;
}

const BYTES = ['type', 'base64', 'filename'];
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
const JSON_TYPE = /^[^/;]+\/(?:[^;]*\+)?json\s*(?:;|$)/i;

/**
 * The body, by the content type of the headers: a text as it is, an object as a form of that type, bytes as `{type, base64}`,
 * and any other value as JSON; null is none. Throws `http.request`.
 */
export function bodyOf(value: unknown, type: string | undefined): Body | undefined {
  if (value === undefined || value === null) return undefined;
  const body = encode(value, type);
  if (Buffer.byteLength(body.text, body.encoding) > MAX_BODY)
    throw invalidRequest(`'body' has more than ${MAX_BODY} bytes`);
  return body;
}

function encode(value: unknown, type: string | undefined): Body {
  const kind = type?.toLowerCase() ?? '';
  const isMultipart = kind.startsWith(MULTIPART);
  if (typeof value === 'string') {
    if (isMultipart && !BOUNDARY.test(kind))
      throw invalidRequest(`'body' is a text of the type ${MULTIPART} without a boundary: write an object of fields`);
    return { text: value, type: type ?? 'text/plain; charset=utf-8' };
  }
  if (kind.startsWith(FORM)) return { text: formOf(value), type: type ?? FORM };
  if (isMultipart) return multipartOf(value, type ?? MULTIPART);
  const bytes = JSON_TYPE.test(kind) ? undefined : bytesOf(value, 'body');
  if (bytes !== undefined) return { text: bytes.base64, encoding: 'base64', type: type ?? bytes.type };
  return { text: toJson(value), type: type ?? 'application/json' };
}

/** The bytes that a value is; undefined for another value. */
function bytesOf(value: unknown, name: string): Bytes | undefined {
  if (!isObject(value) || !Object.hasOwn(value, 'type') || !Object.hasOwn(value, 'base64')) return undefined;
  if (!Object.keys(value).every((member) => BYTES.includes(member))) return undefined;
  const { base64, type, filename } = value;
  if (!isBase64(base64))
    throw invalidRequest(`'base64' of '${name}' is no base64 with padding and without line breaks`);
  if (typeof type !== 'string' || !isHeaderValue(type)) throw invalidRequest(`'type' of '${name}' is no media type`);
  if (filename === undefined) return { type, base64 };
  if (typeof filename !== 'string') throw invalidRequest(`'filename' of '${name}' is no text`);
  return { type, base64, filename };
}

/** The fields of a form: a list is several fields of one name, and null is none. */
const fieldsOf = (value: unknown): [string, unknown][] =>
  entriesOf(value, 'body').flatMap(([name, one]) =>
    [one].flat().flatMap((item): [string, unknown][] => (item === null ? [] : [[name, item]])),
  );

function formOf(value: unknown): string {
  const form = new URLSearchParams();
  for (const [name, one] of fieldsOf(value)) form.append(name, toText(one, 'body', name));
  return form.toString();
}

const BOUNDARY = /;\s*boundary="?([^\s";]+)/i;

/** The characters that names in a part must not have, as browsers write them. */
const quoted = (name: string): string =>
  `"${name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;

/** A part without the boundary before it (RFC 7578). */
function partOf([name, value]: readonly [string, unknown]): Buffer {
  const bytes = bytesOf(value, name);
  const head = `\r\nContent-Disposition: form-data; name=${quoted(name)}`;
  if (bytes === undefined) return Buffer.from(`${head}\r\n\r\n${toText(value, 'body', name)}\r\n`);
  const { base64, type, filename = name } = bytes;
  const ofFile = `${head}; filename=${quoted(filename)}\r\nContent-Type: ${type}\r\n\r\n`;
  return Buffer.concat([Buffer.from(ofFile), Buffer.from(base64, 'base64'), Buffer.from('\r\n')]);
}

/** The body of a form with files. The boundary is a hash of the parts, so that none contains it and a retry is the same. */
function multipartOf(value: unknown, type: string): Body {
  const parts = fieldsOf(value).map(partOf);
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  const given = BOUNDARY.exec(type)?.[1];
  const boundary = given ?? `weft-${hash.digest('hex').slice(0, 40)}`;
  if (parts.some((part) => part.includes(`--${boundary}`)))
    throw invalidRequest("a field of 'body' contains the boundary of its content type: leave the boundary out");
  const all = [...parts.flatMap((part) => [Buffer.from(`--${boundary}`), part]), Buffer.from(`--${boundary}--\r\n`)];
  return {
    text: Buffer.concat(all).toString('base64'),
    encoding: 'base64',
    type: given === undefined ? `${type.replace(/[;\s]+$/, '')}; boundary=${boundary}` : type,
  };
}
