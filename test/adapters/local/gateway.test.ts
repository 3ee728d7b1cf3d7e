import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { mayUseReserve } from '../../../lib/adapters/local/database/disk/reserved-work.ts';
import { StorageError } from '../../../lib/adapters/local/database/disk/storage-error.ts';
import { type Gateway, type StreamingHandler, startGateway } from '../../../lib/adapters/local/gateway.ts';
import type { ReplyStream } from '../../../lib/adapters/local/reply-stream.ts';
import type { RequestLimits } from '../../../lib/adapters/local/requests/body.ts';
import type { ConnectionLimits } from '../../../lib/adapters/local/requests/connections.ts';

let gateway: Gateway;
afterEach(() => gateway.close());

/** A storage that becomes durable on demand. */
class ScriptedStorage {
  outage: StorageError | undefined;
  hasReserve = false;
  waiting: PromiseWithResolvers<void>[] = [];
  #listener: (error: StorageError) => void = () => {};

  onOutage(listener: (error: StorageError) => void): void {
    this.#listener = listener;
  }

  durable(): Promise<void> {
    const one = Promise.withResolvers<void>();
    this.waiting.push(one);
    return one.promise;
  }

  fail(): void {
    this.outage = new StorageError('nothing can be stored in weft.db: the disk is full');
    this.#listener(this.outage);
  }

  flush(): void {
    for (const { resolve } of this.waiting.splice(0)) resolve();
  }
}

const start = async (handler: StreamingHandler, storage?: ScriptedStorage) => {
  gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    handlerOf: () => handler,
    requestId: () => 'r',
    isFrugal: (_method, path) => path === '/read',
    ...(storage && { storage }),
  });
};

const begin = (reply: Writable, statusCode = 200) =>
  (reply as ReplyStream).begin({ statusCode, headers: { 'Content-Type': 'text/plain' } });

const answering =
  (body: string): StreamingHandler =>
  async (_event, reply) => {
    begin(reply).end(body);
  };

async function send(lines: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.write(['GET / HTTP/1.1', 'Host: x', ...lines, 'Connection: close', '', ''].join('\r\n'));
  return text(socket);
}

test('a header named __proto__ is a header like any other', async () => {
  let seen: Record<string, unknown> = {};
  await start(async (event, reply) => {
    seen = (event as { multiValueHeaders: Record<string, unknown> }).multiValueHeaders;
    begin(reply).end('ok');
  });
  expect(await send(['__proto__: x', 'A: 1'])).toMatch(/^HTTP\/1.1 200 OK/);
  expect(seen['a']).toEqual(['1']);
  expect(Object.getPrototypeOf(seen) === null || Object.getPrototypeOf(seen) === Object.prototype).toBe(true);
});

test('a reply that is written at once has a length; one that is written in parts has none', async () => {
  await start(async (event, reply) => {
    const isWhole = (event as { path: string }).path === '/whole';
    if (isWhole) begin(reply).end('whole');
    else
      await pipeline(
        Readable.from(
          (async function* () {
            yield 'a';
            await sleep(20);
            yield 'b';
          })(),
        ),
        begin(reply),
      );
  });
  const whole = await fetch(`${gateway.url}/whole`);
  expect([whole.headers.get('content-length'), await whole.text()]).toEqual(['5', 'whole']);
  const parts = await fetch(`${gateway.url}/parts`);
  expect([parts.headers.get('content-length'), await parts.text()]).toEqual([null, 'ab']);
});

test('a reply without a body has its status and headers', async () => {
  await start(async (_event, reply) => {
    begin(reply, 405).end();
  });
  const answer = await fetch(gateway.url);
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([405, 'text/plain', '']);
});

test('no reply is sent before its data is on the disk', async () => {
  const storage = new ScriptedStorage();
  await start(answering('shown'), storage);
  let isAnswered = false;
  const asked = fetch(gateway.url).then((answer) => {
    isAnswered = true;
    return answer.text();
  });
  await expect.poll(() => storage.waiting.length).toBe(1);
  await sleep(50);
  expect(isAnswered).toBe(false);
  storage.flush();
  expect(await asked).toBe('shown');
});

