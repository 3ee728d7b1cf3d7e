import { isObject } from '../language/json.ts';
import { omitUndefined } from '../language/omit-undefined.ts';
import { type Attributes, type Checked, checkAttributes } from './attributes.ts';
import type { CloudEvent } from './cloud-event.ts';
import { fromHeaders } from './headers.ts';
import { isBase64, mediaTypeOf, payloadOf, toBase64, tryParseJson } from './payloads.ts';

export interface Request {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Returns an id for an event without one. */
  readonly newId: () => string;
}

/** An event, or the problem with this part of the request. */
export type Decoded = { readonly event: CloudEvent } | { readonly problem: string };

/**
 * Decodes the events of a request in the HTTP binding of CloudEvents: binary, structured or batched, by its content type
 * (rest-api 15.1). Invalid data in the binary and structured modes becomes an event of type `noncompliant` (15.2). Each
 * element of a batch has a result of its own, so that an invalid one does not affect the others; a body that is not a
 * batch is one problem. Never throws.
 */
export function decodeEvents(request: Request): readonly Decoded[] {
  const { headers } = request;
  const type = (headers['content-type'] ?? '').trim().toLowerCase();
  if (type.startsWith('application/cloudevents-batch+json')) return decodeBatch(request);
  const decoded = decodeOne(type, request);
  return ['event' in decoded ? decoded : { event: keepData(decoded.problem, request) }];
}

/** Decodes one event. It is structured by its media type, or as JSON without a header of the binary mode. */
function decodeOne(type: string, request: Request): Decoded {
  if (type.startsWith('application/cloudevents+json')) return decodeStructured(request);
  // Another event format is not one of the binary mode (HTTP binding 3).
  if (type.startsWith('application/cloudevents')) return { problem: UNKNOWN };
  const isStructured = type.startsWith('application/json') && !request.headers['ce-type'];
  return isStructured ? decodeStructured(request) : decodeBinary(request);
}

function decodeBatch({ body, newId }: Request): readonly Decoded[] {
  const parsed = tryParseJson(body);
  if ('problem' in parsed) return [parsed];
  const batch = parsed.value ?? [];
  if (Array.isArray(batch)) return batch.map((element: unknown) => decodeElement(element, batch[0], newId));
  const kind = typeof batch === 'boolean' ? 'bool' : typeof batch;
  return [{ problem: `json: cannot unmarshal ${kind} into Go value of type []event.Event` }];
}

/** Decodes an element of a batch, whose events all have one version (HTTP binding 3.3.2). */
function decodeElement(element: unknown, first: unknown, newId: () => string): Decoded {
  const decoded = decodeEvent(element, newId);
  if ('problem' in decoded || !isObject(first) || decoded.event.specversion === first['specversion']) return decoded;
  return { problem: 'specversion: MUST be the same for all events of a batch\n' };
}

function decodeStructured({ body, newId }: Request): Decoded {
  const parsed = tryParseJson(body);
  return 'problem' in parsed ? parsed : decodeEvent(parsed.value, newId);
}

/** Decodes a JSON value in the JSON format of CloudEvents. */
export function decodeEvent(value: unknown, newId: () => string): Decoded {
  const { data, data_base64: base64, ...attributes }: Attributes = isObject(value) ? value : {};
  const checked = checkAttributes(attributes, newId);
  if ('problem' in checked) return checked;
  if (base64 === undefined || base64 === null) {
    const isPlain = attributes['specversion'] !== '0.3' || attributes['datacontentencoding'] !== 'base64';
    if (data === undefined) return toEvent(checked, {});
    return isPlain || isBase64(data) ? toEvent(checked, { data }) : { problem: 'data: MUST be base64\n' };
  }
  if (!isBase64(base64)) return { problem: 'data_base64: MUST be base64\n' };
  const isDouble = data !== undefined && data !== null;
  return isDouble
    ? { problem: 'data_base64: MUST NOT stand beside data\n' }
    : toEvent(checked, { data_base64: base64 });
}

function decodeBinary({ headers, body, newId }: Request): Decoded {
  const read = fromHeaders(headers);
  if ('problem' in read) return read;
  const { attributes } = read;
  const version = attributes['specversion'];
  if (version !== '1.0' && version !== '0.3') return { problem: UNKNOWN };
  const checked = checkAttributes(attributes, newId);
  const type = attributes['datacontenttype'];
  const payload = payloadOf(body, type, version);
  return isProblem(payload) ? payload : toEvent(checked, payload);
}

const isProblem = (payload: ReturnType<typeof payloadOf>): payload is { readonly problem: string } =>
  'problem' in payload;

/** The original's text for data in none of the modes (rest-api 15.2). */
const UNKNOWN = 'unknown Message encoding';

function toEvent(checked: Checked, payload: Attributes): Decoded {
  return 'problem' in checked ? checked : { event: { ...checked.attributes, ...payload } as unknown as CloudEvent };
}

/** The event for invalid data: with its bytes, or with the object if the data is a JSON object of that type. */
function keepData(error: string, { headers, body, newId }: Request): CloudEvent {
  const type = headers['content-type']?.toWellFormed();
  const parsed = mediaTypeOf(type ?? '') === 'application/json' ? tryParseJson(body) : undefined;
  const isInline = parsed !== undefined && 'value' in parsed && isObject(parsed.value);
  return omitUndefined({
    specversion: '1.0',
    id: newId(),
    source: 'unknown',
    type: 'noncompliant',
    datacontenttype: type || undefined,
    ...(isInline ? { data: parsed.value } : { data_base64: toBase64(body) }),
    error,
  });
}
