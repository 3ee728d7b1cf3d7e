import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

export interface FakeServer {
  readonly url: string;
  /** The requests so far, in order. */
  readonly asked: readonly Asked[];
  close(): void;
}

export type Answering = (asked: Asked, response: ServerResponse, nth: number) => void;

/** A server whose replies the test defines; `nth` counts the requests with the same method and URL from 1. */
export async function openFakeServer(answer: Answering): Promise<FakeServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers };
    asked.push(one);
    request.resume();
    answer(one, response, asked.filter(({ method, url }) => method === one.method && url === one.url).length);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

/** Starts an event stream with these frames, and leaves it open. */
export function beginStream(response: ServerResponse, frames: readonly string[]): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const frame of frames) response.write(frame);
}
