import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../../../lib/adapters/local/gateway.ts';

const LARGEST = 10;

let gateway: Gateway;
let socket: Socket;

afterEach(async () => {
  socket.destroy();
  await gateway.close();
});

async function open(lingerMs?: number): Promise<void> {
  gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    handlerOf: () => async (_event, response) => response.end(),
    requestId: () => 'request',
    largestBody: () => LARGEST,
    ...(lingerMs === undefined ? {} : { lingerMs }),
  });
  socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
}

/** What the server sends, until it contains the word. */
async function readUntil(word: string): Promise<string> {
  let text = '';
  while (!text.includes(word)) text += (await once(socket, 'data'))[0];
  return text;
}

const LENGTH = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n';
const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('a body that is too large', () => {
  test.each([
    ['with a length', LENGTH + 'x'.repeat(50), 'x'.repeat(50)],
    ['in chunks', `${CHUNKED}32\r\n${'x'.repeat(50)}\r\n`, `32\r\n${'x'.repeat(50)}\r\n0\r\n\r\n`],
  ])('%s is refused at once, and its rest is read before the connection closes', async (_how, begin, rest) => {
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

  test('closes the connection after a while when its rest does not come', async () => {
    await open(50);
    socket.write(LENGTH);
    await readUntil('StatusCode');
    const [hadError] = await once(socket, 'close');
    expect(hadError).toBe(false);
  });
});