test('a reply whose data cannot be stored is 503 with the reason', async () => {
  const storage = new ScriptedStorage();
  await start(answering('shown'), storage);
  const asked = fetch(gateway.url);
  await expect.poll(() => storage.waiting.length).toBe(1);
  storage.waiting[0]?.reject(new StorageError('nothing can be stored in weft.db: the disk is full'));
  const answer = await asked;
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  const message = 'nothing can be stored in weft.db: the disk is full; try again later';
  expect(await answer.json()).toEqual({ code: 503, message, Error: message, StatusCode: 503 });
});

test('during an outage, waiting and new requests are rejected', async () => {
  const storage = new ScriptedStorage();
  let calls = 0;
  await start(async () => {
    calls += 1;
    await new Promise(() => {});
  }, storage);
  const waiting = fetch(gateway.url);
  await expect.poll(() => calls).toBe(1);
  storage.fail();
  expect((await waiting).status).toBe(503);
  expect((await fetch(gateway.url)).status).toBe(503);
  expect(calls).toBe(1);
});

test('during an outage with a reserve, only what needs no room is served, until the reserve is used up', async () => {
  const storage = new ScriptedStorage();
  const resume = Promise.withResolvers<void>();
  let calls = 0;
  await start(async (_event, reply) => {
    calls += 1;
    await resume.promise;
    begin(reply).end(String(mayUseReserve()));
  }, storage);
  storage.durable = async () => undefined;
  const [read, write] = [fetch(`${gateway.url}/read`), fetch(`${gateway.url}/write`)];
  await expect.poll(() => calls).toBe(2);
  storage.hasReserve = true;
  storage.fail();
  expect((await write).status).toBe(503);
  expect((await fetch(`${gateway.url}/write`)).status).toBe(503);
  resume.resolve();
  expect(await (await read).text()).toBe('true');
  expect((await fetch(`${gateway.url}/read`)).status).toBe(200);
  storage.hasReserve = false;
  expect((await fetch(`${gateway.url}/read`)).status).toBe(503);
});

test('a client that disconnects ends the reading of its reply', async () => {
  const ended = Promise.withResolvers<void>();
  await start(async (_event, reply) => {
    const body = new Readable({ read() {} });
    body.once('close', ended.resolve);
    body.push('first');
    await pipeline(body, begin(reply)).catch(() => undefined);
  });
  const leaving = new AbortController();
  const answer = await fetch(gateway.url, { signal: leaving.signal });
  expect(answer.status).toBe(200);
  leaving.abort();
  await ended.promise;
});

test('a function that fails before its reply is a 502', async () => {
  await start(async () => {
    throw new Error('broken');
  });
  expect((await fetch(gateway.url)).status).toBe(502);
});

const MAX_BODY_BYTES = 10;

let socket: Socket;

interface LateEvent {
  readonly path: string;
  readBody(key: string, most: number): Promise<Uint8Array>;
}

/** Replies with the length of the body, which it reads on the account of the path; `/unread` leaves it unread. */
const measuring: StreamingHandler = async (event, reply) => {
  const { path, readBody } = event as LateEvent;
  const body = path === '/unread' ? undefined : await readBody(path, MAX_BODY_BYTES);
  begin(reply, body === undefined ? 401 : 200).end(String(body?.length));
};

async function open(limits: Partial<RequestLimits & ConnectionLimits> = {}, handler = measuring): Promise<void> {
  gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    handlerOf: () => handler,
    requestId: () => 'request',
    limits,
  });
  socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
}

/** Reads from the server until the text contains the word. */
async function readUntil(word: string): Promise<string> {
  let read = '';
  while (!read.includes(word)) read += (await once(socket, 'data'))[0];
  return read;
}

