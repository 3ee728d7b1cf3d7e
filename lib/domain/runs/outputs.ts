import { toJson, toPrettyJson } from '../../language/json.ts';
import { detectMediaType } from '../../language/media/detection.ts';
import { ServiceError } from '../errors.ts';

export interface OutputRequest {
  /** Only this top-level field. */
  readonly field?: string;
  /** Strings bare, base64 as the bytes it stands for, null as nothing. */
  readonly isRaw: boolean;
  /** The content type of the reply, in place of the detected one. */
  readonly type?: string;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const LONGEST_TYPE = 200;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *; *[\w!#$&^.+-]+=(?:[\w!#$&^.+:-]+|"[\w !#$&^.+:;,/-]*"))*$/;

/** Checks what the caller asks of the output. Throws `malformed` for a type that may not stand in a Content-Type header. */
export function toOutputRequest(wanted: OutputRequest): OutputRequest {
  const { type } = wanted;
  if (type === undefined || (MEDIA_TYPE.test(type) && type.length <= LONGEST_TYPE)) return wanted;
  throw new ServiceError('malformed', 'ctype is not a media type such as application/json; charset=utf-8');
}

function rawBytes(value: unknown): Uint8Array | undefined {
  if (value === null) return new Uint8Array();
  if (typeof value !== 'string') return undefined;
  // Newlines inside base64 do not count, as in the original's decoder.
  const text = value.replace(/[\r\n]/g, '');
  return BASE64.test(text) ? Buffer.from(text, 'base64') : Buffer.from(value);
}

/** The output as the caller of op=wait wants it (rest-api reference, 6.3). */
export function render(
  output: Readonly<Record<string, unknown>>,
  wanted: OutputRequest,
): { bytes: Uint8Array; type: string } {
  const { field } = wanted;
  const value = field === undefined ? output : Object.hasOwn(output, field) ? output[field] : null;
  const raw = wanted.isRaw ? rawBytes(value) : undefined;
  const bytes = raw ?? Buffer.from(field === undefined ? toPrettyJson(value) : toJson(value));
  const type = wanted.type ?? detectMediaType(bytes);
  return { bytes, type };
}
