import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Handler } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type LocalChanges, localChanges } from '../../../lib/adapters/local/changes.ts';
import { type Gateway, type StreamingHandler, startGateway } from '../../../lib/adapters/local/gateway.ts';
import type { Head, ReplyStream } from '../../../lib/adapters/local/reply-stream.ts';
import { systemClock } from '../../../lib/adapters/portable/clock.ts';
import type { Endpoints } from '../../../lib/api/http/endpoints.ts';
import { lambda } from '../../../lib/api/lambda.ts';
import type { StreamSources } from '../../../lib/api/streams/sources.ts';
import { notFound } from '../../../lib/domain/errors.ts';
import type { Table } from '../../../lib/ports/table.ts';
import { MemoryTable } from '../../contract/memory-table.ts';
import { type EventReader, openStream } from '../../service/access/event-stream.ts';

const ID = '00000000-0000-0000-0000-000000000000';
const LINES = { table: 'journal', pk: 'lines' } as const;

let changes: LocalChanges;
let table: Table;
let lines = 0;

const write = (text: string) =>
  table.write([{ do: 'put', table: 'journal', item: { pk: LINES.pk, sk: String(++lines).padStart(6, '0'), text } }]);

/** The texts after a cursor, and the new cursor. */
async function readLines(ports: { readonly table: Table }, cursor = '') {
  const { items } = await ports.table.query({ ...LINES, from: `${cursor}~` });
  const all = cursor === '' ? (await ports.table.query(LINES)).items : items;
  return { texts: all.map((item) => String(item['text'])), cursor: all.at(-1)?.sk ?? (cursor || 'none') };
}

const endpoints: Endpoints<'logs'> = {
  listAudit: () => ({ entries: [] }),
  getServerLogs: async (ports) => ({ results: (await readLines(ports)).texts }),
  getNamespaceLogs: async () => {
    throw notFound('namespace');
  },
  getInstanceLogs: async (ports) => ({ results: (await readLines(ports)).texts }),
};

const streamSources: StreamSources<'logs'> = {
  getInstanceLogs: async (ports, _call, cursor) => {
    const read = await readLines(ports, cursor === 'none' ? undefined : cursor);
    return { reply: { results: read.texts }, cursor: read.cursor };
  },
};

function handlerOf(mayStream: boolean): Handler {
  const never = () => {
    throw new Error('not used');
  };
  const suppliers = {
    table: () => table,
    changes: () => changes,
    clock: systemClock,
    vault: () => ({ adminKey: async () => 'the-key' }),
    settings: () => ({ brand: 'service', version: '1' }),
    blobs: never,
    meter: () => undefined,
    tokens: () => undefined,
  };
  return lambda<'logs'>({ endpoints, streamSources }, suppliers, mayStream);
}

const SERVER = '/api/logs';
const INSTANCE = `/api/namespaces/n/instances/${ID}/logs`;

function eventOf(path: string, headers: Readonly<Record<string, string>> = {}) {
  const all = { Accept: 'text/event-stream', 'Service-Api-Key': 'the-key', ...headers };
  return { httpMethod: 'GET', path, headers: all, body: null, isBase64Encoded: false, requestContext: {} };
}

/**
 * Installs the global with which a Lambda streams its reply. Handlers read
 * it when they are made.
 */
function installStreaming(): void {
  const HttpResponseStream = {
    from: (reply: ReplyStream, head: Head) => reply.begin(head),
  };
  Object.assign(globalThis, { awslambda: { streamifyResponse: (handler: unknown) => handler, HttpResponseStream } });
}

beforeEach(() => {
  installStreaming();
  changes = localChanges();
  table = changes.observe(new MemoryTable());
  lines = 0;
});

describe('without streamed replies', () => {
  const ask = (path: string, headers = {}) =>
    handlerOf(false)(eventOf(path, headers), { awsRequestId: 'r' } as never, () => {}) as unknown;

  test('an event stream is its first event, and no watch remains', async () => {
    await write('one');
    const answer = await ask(SERVER);
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'Content-Type': 'text/event-stream' } });
    expect(answer).toMatchObject({ body: expect.stringMatching(/^id: [\w-]{22}\ndata: \{"results":\["one"\]\}\n\n$/) });
    expect(changes.watchCount).toBe(0);
  });

  test('a reconnected client gets what is new, or a heartbeat', async () => {
    await write('one');
    expect(await ask(INSTANCE)).toMatchObject({ body: 'id: 000001\ndata: {"results":["one"]}\n\n' });
    const again = { 'Last-Event-ID': '000001' };
    expect(await ask(INSTANCE, again)).toMatchObject({ body: 'data: \n\n' });
    await write('two');
    expect(await ask(INSTANCE, again)).toMatchObject({ body: 'id: 000002\ndata: {"results":["two"]}\n\n' });
  });

  test('an error is the first event as well', async () => {
    const body = 'event: error\ndata: {"Code":5,"Message":"namespace not found"}\n\n';
    expect(await ask('/api/namespaces/n/logs')).toMatchObject({ statusCode: 200, body });
    expect(changes.watchCount).toBe(0);
  });
});

