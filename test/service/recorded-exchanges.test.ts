import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { matchRoute } from '../../lib/api/match.ts';
import { type Answer, type Client, openClient, rowsOf } from './client.ts';
import { openStream } from './event-stream.ts';
import { BEFORE, LISTED } from './recorded-differences.ts';

type Body = string | { readonly base64: string } | null;

interface Exchange {
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

const exchanges = readFileSync(new URL('../conformance/http.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Exchange)
  .sort((a, b) => a.order - b.order);

/** A stream does not end by itself: of it what comes first is compared. */
function isStream({ method, path, reqHeaders }: Exchange): boolean {
  const { pathname, searchParams } = new URL(path, 'http://any');
  const match = matchRoute(method, pathname, { op: searchParams.getAll('op') });
  if (!('id' in match)) return false;
  return match.route.stream === 'only' || (reqHeaders['Accept'] === STREAM && match.route.stream !== undefined);
}

const STREAM = 'text/event-stream';

/** The answer of a route without an endpoint. */
const isUnserved = ({ status, text }: Answer): boolean => status === 501 && text.includes('is not served yet');

/** The instances of the recording and ours in their place. */
const instances = new Map<string, string>();
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const ours = (text: string): string => text.replace(UUID, (id) => instances.get(id) ?? id);

const bytesOf = (body: Body): Buffer =>
  typeof body === 'object' && body !== null ? Buffer.from(body.base64, 'base64') : Buffer.from(body ?? '');

let client: Client;

beforeAll(async () => {
  client = await openClient();
});

const send = (method: string, path: string, body: Body = null, headers: Readonly<Record<string, string>> = {}) =>
  client.call(method, ours(path), { headers, ...(body === null ? {} : { body: bytesOf(body) }) });

/** The JSON of the first event of a stream, or all of an event that is an error. */
const firstOf = (stream: string): string => (stream.split('\n\n')[0] ?? '').replace(/^(id: .*\n)?data: /, '');

/** What comes first of a stream, as if it were all. */
async function sendStreamed({ path, reqHeaders }: Exchange): Promise<Answer> {
  const stream = await openStream(client.url, ours(path), { key: client.key, headers: reqHeaders });
  const isOpened = stream.headers['content-type'] === STREAM;
  for (let isMore = true; isMore; ) isMore = (await stream.next()) !== undefined && !isOpened;
  stream.leave();
  const text = isOpened ? firstOf(stream.text) : stream.text;
  const headers = new Headers({ 'Content-Type': String(stream.headers['content-type']) });
  return { status: stream.status, headers, text, bytes: Buffer.from(text), json: () => JSON.parse(text) };
}

/** The exchange, of a stream with its first event alone. */
function toCompared(exchange: Exchange): Exchange {
  const isOpened = isStream(exchange) && headerOf(exchange, 'Content-Type') === STREAM;
  return isOpened ? { ...exchange, resBody: firstOf(bytesOf(exchange.resBody).toString()) } : exchange;
}

/** A difference in structure: a name or a kind of value that the recording has and the answer has not. */
function differenceOf(recorded: unknown, found: unknown, path = 'body'): string | undefined {
  if (kindOf(recorded) !== kindOf(found)) return `${path} is ${kindOf(found)}, not ${kindOf(recorded)}`;
  if (Array.isArray(recorded) && Array.isArray(found)) {
    if (recorded.length > 0 && found.length === 0) return `${path} is empty`;
    return recorded.length === 0 ? undefined : differenceOf(recorded[0], found[0], `${path}[0]`);
  }
  if (kindOf(recorded) !== 'object') return undefined;
  const members = found as Record<string, unknown>;
  for (const [key, value] of Object.entries(recorded as object)) {
    if (!Object.hasOwn(members, key)) return `${path}.${key} is missing`;
    const inner = differenceOf(value, members[key], `${path}.${key}`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const errorTextOf = (body: unknown): string | undefined => (body as { message?: string } | undefined)?.message;
const headerOf = ({ resHeaders }: Exchange, name: string) => resHeaders.find(([given]) => given === name)?.[1];

/** Plain words may go on after those of the recording, and say more of the mistake. */
const isLonger = (exchange: Exchange, answer: Answer): boolean =>
  answer.status === 400 && answer.text.startsWith(bytesOf(exchange.resBody).toString());

/** How the answer differs from the recording: in status, content type, structure, or the words of an error. */
function differenceFrom(exchange: Exchange, answer: Answer): string | undefined {
  const { status, text } = answer;
  if (status !== exchange.status) return `status ${status}, not ${exchange.status}: ${text.slice(0, 200)}`;
  const type = headerOf(exchange, 'Content-Type') ?? null;
  if (answer.headers.get('content-type') !== type) return `type ${answer.headers.get('content-type')}, not ${type}`;
  const body = parsed(bytesOf(exchange.resBody).toString());
  const isOutput = exchange.path.includes('op=wait') && status === 200;
  if (body === undefined || isOutput) return bytesDifference(exchange, answer);
  const wanted = errorTextOf(body);
  const said = errorTextOf(parsed(text));
  // What a client knows by its beginning may go on with the place.
  if (wanted !== undefined && !said?.startsWith(wanted)) return `says '${said}', not '${wanted}'`;
  return differenceOf(body, parsed(text));
}

function bytesDifference(exchange: Exchange, answer: Answer): string | undefined {
  const { resBody } = exchange;
  const wanted = typeof resBody === 'string' ? Buffer.from(ours(resBody)) : bytesOf(resBody);
  if (wanted.equals(Buffer.from(answer.bytes)) || isLonger(exchange, answer)) return undefined;
  return `the bytes differ: ${answer.text.slice(0, 200)}`;
}

const instanceOf = (answer: Answer): string =>
  answer.headers.get('direktiv-instance-id') ?? String(answer.json()['instance']);

/** Keeps which instance of ours stands for the one that the recording started here. */
function learnInstance(exchange: Exchange, answer: Answer): void {
  const waited = headerOf(exchange, 'Direktiv-Instance-Id');
  const started = exchange.path.includes('op=execute') ? parsed(bytesOf(exchange.resBody).toString()) : undefined;
  const recorded = waited ?? (started as { instance?: string } | undefined)?.instance;
  const isStarted = waited === undefined ? answer.status === 200 : answer.headers.has('direktiv-instance-id');
  if (recorded !== undefined && isStarted) instances.set(recorded, instanceOf(answer));
}

const INSTANCES = '/api/namespaces/demo/instances';

async function isBegun(): Promise<boolean> {
  const [newest] = rowsOf((await client.call('GET', INSTANCES)).json()['instances']?.['results']);
  const shown = (await client.call('GET', `${INSTANCES}/${newest?.['id']}`)).json();
  return rowsOf(shown['flow']).length > 0;
}

async function isSettled(): Promise<boolean> {
  const query = 'filter.field=STATUS&filter.type=MATCH&filter.val=pending';
  const list = (await client.call('GET', `${INSTANCES}?${query}`)).json()['instances'];
  return rowsOf(list?.['results']).length === 0;
}

const REACHED = { settled: isSettled, begun: isBegun };

const counts = { agree: 0, listed: 0, other: 0, unserved: 0 };

afterAll(async () => {
  const { agree, listed, other, unserved } = counts;
  console.log(`recorded exchanges: ${agree} agree / ${listed} listed / ${other} other (${unserved} not served yet)`);
  await client.close();
});

async function prepare(label: string): Promise<void> {
  for (const step of BEFORE[label] ?? []) {
    if (typeof step === 'string') {
      while (!(await REACHED[step]())) await setTimeout(20);
      continue;
    }
    const answer = await send(step.method, step.path, step.body ?? null);
    expect(answer.status, `${step.method} ${step.path}: ${answer.text}`).toBe(200);
    if (step.instance !== undefined) instances.set(step.instance, instanceOf(answer));
  }
}

describe('recorded exchanges, in their order', () => {
  test.each(exchanges.map((exchange) => [exchange.label, exchange.order, exchange] as const))(
    '%s (%i)',
    async (label, _order, exchange) => {
      await prepare(label);
      const { method, path, reqBody, reqHeaders } = exchange;
      const answer = await (isStream(exchange) ? sendStreamed(exchange) : send(method, path, reqBody, reqHeaders));
      learnInstance(exchange, answer);
      const difference = isUnserved(answer) ? 'unserved' : differenceFrom(toCompared(exchange), answer);
      const reason = LISTED[label];
      const outcome = difference === undefined ? 'agree' : reason === undefined ? 'other' : 'listed';
      counts[difference === 'unserved' ? difference : outcome] += 1;
      if (difference === 'unserved') return;
      if (reason === undefined) expect(difference).toBeUndefined();
      else expect(difference, `it agrees, although it is listed: ${reason}`).toBeDefined();
    },
  );
});
