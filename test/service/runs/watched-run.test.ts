import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, type Json, openClient, rowsOf } from '../access/client.ts';
import { type EventReader, openStream } from '../access/event-stream.ts';

const NAMESPACE = '/api/namespaces/watched';
const FLOW = `
states:
- {id: before, type: noop, log: before-the-wait, transition: wait}
- {id: wait, type: delay, duration: PT1S, transition: after}
- {id: after, type: noop, log: after-the-wait, transform: 'jq({answer: 42})'}
`;

/** Texts are logged as JSON. */
const BOTH = ['"before-the-wait"', '"after-the-wait"'];

let client: Client;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', NAMESPACE);
  const stored = await client.call('PUT', `${NAMESPACE}/tree/slow.yaml?op=create-workflow`, { body: FLOW });
  expect(stored.status, stored.text).toBe(200);
});

afterAll(() => client.close());

async function start(): Promise<string> {
  const answer = await client.call('POST', `${NAMESPACE}/tree/slow.yaml?op=execute&ref=latest`, { body: '{}' });
  return `${NAMESPACE}/instances/${answer.json()['instance']}`;
}

/** The requests of the command line of v0.7 (cli-calls reference). */
const follow = (path: string) =>
  openStream(client.url, `${path}?stream=messages`, {
    headers: { 'Cache-Control': 'no-cache', 'direktiv-token': client.key },
  });

const statusOf = ({ instance }: Json): string => String(instance?.['status']);

/** The lines of each frame of the log. */
async function collect(stream: EventReader, into: Json[][]): Promise<void> {
  for (;;) into.push([...rowsOf((await stream.json())['results'])]);
}

const messagesOf = (lines: readonly Json[]) => lines.map(({ msg }) => String(msg));

test('a client that streams a run and its log gets every change, each line once, and ends with the run', async () => {
  const instance = await start();
  const [log, states] = [await follow(`${instance}/logs`), await follow(instance)];
  const frames: Json[][] = [];
  // Ends with the stream.
  const reading = collect(log, frames).catch(() => {});
  const seen: Json[] = [];
  const end = await states.until((frame) => {
    seen.push(frame);
    return statusOf(frame) !== 'pending';
  });
  expect(end).toMatchObject({ instance: { status: 'complete' }, flow: ['before', 'wait', 'after'] });
  expect(seen.slice(0, -1).every((frame) => statusOf(frame) === 'pending')).toBe(true);

  const plain = rowsOf((await client.call('GET', `${instance}/logs`)).json()['results']);
  while (frames.flat().length < plain.length) await new Promise(setImmediate);
  log.leave();
  states.leave();
  await reading;
  expect(frames.flat()).toEqual(plain);
  expect(messagesOf(plain)).toEqual(expect.arrayContaining(BOTH));
  // The lines from before the wait arrived without a delay.
  const [early, late] = BOTH.map((text) => frames.findIndex((lines) => messagesOf(lines).includes(text)));
  expect(early).toBeLessThan(Number(late));
  const times = frames.flat().map(({ t }) => String(t).replace('Z', '').padEnd(26, '0'));
  expect(times).toEqual(times.toSorted());

  const output = (await client.call('GET', `${instance}/output`)).json();
  expect(JSON.parse(Buffer.from(String(output['data']), 'base64').toString())).toEqual({ answer: 42 });
});

test('a client that loses its connection continues where it was', async () => {
  const instance = await start();
  const first = await follow(`${instance}/logs`);
  const event = await first.next();
  first.leave();
  const before = rowsOf(JSON.parse(event?.data ?? '{}').results);
  const second = await openStream(client.url, `${instance}/logs`, {
    key: client.key,
    headers: { 'Last-Event-ID': String(event?.id) },
  });
  const after: Json[] = [];
  while (!messagesOf(after).includes('Workflow completed.')) {
    after.push(...rowsOf((await second.json())['results']));
  }
  second.leave();
  const plain = rowsOf((await client.call('GET', `${instance}/logs`)).json()['results']);
  expect([...before, ...after]).toEqual(plain);
});
