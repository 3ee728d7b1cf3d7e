import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StorageError } from './database/storage-error.ts';
import { type Head, ReplyStream } from './reply-stream.ts';

/** A Lambda handler as the gateway calls it, with the event, the reply stream and the context. */
export type StreamingHandler = (event: unknown, response: Writable, context: object) => Promise<unknown>;

/** The storage of the data that replies show. */
export interface Storage {
  /** The reason why the storage accepts no writes at the moment; undefined while it does. */
  readonly outage: StorageError | undefined;
  /** Calls the listener at the start of each outage. */
  onOutage(listener: (error: StorageError) => void): void;
  /** Resolves when everything written so far is durable; rejects with the error of the outage. */
  durable(): Promise<void>;
}

export interface GatewaySettings {
  readonly host: string;
  /** The port; 0: any free port. */
  readonly port: number;
  /** Returns the function that serves a request; the path is encoded and without its query. */
  readonly handlerOf: (method: string, path: string, query: Query) => StreamingHandler;
  readonly requestId: () => string;
  /** The maximum bytes of a body; a longer one is rejected. */
  readonly maxBodyBytes: (method: string, path: string, query: Query) => number;
  /** The rest of a rejected body is read until it pauses for so many milliseconds; by default 30,000. */
  readonly lingerMs?: number;
  /** A reply leaves after the data that it shows is durable here. */
  readonly storage?: Storage;
}

export interface Gateway {
  readonly url: string;
  close(): Promise<void>;
}

type Query = Record<string, string[]>;

/**
 * Installs the global with which a Lambda streams its reply. It must be called before handlers are imported, which read
 * it.
 */
export function installStreaming(): void {
  const HttpResponseStream = {
    from: (reply: ReplyStream, head: Head) => reply.begin(head),
  };
  Object.assign(globalThis, { awslambda: { streamifyResponse: (handler: unknown) => handler, HttpResponseStream } });
}

function queryOf(text: string): Query {
  const query: Query = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    query[name] ??= [];
    query[name].push(value);
  }
  return query;
}

/** Returns the body; undefined when it is too long, which is not kept in memory. */
async function bodyOf(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  // The connection is still needed for the reply.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function headersOf({ headersDistinct }: IncomingMessage) {
  const multiValueHeaders = headersDistinct as Record<string, string[]>;
  const headers = Object.fromEntries(Object.entries(multiValueHeaders).map(([name, values]) => [name, values.at(-1)]));
  return { headers, multiValueHeaders };
}

const errorBody = (status: number, message: string): string =>
  JSON.stringify({ code: status, message, Error: message, StatusCode: status });

function answerShortly(response: ServerResponse, status: number, message: string, more: object = {}): void {
  if (response.writableEnded) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response
    .writeHead(status, { 'Content-Type': 'application/json', Connection: 'close', ...more })
    .end(errorBody(status, message));
}

const RETRY_AFTER_S = '5';

function answerOutage(response: ServerResponse, { message }: StorageError): void {
  answerShortly(response, 503, `${message}; try again later`, { 'Retry-After': RETRY_AFTER_S });
}

const LINGER_MS = 30_000;

/**
 * Replies with 413, then reads and drops the rest of the body until it ends or pauses for `lingerMs`. A connection that
 * closes with unread data is reset, and a client that is still sending gets the reset instead of the reply.
 */
async function refuseBody(request: IncomingMessage, response: ServerResponse, message: string, lingerMs = LINGER_MS) {
  const body = errorBody(413, message);
  const length = Buffer.byteLength(body);
  response.writeHead(413, { 'Content-Type': 'application/json', 'Content-Length': length, Connection: 'close' });
  response.write(body);
  request.setTimeout(lingerMs, () => response.end());
  // The client may close the connection instead.
  await finished(request.resume()).catch(() => undefined);
  response.end();
}

async function serve(settings: GatewaySettings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const method = request.method ?? 'GET';
  const [path = '/', ...rest] = (request.url ?? '/').split('?');
  const query = queryOf(rest.join('?'));
  const maxBytes = settings.maxBodyBytes(method, path, query);
  const body = await bodyOf(request, maxBytes);
  if (body === undefined) {
    const message = `request payload too large: at most ${maxBytes} bytes`;
    await refuseBody(request, response, message, settings.lingerMs);
    return;
  }
  const requestId = settings.requestId();
  const event = {
    httpMethod: method,
    path,
    ...headersOf(request),
    multiValueQueryStringParameters: query,
    body: body.length === 0 ? null : body.toString('base64'),
    isBase64Encoded: true,
    requestContext: { requestId },
  };
  const reply = new ReplyStream(response, async () => settings.storage?.durable());
  reply.on('error', (error) => {
    if (error instanceof StorageError) answerOutage(response, error);
  });
  await settings.handlerOf(method, path, query)(event, reply, { awsRequestId: requestId });
}

/**
 * Serves requests. During an outage of the storage it replies with 503, also to requests in progress without a reply so
 * far.
 */
class RequestServer {
  readonly #settings: GatewaySettings;
  readonly #open = new Set<ServerResponse>();

  constructor(settings: GatewaySettings) {
    this.#settings = settings;
    settings.storage?.onOutage((error) => {
      for (const response of this.#open) if (!response.headersSent) answerOutage(response, error);
    });
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { outage } = this.#settings.storage ?? {};
    if (outage !== undefined) {
      answerOutage(response, outage);
      return;
    }
    this.#open.add(response);
    try {
      await serve(this.#settings, request, response);
    } catch (error) {
      if (error instanceof StorageError) {
        answerOutage(response, error);
        return;
      }
      if (!response.destroyed) console.error(error);
      answerShortly(response, 502, 'the function failed before it could answer');
    } finally {
      this.#open.delete(response);
    }
  }
}

/**
 * Does what API Gateway does before a Lambda: converts HTTP requests into proxy events (REST, version 1) and streams
 * replies.
 */
export async function startGateway(settings: GatewaySettings): Promise<Gateway> {
  const requests = new RequestServer(settings);
  const server = createServer((request, response) => void requests.serve(request, response));
  // A request may wait for a run as long as the limits of the run allow.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.port, settings.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return { url: `http://${host}:${port}`, close: () => close(server) };
}

const IDLE_LOOK_MS = 10;
const MAX_CLOSE_MS = 1000;

async function close(server: ReturnType<typeof createServer>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection becomes idle when its reply is complete, and stays open then.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
  const late = setTimeout(() => server.closeAllConnections(), MAX_CLOSE_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}
