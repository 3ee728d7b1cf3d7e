import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request as an AWS service sees it. */
export interface AwsRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** What follows the service's name in `X-Amz-Target`, for the services that speak JSON. */
  readonly operation: string;
  readonly bytes: Uint8Array;
  /** The body's JSON object, for the services that speak JSON. */
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Reply {
  readonly status?: number;
  readonly body?: object | string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AwsServer {
  /** What a client of the SDK is made with to speak to it. */
  readonly config: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  readonly requests: readonly AwsRequest[];
  /** How many were opened to it so far. */
  readonly connections: number;
  close(): Promise<void>;
}

/** A refusal in AWS's JSON form. */
export const errorReply = (name: string, more: object = {}): Reply => ({
  status: 400,
  body: { __type: `com.amazonaws#${name}`, message: `refused: ${name}`, ...more },
});

/** The wire end of an AWS service: takes what the SDK really sends and answers what the test says. */
export async function startAwsServer(answer: (asked: AwsRequest) => Reply | Promise<Reply>): Promise<AwsServer> {
  const asked: AwsRequest[] = [];
  const server = createServer(async (request, response) => {
    const question = await readQuestion(request);
    asked.push(question);
    const { status = 200, body = {}, headers = {} } = await answer(question);
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
    requests: asked,
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

async function readQuestion(request: IncomingMessage): Promise<AwsRequest> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const bytes = await buffer(request);
  const target = String(request.headers['x-amz-target'] ?? '');
  return {
    method: request.method ?? '',
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    operation: target.slice(target.indexOf('.') + 1),
    bytes,
    input: target === '' ? {} : (JSON.parse(bytes.toString('utf8')) as Record<string, unknown>),
  };
}
