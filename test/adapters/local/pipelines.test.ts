import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { Pipelines } from '../../../lib/adapters/local/requests/pipelines.ts';

const COUNT = 1000;

let server: Server;
let client: Socket;
afterEach(() => {
  client.destroy();
  server.close();
});

/** Opens a server that serves by `serve`, with a client. `parsed` has the number of requests that were read. */
async function open(serve: (request: IncomingMessage, response: ServerResponse) => void) {
  const parsed = { count: 0 };
  const pipelines = new Pipelines(serve);
  server = createServer((request, response) => {
    parsed.count += 1;
    pipelines.accept(request, response);
  }).listen(0);
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port);
  return { pipelines, parsed };
}

const requests = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, n) => `GET /${from + n} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
const last = (count: number): string => requests(1, count).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');

test('of a thousand requests that a client sends at once, one is under way', async () => {
  let underWay = 0;
  let most = 0;
  await open(async (request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise(setImmediate);
    underWay -= 1;
    response.end(request.url);
  });
  client.write(requests(COUNT - 1) + last(COUNT - 1));
  const bodies = [...(await text(client)).matchAll(/\r\n\r\n(\/\d+)/g)].map(([, url]) => url);
  expect(bodies).toEqual(Array.from({ length: COUNT }, (_, n) => `/${n}`));
  expect(most).toBe(1);
});

test('while a request is under way, a few of those after it are read, and the rest when they are served', async () => {
  const isFirstDone = Promise.withResolvers<void>();
  const many = 100_000;
  const { parsed } = await open(async (request, response) => {
    if (request.url === '/0') await isFirstDone.promise;
    // Reading the body makes Node resume the connection.
    request.resume();
    response.end();
  });
  client.write(requests(many - 1) + last(many - 1));
  client.resume();
  await expect.poll(() => parsed.count).toBeGreaterThan(8);
  await sleep(100);
  // The requests of one or two packets.
  expect(parsed.count).toBeLessThan(many / 10);
  isFirstDone.resolve();
  await once(client, 'close');
  expect(parsed.count).toBe(many);
});

test('requests that wait are not served when their client has left or the reply before closes the connection', async () => {
  const served: string[] = [];
  const isClosed = Promise.withResolvers<void>();
  const { pipelines } = await open((request, response) => {
    served.push(request.url ?? '');
    response.once('close', () => setImmediate(isClosed.resolve));
    response.writeHead(200, { Connection: 'close' }).end('x');
  });
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  client.write(requests(3));
  await text(client);
  await isClosed.promise;
  await new Promise(setImmediate);
  expect([served, pipelines.isBusy((await accepted)[0])]).toEqual([['/0'], false]);
});

test('a connection is busy until its last request is served', async () => {
  const ends: (() => void)[] = [];
  const { pipelines } = await open((_request, response) => void ends.push(() => response.end()));
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  client.write(requests(2));
  const [socket] = await accepted;
  await expect.poll(() => ends.length).toBe(1);
  ends.shift()?.();
  await expect.poll(() => ends.length).toBe(1);
  expect(pipelines.isBusy(socket)).toBe(true);
  ends.shift()?.();
  await expect.poll(() => pipelines.isBusy(socket)).toBe(false);
});
