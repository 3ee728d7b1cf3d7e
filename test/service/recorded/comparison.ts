import type { Answer } from '../access/client.ts';

export type Body = string | { readonly base64: string } | null;

export interface Exchange {
  readonly order: number;
  readonly label: string;
  readonly method: string;
  readonly path: string;
  readonly reqHeaders: Readonly<Record<string, string>>;
  readonly reqBody: Body;
  readonly status: number;
  readonly resHeaders: readonly (readonly [string, string])[];
  readonly resBody: Body;
}

export const bytesOf = (body: Body): Buffer =>
  typeof body === 'object' && body !== null ? Buffer.from(body.base64, 'base64') : Buffer.from(body ?? '');

export const textOf = (body: Body): string => bytesOf(body).toString();

export const headerOf = ({ resHeaders }: Exchange, name: string): string | undefined =>
  resHeaders.find(([given]) => given === name)?.[1];

/** The JSON of a text; undefined for any other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Headers of the transport, and values that identify the instance. */
const UNCOMPARED: ReadonlySet<string> = new Set([
  'Content-Length',
  'Transfer-Encoding',
  'Connection',
  'Direktiv-Instance-Id',
]);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A structural difference: a name or a type of the recording that the reply does not have, or their order. */
function structureDifference(recorded: unknown, found: unknown, path = 'body'): string | undefined {
  if (kindOf(recorded) !== kindOf(found)) return `${path} is ${kindOf(found)}, not ${kindOf(recorded)}`;
  if (Array.isArray(recorded) && Array.isArray(found)) {
    if (recorded.length > 0 && found.length === 0) return `${path} is empty`;
    return recorded.length === 0 ? undefined : structureDifference(recorded[0], found[0], `${path}[0]`);
  }
  if (kindOf(recorded) !== 'object') return undefined;
  return membersDifference(recorded as Record<string, unknown>, found as Record<string, unknown>, path);
}

function membersDifference(
  recorded: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
  path: string,
): string | undefined {
  const names = Object.keys(recorded);
  const missing = names.find((name) => !Object.hasOwn(found, name));
  if (missing !== undefined) return `${path}.${missing} is missing`;
  const order = Object.keys(found).filter((name) => names.includes(name));
  if (order.join() !== names.join()) return `${path} has the order ${order}, not ${names}`;
  for (const name of names) {
    const inner = structureDifference(recorded[name], found[name], `${path}.${name}`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

const messageOf = (body: unknown): string | undefined => (body as { message?: string } | undefined)?.message;

/** The message of an error, or the whole text. */
export const wordsOf = ({ text }: Answer): string => messageOf(parsed(text)) ?? text;

/** A plain message may continue after the recorded text with more details. */
const isLonger = ({ resBody }: Exchange, { status, text }: Answer): boolean =>
  status === 400 && text.startsWith(textOf(resBody));

function bytesDifference(exchange: Exchange, answer: Answer): string | undefined {
  if (bytesOf(exchange.resBody).equals(Buffer.from(answer.bytes)) || isLonger(exchange, answer)) return undefined;
  return `the bytes differ: ${answer.text.slice(0, 200)}`;
}

function headersDifference({ resHeaders }: Exchange, { headers }: Answer): string | undefined {
  if (headers.get('content-type') !== null && !resHeaders.some(([name]) => name === 'Content-Type')) {
    return `Content-Type is '${headers.get('content-type')}', and there is none`;
  }
  const other = resHeaders.find(([name, value]) => !UNCOMPARED.has(name) && headers.get(name) !== value);
  return other && `${other[0]} is '${headers.get(other[0])}', not '${other[1]}'`;
}

/** The difference of the reply from the recording: in status, headers, structure, or the message of an error. */
export function differenceFrom(exchange: Exchange, answer: Answer): string | undefined {
  const { status, text } = answer;
  if (status !== exchange.status) return `status ${status}, not ${exchange.status}: ${text.slice(0, 200)}`;
  const header = headersDifference(exchange, answer);
  if (header !== undefined) return header;
  const body = parsed(textOf(exchange.resBody));
  const isOutput = exchange.path.includes('op=wait') && status === 200;
  if (body === undefined || isOutput) return bytesDifference(exchange, answer);
  const wanted = messageOf(body);
  const said = messageOf(parsed(text));
  // A message that clients match by its beginning may continue with the position.
  if (wanted !== undefined && !said?.startsWith(wanted)) return `says '${said}', not '${wanted}'`;
  return structureDifference(body, parsed(text));
}

const CLIPPED = '…(clipped)';
const CLOSED_BY: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** A body that is cut off in the recording, up to the last complete element of a list. */
function mended(text: string): string {
  const at = text.indexOf(CLIPPED);
  if (at < 0) return text;
  const open: string[] = [];
  let [read, whole] = ['', ''];
  for (const [token] of text.slice(0, at).matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]|[^"{}[\]]+/g)) {
    read += token;
    if (token in CLOSED_BY) open.push(token);
    if (token === '}' || token === ']') open.pop();
    const isElement = token === '}' && open.at(-1) === '[';
    if (isElement)
      whole =
        read +
        open
          .toReversed()
          .map((one) => CLOSED_BY[one])
          .join('');
  }
  return whole;
}

/** The comparable part of a body: the recorded service wrote a second reply after one that was an error. */
export const compared = (text: string): string => mended(text).replace(/^(\{"code":.*?\})\{"code":.*$/s, '$1');