describe('a reply that is sent in one piece', () => {
  /** The status and headers of the reply, and its body. */
  async function answerTo(method: string, path: string) {
    const answer = new PassThrough();
    let head: unknown;
    const begin = (prelude: unknown) => {
      head = prelude;
      return answer;
    };
    const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 100_000 };
    const handler = handlerOf(true) as unknown as StreamingHandler;
    const event = { ...eventOf(path, { Accept: 'application/json' }), httpMethod: method };
    const [body] = await Promise.all([
      text(answer),
      handler(event, Object.assign(answer, { begin }) as never, context),
    ]);
    return { ...(head as object), body };
  }

  test('has its length if it is empty, because API Gateway would send it in chunks', async () => {
    const { body, ...head } = await answerTo('DELETE', SERVER);
    expect([head, body]).toEqual([
      { statusCode: 405, headers: expect.objectContaining({ 'Content-Length': '0' }) },
      '',
    ]);
    const full = await answerTo('GET', SERVER);
    expect(full).toMatchObject({ statusCode: 200, body: expect.stringContaining('results') });
    expect(JSON.stringify(full)).not.toContain('Content-Length');
  });
});

describe('before the deadline of a Lambda', () => {
  test('its stream ends without an error', async () => {
    const answer = new PassThrough();
    const response = Object.assign(answer, { begin: () => answer });
    const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 10_050 };
    const handler = handlerOf(true) as unknown as StreamingHandler;
    const handled = handler(eventOf(SERVER), response as never, context);
    expect(await text(answer)).toMatch(/^id: .*\ndata: \{"results":\[\]\}\n\n$/);
    await handled;
    expect(changes.watchCount).toBe(0);
  });
});

describe('behind the local gateway', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    const handler = handlerOf(true) as unknown as StreamingHandler;
    const settings = { host: '127.0.0.1', port: 0, requestId: () => 'r' };
    gateway = await startGateway({ ...settings, handlerOf: () => handler });
  });
  afterEach(async () => {
    changes.close();
    await gateway.close();
  });

  async function follow(path: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
    const stream = await openStream(gateway.url, path, { key: 'the-key', headers });
    onTestFinished(() => stream.leave());
    return stream;
  }

  const become = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise(setImmediate);
  };

  test('a growing list sends all rows, even if there are none, and then the new ones', async () => {
    const stream = await follow(INSTANCE);
    expect(await stream.json()).toEqual({ results: [] });
    const shown: string[] = [];
    for (const line of ['one', 'two', 'three']) {
      await write(line);
      shown.push(...((await stream.json())['results'] as unknown as string[]));
    }
    expect(shown).toEqual(['one', 'two', 'three']);
  });

  test('a reconnected client misses nothing and gets nothing twice, by header and by parameter', async () => {
    await write('one');
    const first = await follow(INSTANCE);
    const { id = '' } = (await first.next()) ?? {};
    first.leave();
    await write('two');
    await write('three');
    const byHeader = await follow(INSTANCE, { 'Last-Event-ID': id });
    expect(await byHeader.json()).toEqual({ results: ['two', 'three'] });
    const byParameter = await follow(`${INSTANCE}?lastEventId=${id}`);
    expect(await byParameter.json()).toEqual({ results: ['two', 'three'] });
  });

  test('no watch remains for a client that has disconnected', async () => {
    const streams = [await follow(SERVER), await follow(INSTANCE)];
    for (const stream of streams) await stream.json();
    expect(changes.watchCount).toBe(2);
    for (const stream of streams) stream.leave();
    await become(() => changes.watchCount === 0);
    expect(changes.keyCount).toBe(0);
  });

  test('a slow reader of a growing list gets every row once', async () => {
    const stream = await follow(INSTANCE);
    const wide = 'x'.repeat(100_000);
    for (let n = 0; n < 200; n += 1) {
      await write(`${n} ${wide}`);
      if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
    }
    const shown: string[] = [];
    while (shown.length < 200) shown.push(...((await stream.json())['results'] as unknown as string[]));
    expect(shown.map((line) => Number.parseInt(line, 10))).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  test('streams end with the service, without an error', async () => {
    const stream = await follow(SERVER);
    await stream.json();
    changes.close();
    expect(await stream.next()).toBeUndefined();
    const late = await follow(SERVER);
    expect(await late.json()).toEqual({ results: [] });
    expect(await late.next()).toBeUndefined();
  });
});
