import { connect, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../../../lib/adapters/local/gateway.ts';
import type { ReplyStream } from '../../../lib/adapters/local/reply-stream.ts';
import { Chunks } from '../../../lib/adapters/local/requests/chunks.ts';
import { RequestError } from '../../../lib/adapters/local/requests/refusal.ts';

interface Event {
  readonly path: string;
  readBody(key: string, most: number): Promise<Buffer>;
}

let gateway: Gateway;
afterEach(() => gateway?.close());

/** Starts a gateway that answers with what `answer` resolves to. */
async function start(answer: (event: Event) => Promise<string>): Promise<void> {
  gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    requestId: () => 'r',
    handlerOf: () => async (event, reply: Writable) => {
      const body = await answer(event as Event);
      (reply as ReplyStream).begin({ statusCode: 200, headers: { 'Content-Type': 'text/plain' } }).end(body);
    },
  });
}

const open = (): Socket => connect(Number(new URL(gateway.url).port), '127.0.0.1');
const head = (path: string, ...lines: string[]): string =>
  ['POST '.concat(path, ' HTTP/1.1'), 'Host: x', 'Transfer-Encoding: chunked', ...lines, '', ''].join('\r\n');
const chunk = (bytes: string): string => `${bytes.length.toString(16)}\r\n${bytes}\r\n`;
const END = '0\r\n\r\n';

test('a body in many small chunks is complete, and so is the next one on its connection', async () => {
  await start(async ({ path, readBody }) => {
    const body = String(await readBody('key', 1_000_000));
    return `${path} ${body.length} ${body.slice(0, 2)}${body.slice(-2)}\n`;
  });
  const socket = open();
  const chunks = Array.from({ length: 20_000 }, (_, at) => chunk(String(at % 10).repeat(20))).join('');
  socket.write(head('/one') + chunks + END + head('/two', 'Connection: close') + chunks + END);
  const reply = await text(socket);
  expect(reply.match(/^\/(one|two) .*$/gm) ?? reply).toEqual(['/one 400000 0099', '/two 400000 0099']);
});

test('a body in many chunks of one byte is refused', async () => {
  await start(({ readBody }) =>
    readBody('key', 1_000_000).then(String, (error: unknown) => {
      if (error instanceof RequestError) return `${error.reason}: ${error.message}`;
      throw error;
    }),
  );
  const socket = open();
  socket.write(head('/', 'Connection: close') + chunk('x').repeat(2000) + END);
  expect(await text(socket)).toContain(
    'malformed: the body comes in 1001 chunks of less than 16 bytes on average; send larger chunks',
  );
});

test('a connection with such a body that is not read is closed, and the service reads at most one buffer of it', async () => {
  await start(async () => 'not read');
  const socket = open().on('error', () => undefined);
  let written = 0;
  const more = (): void => {
    for (; !socket.destroyed && socket.write(chunk('x').repeat(1000)); ) written += 1000;
  };
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('drain', more).resume();
  socket.write(head('/'));
  more();
  await closed;
  expect(written).toBeLessThan(10_000_000);
});

/** Counts the turns of the event loop until it is disposed. */
function countTurns(): Disposable & { readonly at: number } {
  let [at, isCounting] = [0, true];
  const count = (): void => {
    at += 1;
    if (isCounting) setImmediate(count);
  };
  count();
  return {
    get at() {
      return at;
    },
    [Symbol.dispose]: () => {
      isCounting = false;
    },
  };
}

const MANY = 30;

/** Bytes that take long to parse; the reply comes after a tenth of them. */
const TINY = chunk('x').repeat(10_000);

/** Sends something on many new connections at the same time. Returns in how many turns of the event loop they were parsed. */
async function turnsOf(...parts: readonly string[]): Promise<number> {
  const seen = new Set<number>();
  using turns = countTurns();
  let begun = 0;
  const heads = Promise.withResolvers<void>();
  await start(async ({ readBody }) => {
    begun += 1;
    if (begun === MANY) heads.resolve();
    const body = await readBody('key', 1_000_000).catch((error: unknown) => {
      if (error instanceof RequestError) return 'refused';
      throw error;
    });
    seen.add(turns.at);
    return String(body);
  });
  const sockets = Array.from({ length: MANY }, open);
  const replies = sockets.map((socket) => text(socket));
  for (const [at, part] of parts.entries()) {
    if (at > 0) await heads.promise;
    for (const socket of sockets) socket.write(part);
  }
  for (const reply of await Promise.all(replies)) expect(reply).toMatch(/refused$|ok$/);
  return seen.size;
}

const HEAD = head('/', 'Connection: close');

test.each([
  ['of new connections that bring chunks of one byte with their heads', [HEAD + TINY + END]],
  ['of connections that bring chunks of one byte at the same time after their heads', [HEAD, TINY + END]],
  ['of connections that bring small chunked bodies at the same time', [HEAD, chunk('ok') + END]],
])('%s, a turn of the event loop parses few', async (_title, parts) => {
  expect(await turnsOf(...parts)).toBeGreaterThanOrEqual(MANY / 2);
});

test('kept chunks take the memory of their bytes', () => {
  const chunks = new Chunks();
  const sizes = [...Array.from({ length: 300_000 }, () => 1), 5000, 3, 70_000, 4095, 1];
  for (const [at, size] of sizes.entries()) chunks.add(Buffer.alloc(size, at % 251));
  const joined = chunks.join();
  expect(joined).toEqual(Buffer.concat(sizes.map((size, at) => Buffer.alloc(size, at % 251))));
  expect(chunks.blockCount).toBeLessThan(15);
});
