/** A container registry on loopback, in memory: it takes images and hands them out to whoever it lets in. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface StoreOptions {
  /** How it asks for a login; without it, it lets everybody in. */
  readonly asks?: 'basic' | 'bearer';
  /** `user:token`. */
  readonly login?: string;
  /** Blobs are handed out by another server. */
  readonly redirects?: boolean;
}

export interface Store {
  /** `127.0.0.1:1234`. */
  readonly host: string;
  readonly base: string;
  /** What was asked, `GET /v2/…`; nothing that was not let in. */
  readonly asked: string[];
  readonly blobs: Map<string, Buffer>;
  /** By repository and tag or digest: `demo/echo:1`, `demo/echo@sha256:…`. */
  readonly manifests: Map<string, { readonly mediaType: string; readonly bytes: Buffer }>;
  /** What it answers next in place of what it would. */
  readonly refusals: { readonly sign: RegExp; readonly status: number }[];
  /** What came as authorization to the server that blobs are handed out by. */
  readonly elsewhere: (string | undefined)[];
  /** How many connections are open. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly store: Store;
  readonly options: StoreOptions;
  readonly uploads: Map<string, Buffer>;
}

type Handler = (visit: Visit, name: string, last: string) => Promise<void> | void;

function refuse({ response }: Visit, status: number, code: string): void {
  const errors = [{ code, message: `refused: ${code}` }];
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ errors }));
}

const isHead = ({ request }: Visit): boolean => request.method === 'HEAD';

const HANDLERS: readonly (readonly [RegExp, Handler])[] = [
  [
    /^(?:GET|HEAD) \/v2\/(.+)\/manifests\/(.+)$/,
    (visit, name, reference) => {
      const found = visit.store.manifests.get(
        reference.startsWith('sha256:') ? `${name}@${reference}` : `${name}:${reference}`,
      );
      if (found === undefined) return refuse(visit, 404, 'MANIFEST_UNKNOWN');
      const head = { 'content-type': found.mediaType, 'content-length': found.bytes.length };
      visit.response.writeHead(200, head).end(isHead(visit) ? undefined : found.bytes);
    },
  ],
  [
    /^(?:GET|HEAD) \/v2\/(.+)\/blobs\/(sha256:.+)$/,
    (visit, _name, digest) => {
      const { store, options, response, request } = visit;
      const found = store.blobs.get(digest);
      if (found === undefined) return refuse(visit, 404, 'BLOB_UNKNOWN');
      const isElsewhere = visit.url.searchParams.has('signed');
      if (isElsewhere) store.elsewhere.push(request.headers.authorization);
      if (options.redirects === true && !isElsewhere && !isHead(visit)) {
        const place = `http://localhost:${store.host.split(':')[1]}${visit.url.pathname}?signed=1`;
        response.writeHead(307, { location: place }).end();
        return;
      }
      response.writeHead(200, { 'content-length': found.length }).end(isHead(visit) ? undefined : found);
    },
  ],
  [
    /^POST \/v2\/(.+)\/blobs\/uploads\/()$/,
    ({ response, uploads }, name) => {
      const id = randomUUID();
      uploads.set(id, Buffer.alloc(0));
      response.writeHead(202, { location: `/v2/${name}/blobs/uploads/${id}?state=begun` }).end();
    },
  ],
  [
    /^PATCH \/v2\/(.+)\/blobs\/uploads\/(.+)$/,
    async ({ request, response, uploads }, name, id) => {
      uploads.set(id, await buffer(request));
      response.writeHead(202, { location: `/v2/${name}/blobs/uploads/${id}?state=sent` }).end();
    },
  ],
  [
    /^PUT \/v2\/(.+)\/blobs\/uploads\/(.+)$/,
    (visit, _name, id) => {
      const { url, store, uploads, response } = visit;
      const bytes = uploads.get(id) ?? Buffer.alloc(0);
      const digest = url.searchParams.get('digest') ?? '';
      if (digestOf(bytes) !== digest || url.searchParams.get('state') !== 'sent')
        return refuse(visit, 400, 'DIGEST_INVALID');
      store.blobs.set(digest, bytes);
      response.writeHead(201).end();
    },
  ],
  [
    /^PUT \/v2\/(.+)\/manifests\/(.+)$/,
    async (visit, name, tag) => {
      const bytes = await buffer(visit.request);
      addManifest(visit.store, name, tag, String(visit.request.headers['content-type']), bytes);
      visit.response.writeHead(201).end();
    },
  ],
];

export function addManifest(store: Store, name: string, tag: string, mediaType: string, bytes: Buffer): void {
  store.manifests.set(`${name}:${tag}`, { mediaType, bytes });
  store.manifests.set(`${name}@${digestOf(bytes)}`, { mediaType, bytes });
}

/** The token is for what was asked for alone. */
const tokenFor = (scope: string): string => `token-${digestOf(Buffer.from(scope)).slice(7, 30)}`;

function isLetIn({ request, response, url, store, options }: Visit, name: string): boolean {
  const { asks, login = '' } = options;
  if (asks === undefined || url.searchParams.has('signed')) return true;
  const given = request.headers.authorization ?? '';
  const actions = request.method === 'GET' || request.method === 'HEAD' ? ['pull', 'pull,push'] : ['pull,push'];
  const right =
    asks === 'basic'
      ? [`Basic ${Buffer.from(login).toString('base64')}`]
      : actions.map((action) => `Bearer ${tokenFor(`repository:${name}:${action}`)}`);
  if (right.includes(given)) return true;
  const challenge = asks === 'basic' ? 'Basic realm="store"' : `Bearer realm="${store.base}/token",service="store"`;
  response.writeHead(401, { 'www-authenticate': challenge, 'content-type': 'application/json' });
  response.end(JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message: 'authentication required' }] }));
  return false;
}

function giveToken({ request, response, url, options }: Visit): void {
  const isRight = request.headers.authorization === `Basic ${Buffer.from(options.login ?? '').toString('base64')}`;
  if (url.searchParams.get('service') !== 'store' || !isRight) response.writeHead(401).end('{}');
  else response.end(JSON.stringify({ token: tokenFor(url.searchParams.get('scope') ?? '') }));
}

async function serve(visit: Visit): Promise<void> {
  const { request, response, url, store } = visit;
  if (url.pathname === '/token') return giveToken(visit);
  // Where podman asks first whether it is let in.
  if (url.pathname === '/v2/') {
    if (isLetIn(visit, '')) response.end('{}');
    return;
  }
  const asked = `${request.method} ${url.pathname}`;
  for (const [sign, handler] of HANDLERS) {
    const [, name = '', last = ''] = sign.exec(asked) ?? [];
    if (name === '') continue;
    if (!isLetIn(visit, name)) return;
    store.asked.push(asked);
    const refusal = store.refusals.findIndex((one) => one.sign.test(asked));
    if (refusal >= 0) return refuse(visit, store.refusals.splice(refusal, 1)[0]?.status ?? 500, 'BUSY');
    return handler(visit, name, last);
  }
  response.writeHead(404).end();
}

export async function startStore(options: StoreOptions = {}): Promise<Store> {
  const uploads = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', store.base);
    serve({ request, response, url, store, options, uploads }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, () => resolve()));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store: Store = {
    host,
    base: `http://${host}`,
    asked: [],
    blobs: new Map(),
    manifests: new Map(),
    refusals: [],
    elsewhere: [],
    connections: () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return store;
}
