import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Processor } from '../../ports/processor.ts';
import { withReserve } from './database/disk/reserved-work.ts';
import { StorageError } from './database/disk/storage-error.ts';
import { ReplyStream } from './reply-stream.ts';
import { DEFAULT_LIMITS, RequestBody, type RequestLimits, RequestShares } from './requests/body.ts';
import { type ConnectionLimits, DEFAULT_CONNECTIONS, limitConnections, serverOptions } from './requests/connections.ts';
import { Pipelines } from './requests/pipelines.ts';
import { RequestError, STATUS_OF } from './requests/refusal.ts';

/**
 * A Lambda handler as the gateway calls it: the event, the stream to answer into, the context. The event has no body;
 * `event.readBody(key, most)` resolves to its bytes. The handler calls it after it has checked the key, and then
 * `event.enter(tenant)`, which is undefined or resolves when work for the tenant may begin.
 */
export type StreamingHandler = (event: unknown, response: Writable, context: object) => Promise<unknown>;

/** The storage of the data that replies show. */
export interface Storage {
  /** The reason why the storage accepts no writes at the moment; undefined while it does. */
  readonly outage: StorageError | undefined;
  /** During this outage, work with the reserve is stored, and reads show stored data. */
  readonly hasReserve: boolean;
  /** Calls the listener at the start of each outage, and when its reserve is used up. */
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
  /** Whether a request is served from the reserve of the storage; by default none is. */
  readonly isFrugal?: (method: string, path: string, query: Query) => boolean;
  readonly requestId: () => string;
  /** The error by which a handler is informed that a request is refused; by default the RequestError itself. */
  readonly toError?: (error: RequestError) => Error;
  readonly limits?: Partial<RequestLimits & ConnectionLimits>;
  /** A reply leaves after the data that it shows is durable here. */
  readonly storage?: Storage;
  /** What computes for tenants besides their requests: the door charges them for that. */
  readonly processor?: Pick<Processor, 'onComputed'> | undefined;
}

export interface Gateway {
  readonly url: string;
  close(): Promise<void>;
}

type Query = Record<string, string[]>;

function queryOf(text: string): Query {
  const query: Query = Object.create(null);
  if (text === '') return query;
  for (const [name, value] of new URLSearchParams(text)) {
    query[name] ??= [];
    query[name].push(value);
  }
  return query;
}

/** Not by `headersDistinct`, which fails for a header named `__proto__` in Node 24. */
function headersOf({ rawHeaders }: IncomingMessage) {
  const multiValueHeaders: Query = Object.create(null);
  const headers: Record<string, string> = Object.create(null);
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    multiValueHeaders[name] ??= [];
    multiValueHeaders[name].push(value);
    headers[name] = value;
  }
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

interface Target {
  readonly method: string;
  readonly path: string;
  readonly query: Query;
}

function targetOf({ method = 'GET', url = '/' }: IncomingMessage): Target {
  const [path = '/', ...rest] = url.split('?');
  return { method, path, query: queryOf(rest.join('?')) };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly target: Target;
  readonly response: ServerResponse;
  readonly body: RequestBody;
}

async function serve(settings: GatewaySettings, { request, target, response, body }: Exchange): Promise<void> {
  const { method, path, query } = target;
  const requestId = settings.requestId();
  const readBody = (key: string, most: number) =>
    body.read(key, most).catch((error: unknown) => {
      throw error instanceof RequestError ? (settings.toError?.(error) ?? error) : error;
    });
  const event = {
    httpMethod: method,
    path,
    ...headersOf(request),
    multiValueQueryStringParameters: query,
    body: null,
    readBody,
    enter: (tenant: string) => body.enter(tenant),
    isBase64Encoded: true,
    requestContext: { requestId, identity: { sourceIp: request.socket.remoteAddress ?? '' } },
  };
  const reply = new ReplyStream(response, body, async () => settings.storage?.durable());
  reply.on('error', (error) => {
    if (error instanceof StorageError) answerOutage(response, error);
  });
  await settings.handlerOf(method, path, query)(event, reply, { awsRequestId: requestId });
}

