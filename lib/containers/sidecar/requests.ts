import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Asked, MOST_BYTES } from './messages.ts';

const MOST_LOG_BYTES = 4 * 1024 * 1024;
const MOST_UNDECLARED_BYTES = 2 * 1024 * 1024;
const SCOPES: Readonly<Record<string, string>> = {
  '': 'instance',
  instance: 'instance',
  workflow: 'workflow',
  namespace: 'namespace',
  file: 'file',
};
const READ_ONLY = 'file';

export interface Told {
  readonly status: number;
  readonly body?: Uint8Array | string;
}

/** Hands on what a function asks for. */
export type Ask = (actionId: string, asked: Asked, body: Uint8Array) => Promise<Told>;

type Path = (request: IncomingMessage, query: URLSearchParams, ask: Ask) => Promise<Told>;

const PATHS: Readonly<Record<string, Path>> = { '/log': log, '/var': variable };

/** Serves what functions know as localhost:8889, on both loopback addresses where there are both. Throws why on neither. */
export async function serveRequests(port: number, ask: Ask): Promise<void> {
  const listening = ['127.0.0.1', '::1'].map((address) => listen(address, port, ask));
  await Promise.any(listening).catch(({ errors }: AggregateError) => {
    throw errors[0];
  });
}

function listen(address: string, port: number, ask: Ask): Promise<void> {
  const server = createServer((request, response) => {
    // A function that went away meanwhile takes no answer.
    serve(request, response, ask).catch(() => response.destroy());
  });
  server.requestTimeout = 0;
  // A function keeps its connections, also while Lambda lets everything stand still: it ends them, not we.
  server.keepAliveTimeout = 0;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
}

async function serve(request: IncomingMessage, response: ServerResponse, ask: Ask): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const told = await tell(request, url, ask).catch((error: unknown) => ({
    status: 500,
    body: error instanceof Error ? error.message : String(error),
  }));
  await drain(request);
  response.writeHead(told.status).end(told.body);
}

/** Whoever still sends does not read: an answer before the end of a body would be lost with the connection. */
async function drain(request: IncomingMessage): Promise<void> {
  let left = MOST_BYTES;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    left -= chunk.length;
    if (left < 0) break;
  }
}

async function tell(request: IncomingMessage, url: URL, ask: Ask): Promise<Told> {
  const path = Object.hasOwn(PATHS, url.pathname) ? PATHS[url.pathname] : undefined;
  return path?.(request, url.searchParams, ask) ?? { status: 404, body: 'there are /log and /var here' };
}

/** Workflow-language reference, 11.5. */
async function log(request: IncomingMessage, query: URLSearchParams, ask: Ask): Promise<Told> {
  const isPosted = request.method === 'POST';
  const text = isPosted ? await bytesOf(request, MOST_LOG_BYTES) : Buffer.from(query.get('log') ?? '');
  if (text === undefined) return { status: 413, body: 'a log entry has at most 4 MiB' };
  return ask(query.get('aid') ?? '', { what: 'log' }, text);
}

/** Workflow-language reference, 11.6. */
async function variable(request: IncomingMessage, query: URLSearchParams, ask: Ask): Promise<Told> {
  if (request.method !== 'GET' && request.method !== 'POST') {
    return { status: 405, body: 'a variable is read with GET and stored with POST' };
  }
  const given = query.get('scope') ?? '';
  const scope = Object.hasOwn(SCOPES, given) ? SCOPES[given] : undefined;
  if (scope === undefined)
    return { status: 400, body: `the scope '${given}' is not one of instance, workflow, namespace, file` };
  const [actionId, key] = [query.get('aid') ?? '', query.get('key') ?? ''];
  if (request.method === 'GET') return ask(actionId, { what: 'get', scope, key }, Buffer.alloc(0));
  if (scope === READ_ONLY) {
    return { status: 405, body: "the scope 'file' is read-only: a file of the tree is read with GET" };
  }
  const isDeclared = request.headers['content-length'] !== undefined;
  const bytes = await bytesOf(request, isDeclared ? MOST_BYTES : MOST_UNDECLARED_BYTES);
  if (bytes === undefined) {
    return isDeclared
      ? { status: 413, body: 'a variable has at most 128 MiB' }
      : { status: 411, body: 'a variable of more than 2 MiB needs a Content-Length' };
  }
  const mimeType = request.headers['content-type'];
  return ask(actionId, { what: 'set', scope, key, ...(mimeType !== undefined && { mimeType }) }, bytes);
}

/** Undefined: there is more than that. */
async function bytesOf(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > most) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) return undefined;
  }
  return Buffer.concat(chunks);
}
