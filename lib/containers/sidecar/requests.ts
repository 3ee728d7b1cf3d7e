import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type HostRequest, MAX_BYTES } from './messages.ts';

const MAX_LOG_BYTES = 4 * 1024 * 1024;
const MAX_UNDECLARED_BYTES = 2 * 1024 * 1024;
const SCOPES: Readonly<Record<string, string>> = {
  '': 'instance',
  instance: 'instance',
  workflow: 'workflow',
  namespace: 'namespace',
  file: 'file',
};
const READ_ONLY = 'file';

/** The response to a request of the function. */
export interface HostReply {
  readonly status: number;
  readonly body?: Uint8Array | string;
}

/** Handles a request that the function makes during a call. */
export type HandleRequest = (actionId: string, request: HostRequest, body: Uint8Array) => Promise<HostReply>;

type Route = (request: IncomingMessage, query: URLSearchParams, handle: HandleRequest) => Promise<HostReply>;

const ROUTES: Readonly<Record<string, Route>> = { '/log': log, '/var': variable };

/**
 * Serves the API of functions (workflow-language reference, 11.5 and 11.6) on both loopback addresses, or on the one
 * that the machine has. Throws the error of the first when it can listen on neither.
 */
export async function serveRequests(port: number, handle: HandleRequest): Promise<void> {
  const listening = ['127.0.0.1', '::1'].map((address) => listen(address, port, handle));
  await Promise.any(listening).catch(({ errors }: AggregateError) => {
    throw errors[0];
  });
}

function listen(address: string, port: number, handle: HandleRequest): Promise<void> {
  const server = createServer((request, response) => {
    // The function has closed the connection.
    serve(request, response, handle).catch(() => response.destroy());
  });
  server.requestTimeout = 0;
  // The function decides when its connections end: Lambda freezes both sides, which must not count as idle time.
  server.keepAliveTimeout = 0;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
}

async function serve(request: IncomingMessage, response: ServerResponse, handle: HandleRequest): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const reply = await route(request, url, handle).catch((error: unknown) => ({
    status: 500,
    body: error instanceof Error ? error.message : String(error),
  }));
  await drain(request);
  response.writeHead(reply.status).end(reply.body);
}

/** A client that still sends its body does not read: a response before its end would be lost with the connection. */
async function drain(request: IncomingMessage): Promise<void> {
  let left = MAX_BYTES;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    left -= chunk.length;
    if (left < 0) break;
  }
}

async function route(request: IncomingMessage, url: URL, handle: HandleRequest): Promise<HostReply> {
  const found = Object.hasOwn(ROUTES, url.pathname) ? ROUTES[url.pathname] : undefined;
  return found?.(request, url.searchParams, handle) ?? { status: 404, body: 'there are /log and /var here' };
}

/** Workflow-language reference, 11.5. */
async function log(request: IncomingMessage, query: URLSearchParams, handle: HandleRequest): Promise<HostReply> {
  const isPost = request.method === 'POST';
  const text = isPost ? await readBody(request, MAX_LOG_BYTES) : Buffer.from(query.get('log') ?? '');
  if (text === undefined) return { status: 413, body: 'a log entry has at most 4 MiB' };
  return handle(query.get('aid') ?? '', { what: 'log' }, text);
}

/** Workflow-language reference, 11.6. */
async function variable(request: IncomingMessage, query: URLSearchParams, handle: HandleRequest): Promise<HostReply> {
  if (request.method !== 'GET' && request.method !== 'POST') {
    return { status: 405, body: 'a variable is read with GET and stored with POST' };
  }
  const given = query.get('scope') ?? '';
  const scope = Object.hasOwn(SCOPES, given) ? SCOPES[given] : undefined;
  if (scope === undefined)
    return { status: 400, body: `the scope '${given}' is not one of instance, workflow, namespace, file` };
  const [actionId, key] = [query.get('aid') ?? '', query.get('key') ?? ''];
  if (request.method === 'GET') return handle(actionId, { what: 'get', scope, key }, Buffer.alloc(0));
  if (scope === READ_ONLY) {
    return { status: 405, body: "the scope 'file' is read-only: a file of the tree is read with GET" };
  }
  const isDeclared = request.headers['content-length'] !== undefined;
  const bytes = await readBody(request, isDeclared ? MAX_BYTES : MAX_UNDECLARED_BYTES);
  if (bytes === undefined) {
    return isDeclared
      ? { status: 413, body: 'a variable has at most 128 MiB' }
      : { status: 411, body: 'a variable of more than 2 MiB needs a Content-Length' };
  }
  const mimeType = request.headers['content-type'];
  return handle(actionId, { what: 'set', scope, key, ...(mimeType !== undefined && { mimeType }) }, bytes);
}

/** Undefined: the body is longer than that. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) return undefined;
  }
  return Buffer.concat(chunks);
}
