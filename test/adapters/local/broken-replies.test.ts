import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { type Gateway, type StreamingHandler, startGateway } from '../../../lib/adapters/local/gateway.ts';
import type { ReplyStream } from '../../../lib/adapters/local/reply-stream.ts';

let gateway: Gateway;
afterEach(() => gateway.close());

test.each(['reset', 'closed', 'not read'])(
  'a stream whose connection is %s is no fault, and nothing is logged',
  async (how) => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    let ended = 0;
    const handler: StreamingHandler = async (_event, reply) => {
      const events = Readable.from(
        (async function* () {
          for (;;) {
            yield Buffer.alloc(100_000);
            await sleep(1);
          }
        })(),
      );
      try {
        await pipeline(events, (reply as ReplyStream).begin({ statusCode: 200 }));
      } finally {
        ended += 1;
      }
    };
    const limits = how === 'not read' ? { stalledMs: 500 } : {};
    gateway = await startGateway({
      host: '127.0.0.1',
      port: 0,
      handlerOf: () => handler,
      requestId: () => 'r',
      limits,
    });
    const breakOff = async (): Promise<void> => {
      const client = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      client.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(client, 'readable');
      if (how === 'reset') client.resetAndDestroy();
      if (how === 'closed') client.destroy();
    };
    await Promise.all(Array.from({ length: 20 }, breakOff));
    await vi.waitUntil(() => ended === 20, { timeout: 20_000 });
    expect(logged.mock.calls).toEqual([]);
  },
);

test('a gateway is closed when the requests have ended whose clients have left', async () => {
  const [begun, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isDone = false;
  const handler: StreamingHandler = async (_event, reply) => {
    begun.resolve();
    await left.promise;
    await sleep(50);
    isDone = true;
    (reply as ReplyStream).begin({ statusCode: 200 }).end('late');
  };
  gateway = await startGateway({ host: '127.0.0.1', port: 0, handlerOf: () => handler, requestId: () => 'r' });
  const client = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  client.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await begun.promise;
  client.destroy();
  await once(client, 'close');
  const closed = gateway.close();
  left.resolve();
  await closed;
  expect(isDone).toBe(true);
});
