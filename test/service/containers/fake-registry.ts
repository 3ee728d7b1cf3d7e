import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The parts of a container registry that a check of credentials uses: it accepts `user` with `pass:word`. */
export interface FakeRegistry {
  readonly url: string;
  /** The method, the path with the query, and the Authorization header of each request. */
  readonly asked: readonly (readonly [string, string, string | undefined])[];
  close(): Promise<void>;
}

export type Manner = 'open' | 'basic' | 'bearer' | 'strange' | 'none' | 'moved' | 'silent' | 'endless' | 'tokenless';

const BASIC = `Basic ${Buffer.from('user:pass:word').toString('base64')}`;
const TOKEN = 'token-of-the-registry';

type Serve = (url: string, request: IncomingMessage, response: ServerResponse) => unknown;

const challenge = (response: ServerResponse, text: string) =>
  response.writeHead(401, { 'WWW-Authenticate': text }).end();

const bearer: Serve = (url, request, response) => {
  const { authorization } = request.headers;
  if (request.url?.startsWith('/token')) {
    if (authorization === BASIC) response.end(JSON.stringify({ token: TOKEN, expires_in: 300 }));
    else response.writeHead(401).end('{"details":"incorrect username or password"}');
  } else if (authorization === `Bearer ${TOKEN}`) response.end('{}');
  else challenge(response, `Bearer realm="${url}/token?x=1",service="registry of tests",scope="a"`);
};

const MANNERS: Readonly<Record<Manner, Serve>> = {
  open: (_url, { headers }, response) =>
    response.writeHead(headers.authorization === 'Basic eDp5' ? 401 : 200).end('{}'),
  basic: (_url, { headers }, response) =>
    headers.authorization === BASIC ? response.end('{}') : challenge(response, 'Basic realm="here"'),
  bearer,
  strange: (_url, _request, response) => challenge(response, 'Negotiate'),
  none: (_url, _request, response) => response.writeHead(404).end('nothing here'),
  moved: (_url, _request, response) => response.writeHead(301, { Location: 'http://169.254.169.254/' }).end(),
  silent: () => undefined,
  endless: (_url, _request, response) => {
    response.writeHead(200);
    response.write('x'.repeat(200_000));
  },
  tokenless: (url, request, response) =>
    request.url?.startsWith('/token')
      ? response.end('{"token":7}')
      : challenge(response, `Bearer realm="${url}/token"`),
};

/** Starts a registry with the given kind of authentication. */
export async function startRegistry(manner: Manner): Promise<FakeRegistry> {
  const asked: [string, string, string | undefined][] = [];
  let url = '';
  const server = createServer((request, response) => {
    asked.push([String(request.method), String(request.url), request.headers.authorization]);
    MANNERS[manner](url, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, asked, close };
}
