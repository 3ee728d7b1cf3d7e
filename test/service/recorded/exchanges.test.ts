import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { matchRoute } from '../../../lib/api/http/match.ts';
import { type Answer, type Client, openClient, rowsOf } from '../access/client.ts';
import { openStream } from '../access/event-stream.ts';
import {
  type Body,
  bytesOf,
  compared,
  differenceFrom,
  type Exchange,
  headerOf,
  parsed,
  textOf,
  wordsOf,
} from './comparison.ts';
import { type Difference, type Instead, LISTED } from './differences.ts';
import { BEFORE } from './steps.ts';

const exchanges = readFileSync(new URL('../../conformance/http.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Exchange)
  .sort((a, b) => a.order - b.order);

/** A stream does not end by itself, so its first event is compared. */
function isStream({ method, path, reqHeaders }: Exchange): boolean {
  const { pathname, searchParams } = new URL(path, 'http://any');
  const match = matchRoute(method, pathname, { op: searchParams.getAll('op') });
  if (!('id' in match)) return false;
  return match.route.stream === 'only' || (reqHeaders['Accept'] === STREAM && match.route.stream !== undefined);
}

const STREAM = 'text/event-stream';

/** The instances of the recording, and the instances of this service that correspond to them. */
const instances = new Map<string, string>();
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const ours = (text: string): string => text.replace(UUID, (id) => instances.get(id) ?? id);

let client: Client;

beforeAll(async () => {
  client = await openClient();
});

const send = (method: string, path: string, body: Body = null, headers: Readonly<Record<string, string>> = {}) =>
  client.call(method, ours(path), { headers, ...(body === null ? {} : { body: bytesOf(body) }) });

/** The JSON of the first event of a stream, or the complete event of an error. */
const firstOf = (stream: string): string => (stream.split('\n\n')[0] ?? '').replace(/^(id: .*\n)?data: /, '');

/** The first event of a stream as a complete reply. */
async function sendStreamed({ path, reqHeaders }: Exchange): Promise<Answer> {
  const stream = await openStream(client.url, ours(path), { key: client.key, headers: reqHeaders });
  const isOpened = stream.headers['content-type'] === STREAM;
  for (let isMore = true; isMore; ) isMore = (await stream.next()) !== undefined && !isOpened;
  stream.leave();
  const text = isOpened ? firstOf(stream.text) : stream.text;
  const headers = new Headers(Object.entries(stream.headers).map(([name, value]) => [name, String(value)]));
  return { status: stream.status, headers, text, bytes: Buffer.from(text), json: () => JSON.parse(text) };
}

/** The recordings have another brand (conformance, README). */
const branded = (text: string): string => text.replaceAll('"direktiv_', '"service_');

/**
 * The comparable form of an exchange: of a stream its first event, with the brand and the instances of this service.
 */
function toCompared(exchange: Exchange): Exchange {
  const { resBody } = exchange;
  if (typeof resBody !== 'string') return exchange;
  const isOpened = isStream(exchange) && headerOf(exchange, 'Content-Type') === STREAM;
  return { ...exchange, resBody: compared(branded(ours(isOpened ? firstOf(resBody) : resBody))) };
}

const labelled = new Map(exchanges.map((exchange) => [exchange.label, exchange]));

/** The recording without all members of these names. */
function lacking(exchange: Exchange, names: readonly string[]): Exchange {
  const json = JSON.stringify(parsed(textOf(exchange.resBody)), (name, value) =>
    names.includes(name) ? undefined : value,
  );
  return { ...exchange, resBody: json };
}

/** The difference between the reply and the listed replacement of the recording. */
function insteadDifference(exchange: Exchange, answer: Answer, instead: Instead): string | undefined {
  if ('lacks' in instead) return differenceFrom(lacking(exchange, instead.lacks), answer);
  if ('like' in instead) {
    const like = labelled.get(instead.like);
    return like === undefined ? `no exchange is called ${instead.like}` : differenceFrom(toCompared(like), answer);
  }
  const { status, says } = instead;
  if (says === undefined) return differenceFrom({ ...exchange, status }, answer);
  const isSo = answer.status === status && (says === '' ? answer.text === '' : wordsOf(answer).startsWith(says));
  return isSo ? undefined : `${answer.status} ${wordsOf(answer).slice(0, 200)}, not ${status} ${says}`;
}

const instanceOf = (answer: Answer): string =>
  answer.headers.get('direktiv-instance-id') ?? String(answer.json()['instance']);

/** Stores which instance of this service corresponds to the one that the recording started here. */
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

/** `alike`: the reply equals the recording of another route, for a listed reason. */
type Outcome = 'agree' | 'alike' | 'listed' | 'other';

/** The number of exchanges by family of their route and by outcome. */
const counts = new Map<string, Record<Outcome, number>>();

function familyOf({ method, path }: Exchange): string {
  const { pathname, searchParams } = new URL(path, 'http://any');
  const match = matchRoute(method, pathname, { op: searchParams.getAll('op') });
  return 'id' in match ? match.route.family : 'no route';
}

function outcomeOf(listed: Difference | undefined): Outcome {
  if (listed === undefined) return 'other';
  return 'like' in listed.instead ? 'alike' : 'listed';
}

function count(exchange: Exchange, outcome: Outcome): void {
  const family = familyOf(exchange);
  const known = counts.get(family) ?? { agree: 0, alike: 0, listed: 0, other: 0 };
  counts.set(family, { ...known, [outcome]: known[outcome] + 1 });
}

afterAll(async () => {
  const sum = (outcome: Outcome) => [...counts.values()].reduce((total, one) => total + one[outcome], 0);
  const all = `${sum('agree')} agree / ${sum('alike')} alike / ${sum('listed')} listed / ${sum('other')} other`;
  const rows = [...counts].map(([family, { agree, alike, listed, other }]) => {
    return `${family} ${agree} / ${alike} / ${listed} / ${agree + alike + listed + other}`;
  });
  console.log(`recorded exchanges: ${all}\n agree / alike / listed / all: ${rows.toSorted().join(', ')}`);
  await client.close();
});

async function prepare(label: string): Promise<void> {
  for (const step of BEFORE[label] ?? []) {
    if (typeof step === 'string') {
      while (!(await REACHED[step]())) await setTimeout(20);
      continue;
    }
    const answer = await send(step.method, step.path, step.body ?? null, step.headers);
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
      const difference = differenceFrom(toCompared(exchange), answer);
      const listed = LISTED[label];
      count(exchange, difference === undefined ? 'agree' : outcomeOf(listed));
      if (listed === undefined) return expect(difference).toBeUndefined();
      expect(difference, `it agrees, although it is listed: ${listed.reason}`).toBeDefined();
      expect(insteadDifference(toCompared(exchange), answer, listed.instead), listed.reason).toBeUndefined();
    },
  );

  test('include every exchange of the list of deviations', () => {
    expect(Object.keys(LISTED).filter((label) => !labelled.has(label))).toEqual([]);
  });
});
