import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGateway } from '../../../lib/adapters/local/gateway.ts';
import { Arrivals } from '../../../lib/adapters/local/requests/arrivals.ts';
import { parseInParts } from '../../../lib/adapters/local/requests/readings.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  isCounting = false;
  for (const close of closing.splice(0)) close();
});

/** The turns of the event loop, while a test counts them. */
let turn = 0;
let isCounting = false;
const count = (): void => {
  turn += 1;
  if (isCounting) setImmediate(count);
};

beforeEach(() => {
  isCounting = true;
  count();
});

const PART = 8 * 1024;

/** What a parser got in a turn of the event loop. */
interface Parsed {
  readonly bytes: number;
  readonly turn: number;
}

const busy = (ms: number): void => {
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    if (user + system > ms * 1000) return;
  }
};

/** Sends something to a connection whose parser takes some time for each part. Returns the parts. */
async function parsed(sent: Buffer, msOfPart: number, arrivals = new Arrivals()): Promise<Parsed[]> {
  let received = Buffer.alloc(0);
  const parts: Parsed[] = [];
  const all = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('data', (part: Buffer) => {
      parts.push({ bytes: part.length, turn });
      received = Buffer.concat([received, part]);
      busy(msOfPart);
      if (received.length === sent.length) all.resolve();
    });
    parseInParts(socket, arrivals);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  closing.push(() => {
    socket.destroy();
    server.close();
  });
  socket.write(sent);
  await all.promise;
  expect(received.equals(sent)).toBe(true);
  return parts;
}

const SENT = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));

test('what a connection brings is parsed in order, in parts of a bounded size', async () => {
  const parts = await parsed(SENT, 0);
  expect(Math.max(...parts.map(({ bytes }) => bytes))).toBe(PART);
});

test('parts that take little time share turns of the event loop', async () => {
  const parts = await parsed(SENT, 0);
  expect(new Set(parts.map(({ turn }) => turn)).size).toBeLessThan(parts.length);
});

test('parts that take long are parsed in a turn of the event loop each', async () => {
  const parts = await parsed(SENT.subarray(0, 10 * PART), 2);
  expect(new Set(parts.map(({ turn }) => turn)).size).toBe(parts.length);
});

test('of connections that bring what takes long at the same time, one is parsed in a turn', async () => {
  const arrivals = new Arrivals();
  const all = await Promise.all(Array.from({ length: 10 }, () => parsed(SENT.subarray(0, PART), 2, arrivals)));
  expect(new Set(all.flat().map((part) => part.turn)).size).toBe(10);
});

test('a small request is parsed at once, whatever waits', async () => {
  const never = new Arrivals(1, undefined, () => undefined);
  void never.wait('others', 1);
  expect(await parsed(SENT.subarray(0, 1000), 0, never)).toHaveLength(1);
});

test('the reply to a long request that cannot be parsed arrives', async () => {
  const gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    requestId: () => 'r',
    handlerOf: () => async () => undefined,
  });
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  closing.push(() => void gateway.close());
  socket.write('x'.repeat(60_000));
  expect(await text(socket)).toContain('400 Bad Request');
});