/** The reply to a request whose refusal the handler did not turn into a reply. */
async function answerRefusal(response: ServerResponse, body: RequestBody, error: RequestError): Promise<void> {
  const status = STATUS_OF[error.reason];
  const text = errorBody(status, error.message);
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length, Connection: 'close' });
  response.write(text);
  await body.drop();
  response.end();
}

/**
 * Serves requests. During an outage of the storage it answers 503, also to requests in progress without a reply so far, except
 * to those that its reserve serves.
 */
class RequestServer {
  readonly #settings: GatewaySettings;
  /** The responses in progress, and whether the reserve serves their requests. */
  readonly #open = new Map<ServerResponse, boolean>();
  readonly #shares: RequestShares;
  #onIdle: () => void = () => undefined;

  constructor(settings: GatewaySettings, shares: RequestShares) {
    this.#settings = settings;
    this.#shares = shares;
    settings.processor?.onComputed?.((tenant, ms) => shares.door.charge(tenant, ms));
    settings.storage?.onOutage((error) => {
      for (const [response, isFrugal] of this.#open) {
        if (!response.headersSent && !this.#isSpared(isFrugal)) answerOutage(response, error);
      }
    });
  }

  #isSpared(isFrugal: boolean): boolean {
    return isFrugal && this.#settings.storage?.hasReserve === true;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = targetOf(request);
    const isFrugal = this.#settings.isFrugal?.(target.method, target.path, target.query) === true;
    const { outage } = this.#settings.storage ?? {};
    if (outage !== undefined && !this.#isSpared(isFrugal)) {
      answerOutage(response, outage);
      return;
    }
    this.#open.set(response, isFrugal);
    const body = new RequestBody(request, response, this.#shares);
    const exchange = { request, target, response, body };
    try {
      if (isFrugal) await withReserve(() => serve(this.#settings, exchange));
      else await serve(this.#settings, exchange);
    } catch (error) {
      if (error instanceof RequestError && !response.headersSent) {
        await answerRefusal(response, body, error);
        return;
      }
      if (error instanceof StorageError) {
        answerOutage(response, error);
        return;
      }
      // Else the client has left, which also fails what is written at that moment, or it has the reply of an outage.
      if (!response.destroyed && !request.socket.destroyed) console.error(error);
      answerShortly(response, 502, 'the function failed before it could answer');
    } finally {
      this.#open.delete(response);
      if (this.#open.size === 0) this.#onIdle();
    }
  }

  /** Resolves when no request is under way, also none whose client has left, or after a time in milliseconds. */
  async settle(most: number): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, most);
      this.#onIdle = () => {
        clearTimeout(late);
        resolve();
      };
    });
  }
}

/**
 * Longer than the idle time of usual proxies and clients (60 s), which would otherwise send a request into a connection
 * that closes.
 */
const KEEP_ALIVE_MS = 65_000;

/**
 * Does what API Gateway does before a Lambda: converts HTTP requests into proxy events (REST, version 1) and streams
 * replies.
 */
export async function startGateway(settings: GatewaySettings): Promise<Gateway> {
  const limits = { ...DEFAULT_LIMITS, ...DEFAULT_CONNECTIONS, ...settings.limits };
  const shares = new RequestShares(limits);
  const requests = new RequestServer(settings, shares);
  const pipelines = new Pipelines((request, response) => void requests.serve(request, response));
  const server = createServer(serverOptions(limits), (request, response) => pipelines.accept(request, response));
  const isBusy = (socket: Socket) => pipelines.isBusy(socket);
  limitConnections(server, { limits, arrivals: shares.arrivals, isBusy });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.port, settings.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return { url: `http://${host}:${port}`, close: () => close(server).then(() => requests.settle(MAX_CLOSE_MS)) };
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