const LENGTH = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n';
const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('a body above the limit', () => {
  afterEach(() => {
    socket.destroy();
  });

  test.each([
    ['with a length', LENGTH + 'x'.repeat(50), 'x'.repeat(50)],
    ['in chunks', `${CHUNKED}32\r\n${'x'.repeat(50)}\r\n`, `32\r\n${'x'.repeat(50)}\r\n0\r\n\r\n`],
  ])('%s is rejected at once, and its rest is read before the connection closes', async (_how, begin, rest) => {
    await open();
    socket.write(begin);
    expect(await readUntil('StatusCode')).toMatch(/^HTTP\/1\.1 413 .*too large: at most 10 bytes/s);
    // By the time of another reply, this connection would be closed.
    await fetch(gateway.url);
    expect(socket.readableEnded).toBe(false);
    socket.write(rest);
    const [hadError] = await once(socket, 'close');
    expect(hadError).toBe(false);
  });

  test('closes the connection after some time when its rest does not arrive', async () => {
    await open({ lingerMs: 50 });
    socket.write(LENGTH);
    await readUntil('StatusCode');
    const [hadError] = await once(socket, 'close');
    expect(hadError).toBe(false);
  });
});

describe('a body', () => {
  afterEach(() => {
    socket.destroy();
  });

  const slow = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab`;

  test('that the function does not read is not waited for', async () => {
    await open();
    socket.write('POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
    expect(await readUntil('undefined')).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('that comes too slowly is refused', async () => {
    await open({ graceMs: 50, bytesPerSecond: 1000, lingerMs: 50 });
    socket.write(slow('/'));
    expect(await readUntil('StatusCode')).toMatch(/^HTTP\/1\.1 408 .*too slowly: less than 1000 bytes a second/s);
  });

  test('is refused when the bodies of all keys, or of its key, take too much memory', async () => {
    await open({ bodyBytes: 12, bodyBytesPerKey: 8 });
    socket.write(slow('/a'));
    const statusOf = async (path: string, body: string) =>
      (await fetch(gateway.url + path, { method: 'POST', body })).status;
    await expect.poll(() => statusOf('/a', '1234567')).toBe(503);
    expect(await statusOf('/b', '1234567')).toBe(200);
    expect(await statusOf('/b', '123456789')).toBe(503);
    socket.write('cde');
    await readUntil('5');
    expect(await statusOf('/a', '1234567')).toBe(200);
  });
});

describe('requests of one key', () => {
  test('are limited in number; those of another are not', async () => {
    const release = Promise.withResolvers<void>();
    const waiting: StreamingHandler = async (event, reply) => {
      const { path, readBody } = event as LateEvent;
      await readBody(path, MAX_BODY_BYTES);
      if (path === '/a') await release.promise;
      begin(reply).end('ok');
    };
    await open({ requestsPerKey: 1 }, waiting);
    socket.destroy();
    const statusOf = async (path: string) => (await fetch(gateway.url + path)).status;
    const statuses = [statusOf('/a'), statusOf('/a')];
    expect(await Promise.race(statuses)).toBe(429);
    expect(await statusOf('/b')).toBe(200);
    release.resolve();
    expect((await Promise.all(statuses)).sort()).toEqual([200, 429]);
    await expect.poll(() => statusOf('/a')).toBe(200);
  });
});

test('large bodies that arrive at the same time are complete in different turns of the event loop', async () => {
  const size = 1_500_000;
  let turn = 0;
  let isCounting = true;
  const count = (): void => {
    turn += 1;
    if (isCounting) setImmediate(count);
  };
  const turns: number[] = [];
  await open({}, async (event, reply) => {
    const { readBody } = event as LateEvent;
    const body = await readBody('key', size);
    turns.push(turn);
    begin(reply).end(String(body.every((byte, at) => byte === at % 256) && body.length));
  });
  socket.destroy();
  count();
  const body = Buffer.from(Array.from({ length: size }, (_, at) => at % 256));
  const sendings = Array.from({ length: 12 }, () => {
    const sent = request(gateway.url, { method: 'POST', headers: { 'content-length': size } });
    const reply = once(sent, 'response').then(([response]) => text(response as Readable));
    const isWritten = new Promise<void>((resolve) => sent.write(body.subarray(0, -1), () => resolve()));
    return { sent, reply, isWritten };
  });
  await Promise.all(sendings.map(({ isWritten }) => isWritten));
  await sleep(100);
  // The rest of all bodies arrives at the same time.
  for (const { sent } of sendings) sent.end(body.subarray(-1));
  const replies = await Promise.all(sendings.map(({ reply }) => reply));
  isCounting = false;
  expect(replies).toEqual(Array.from({ length: 12 }, () => String(size)));
  expect(new Set(turns).size).toBe(12);
});

describe('requests without a key', () => {
  /** The status of a request from an address of this machine. */
  function statusFrom(localAddress: string, path: string, body: string): Promise<number | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const sent = request(gateway.url + path, { method: 'POST', localAddress }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end(body);
    return promise;
  }

  const release = Promise.withResolvers<void>();
  const stranger: StreamingHandler = async (event, reply) => {
    const { path, readBody } = event as LateEvent;
    await readBody('', MAX_BODY_BYTES);
    if (path === '/held') await release.promise;
    begin(reply).end('ok');
  };

  test('are limited for each address: one cannot use up what others need', async () => {
    await open({ requestsPerKey: 1, bodyBytesPerKey: 32 }, stranger);
    socket.destroy();
    const held = statusFrom('127.0.0.1', '/held', 'a');
    await expect.poll(() => statusFrom('127.0.0.1', '/', 'a')).toBe(429);
    expect(await statusFrom('127.0.0.2', '/', 'a')).toBe(200);
    // A quarter of the bytes that all addresses without a key have together.
    expect(await statusFrom('127.0.0.2', '/', 'a'.repeat(9))).toBe(503);
    expect(await statusFrom('127.0.0.2', '/', 'a'.repeat(8))).toBe(200);
    release.resolve();
    expect(await held).toBe(200);
    await expect.poll(() => statusFrom('127.0.0.1', '/', 'a')).toBe(200);
  });
});

test('an idle connection stays open longer than those of proxies and clients', async () => {
  await start(async (_event, response) => void response.end());
  const reply = await fetch(gateway.url);
  expect(reply.headers.get('keep-alive')).toBe('timeout=65');
});

describe('a connection', () => {
  afterEach(() => {
    socket.destroy();
  });

  test.each([
    ['sends nothing', ''],
    ['sends its head too slowly', 'GET / HTTP/1.1\r\nHost: a\r\n'],
  ])('that %s gets 408 and is closed', async (_what, part) => {
    await open({ headMs: 50 });
    socket.write(part);
    expect(await readUntil('StatusCode')).toMatch(
      /^HTTP\/1\.1 408 .*the head of the request has not arrived within 0.05 s/s,
    );
    await once(socket, 'close');
  });

  test.each([
    [400, 'that is not HTTP', 'HELO example.org\r\n\r\n', 'is not HTTP/1.1'],
    [
      431,
      'with a head of 20 KiB',
      `GET / HTTP/1.1\r\nHost: a\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
      'longer than 16 KiB',
    ],
  ])('gets %i for a request %s', async (status, _what, request, message) => {
    await open();
    socket.write(request);
    const reply = await readUntil('StatusCode');
    expect(reply).toContain(`HTTP/1.1 ${status} `);
    expect(JSON.parse(reply.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      code: status,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    [{ connectionsPerAddress: 1 }, '1 connections of this address are open'],
    [{ connections: 1 }, '1 connections are open'],
  ])('beyond the limit %j gets 503, until another is closed', async (limits, message) => {
    await open(limits);
    const statusOf = async () => {
      const reply = await fetch(gateway.url, { headers: { Connection: 'close' } });
      return [reply.status, reply.headers.get('retry-after'), await reply.text()] as const;
    };
    const [status, retryAfter, body] = await statusOf();
    expect([status, retryAfter]).toEqual([503, '5']);
    expect(body).toContain(message);
    socket.destroy();
    await expect.poll(async () => (await statusOf())[0]).toBe(200);
  });

  test('whose client does not read its reply is closed', async () => {
    const closed = Promise.withResolvers<void>();
    await open({ stalledMs: 300 }, async (_event, reply) => {
      reply.once('close', () => closed.resolve());
      begin(reply).end('x'.repeat(30_000_000));
    });
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await closed.promise;
  });

  test('that waits for its reply stays open', async () => {
    await open({ stalledMs: 300 }, async (_event, reply) => {
      await sleep(700);
      begin(reply).end('late');
    });
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await readUntil('late')).toMatch(/^HTTP\/1\.1 200 /);
  });
});
