import { toJson, toPrettyJson } from '../../language/json.ts';
import { detectMediaType } from '../../language/media/detection.ts';
import { ServiceError } from '../errors.ts';

/** How op=wait renders the output (rest-api reference, 6.3). */
export interface OutputRequest {
  /** Returns this top-level field only. */
  readonly field?: string;
  /** Returns a string without quotes, base64 decoded, and null as an empty body. */
  readonly isRaw: boolean;
  /** The content type of the reply, in place of the detected one. */
  readonly type?: string;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MAX_TYPE_LENGTH = 200;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *; *[\w!#$&^.+-]+=(?:[\w!#$&^.+:-]+|"[\w !#$&^.+:;,/-]*"))*$/;

/** Validates a request. Throws `malformed` for a type that is invalid in a Content-Type header. */
export function toOutputRequest(request: OutputRequest): OutputRequest {
  const { type } = request;
  if (type === undefined || (MEDIA_TYPE.test(type) && type.length <= MAX_TYPE_LENGTH)) return request;
  throw new ServiceError('malformed', 'ctype is not a media type such as application/json; charset=utf-8');
}

function rawBytes(value: unknown): Uint8Array | undefined {
  if (value === null) return new Uint8Array();
  if (typeof value !== 'string') return undefined;
  // Line breaks inside base64 are ignored, as in the decoder of the original.
  const text = value.replace(/[\r\n]/g, '');
  return BASE64.test(text) ? Buffer.from(text, 'base64') : Buffer.from(value);
}

/** Renders the output of a run for the caller of op=wait (rest-api reference, 6.3). */
export function render(
  output: Readonly<Record<string, unknown>>,
  request: OutputRequest,
): { bytes: Uint8Array; type: string } {
  const { field } = request;
  const value = field === undefined ? output : Object.hasOwn(output, field) ? output[field] : null;
  const raw = request.isRaw ? rawBytes(value) : undefined;
  const bytes = raw ?? Buffer.from(field === undefined ? toPrettyJson(value) : toJson(value));
  const type = request.type ?? detectMediaType(bytes);
  return { bytes, type };
}
