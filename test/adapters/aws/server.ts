import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request as an AWS service receives it. */
export interface AwsRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The operation in `X-Amz-Target`, of services with a JSON protocol. */
  readonly operation: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly bytes: Uint8Array;
  /** The JSON object in the body, of services with a JSON protocol. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The response to a request. Objects are sent as JSON. */
export interface Reply {
  readonly status?: number;
  readonly body?: object | string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The endpoint of an AWS service. */
export interface AwsServer {
  /** The configuration of the SDK's clients. */
  readonly config: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  readonly requests: readonly AwsRequest[];
  /** The number of connections that were opened. */
  readonly connections: number;
  close(): Promise<void>;
}

/** An error in the JSON protocol. */
export const errorReply = (name: string, more: object = {}): Reply => ({
  status: 400,
  body: { __type: `com.amazonaws#${name}`, message: `refused: ${name}`, ...more },
});

/** Starts an endpoint that receives the SDK's requests and sends the replies of the test. */
export async function startAwsServer(reply: (request: AwsRequest) => Reply | Promise<Reply>): Promise<AwsServer> {
  const requests: AwsRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming);
    requests.push(request);
    const { status = 200, body = {}, headers = {} } = await reply(request);
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    response.writeHead(status, {
      'content-type': isRaw ? 'application/xml' : 'application/x-amz-json-1.0',
      ...headers,
    });
    response.end(isRaw ? body : JSON.stringify(body));
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    config: {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'eu-test-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    },
    requests,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readRequest(incoming: IncomingMessage): Promise<AwsRequest> {
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  const bytes = await buffer(incoming);
  const target = String(incoming.headers['x-amz-target'] ?? '');
  return {
    method: incoming.method ?? '',
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    operation: target.slice(target.indexOf('.') + 1),
    headers: incoming.headers,
    bytes,
    input: target === '' ? {} : (JSON.parse(bytes.toString('utf8')) as Record<string, unknown>),
  };
}
