import type { WebhookVerification } from '../../../compiler/plan/webhooks.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { numberProblem, parseJson } from '../../../language/json-numbers.ts';
import { type Bounds, exceededBound, hasMoreNodes, MAX_NODES, MOST_NODES } from '../../../language/json-size.ts';
import { type Part, partsOf } from './multipart.ts';

/** A request to a webhook. */
export interface WebhookRequest {
  readonly method: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly body: Uint8Array;
}

/** The request as the data of a run. */
export interface WebhookInput {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A parameter that is given several times is a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** JSON and forms as values, files of a form as `{filename, type, base64}`, another text as it is, other bytes as base64. */
  readonly body: unknown;
  /** The bytes of the body as base64. */
  readonly raw: string;
}

/** Headers with credentials: they do not enter the data. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'service-api-key',
  'service-token',
  'direktiv-api-key',
  'direktiv-token',
  'apikey',
  'key',
]);

const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json\s*(?:;|$)/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A body becomes a part of the data of a run or of an event, whose nesting is limited. */
const BOUNDS: Bounds = { levels: 900, characters: Number.POSITIVE_INFINITY, nodes: MAX_NODES };

/** The fields of a form. */
const MAX_FIELDS = 10_000;

const tooLarge = (what: string): ServiceError => new ServiceError('malformed', `the body ${what}; send less of it`);

function fieldsOf(text: string): Record<string, string | readonly string[]> {
  // Counted first: a field of one character would cost a hundred times its bytes.
  let fields = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) fields += 1;
  if (fields > MAX_FIELDS) throw tooLarge(`has more than ${MAX_FIELDS} fields`);
  return grouped(new URLSearchParams(text));
}

function jsonOf(text: string, body: Uint8Array): unknown {
  if (hasMoreNodes(body, MAX_NODES)) throw tooLarge(`has more than ${MOST_NODES}`);
  const problem = numberProblem(body);
  if (problem !== undefined) throw new ServiceError('malformed', `the body is ${problem}`);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return text;
  }
  if (exceededBound(value, BOUNDS) !== undefined) throw tooLarge(`is nested deeper than ${BOUNDS.levels} levels`);
  return value;
}

/** A list of pairs as an object; a name that occurs several times has the list of its values. */
function grouped<T>(pairs: Iterable<readonly [string, T]>): Record<string, T | readonly T[]> {
  const groups = Map.groupBy(pairs, ([name]) => name);
  const values = [...groups].map(([name, all]) => [name, all.map(([, value]) => value)] as const);
  return Object.fromEntries(values.map(([name, all]) => [name, all.length === 1 ? (all[0] as T) : all]));
}

/** The fields and files of a form with files; undefined for another body, and for one that is malformed. */
function multipartOf(type: string, body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  const values: [string, unknown][] = [];
  const parts = partsOf(type, body);
  for (let next = parts.next(); ; next = parts.next()) {
    if (next.done) return next.value ? grouped(values) : undefined;
    if (values.push([next.value.name, valueOfPart(next.value)]) > MAX_FIELDS)
      throw tooLarge(`has more than ${MAX_FIELDS} fields`);
  }
}

/** A field as its text, or its value if its type is JSON; bytes and a file as the HTTP function sends them. */
function valueOfPart({ filename, type, body }: Part): unknown {
  const text = filename === undefined ? textOf(body) : undefined;
  if (text !== undefined) return JSON_TYPE.test(type ?? '') ? jsonOf(text, body) : text;
  const bytes = { type: type ?? 'application/octet-stream', base64: body.toString('base64') };
  return filename === undefined ? bytes : { filename, ...bytes };
}

function textOf(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
}

function bodyOf({ headers, body }: WebhookRequest): unknown {
  const multipart = multipartOf(headers['content-type'] ?? '', body);
  if (multipart !== undefined) return multipart;
  const text = textOf(body);
  if (text === undefined) return Buffer.from(body).toString('base64');
  const type = headers['content-type'] ?? '';
  if (FORM_TYPE.test(type)) return fieldsOf(text);
  return JSON_TYPE.test(type) ? jsonOf(text, body) : text;
}

/**
 * The data of a run that a verified request starts. Credentials and the secret in the URL are left out. Throws `malformed`
 * for a body that would exceed the bounds of data.
 */
export function toInput(request: WebhookRequest, { kind }: Pick<WebhookVerification, 'kind'>): WebhookInput {
  const { method, headers, query, body } = request;
  const isShown = (name: string): boolean => kind !== 'url' || name !== 'secret';
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    isShown(name) ? values.map((value) => [name, value] as const) : [],
  );
  return {
    method,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name))),
    query: grouped(pairs),
    body: bodyOf(request),
    raw: Buffer.from(body).toString('base64'),
  };
}
