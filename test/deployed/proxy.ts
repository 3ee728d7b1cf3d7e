import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { adapted } from '../emulator/differences.ts';
import { type Fault, Faults } from './faults.ts';

/** Stands between deployed functions and the emulator: they call it in its place. */
export interface AwsProxy {
  /** Where functions find AWS. Below `/_faults`, tests begin faults (POST) and end them (DELETE, answers the counts). */
  readonly url: string;
  close(): Promise<void>;
}

/** What is asked: `DynamoDB_20120810.PutItem`, or the method and path of a service that says it by these. */
const operationOf = ({ headers, method, url }: IncomingMessage): string =>
  String(headers['x-amz-target'] ?? `${method} ${url}`);

/** Waits of these tests that end by an event are shorter, and those that end by their time end somewhat late. */
const WAITS = { longestWait: 12 };

const DEFINES = /\.(Create|Update)StateMachine$/;

function bodyFor(operation: string, body: Buffer): Buffer {
  if (!DEFINES.test(operation)) return body;
  const input = JSON.parse(body.toString()) as { definition: string };
  return Buffer.from(
    JSON.stringify({ ...input, definition: JSON.stringify(adapted(JSON.parse(input.definition), WAITS)) }),
  );
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

function forward(to: URL, agent: Agent, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { 'transfer-encoding': _, ...rest } = incoming.headers;
  const headers = { ...rest, 'content-length': String(body.length) };
  const { hostname, port } = to;
  const outgoing = request(
    { agent, hostname, port, method: incoming.method, path: incoming.url, headers },
    (answer) => {
      buffer(answer).then(
        (whole) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: whole }),
        reject,
      );
    },
  );
  outgoing.on('error', reject);
  outgoing.end(body);
  return promise;
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const { 'transfer-encoding': _, connection: __, ...rest } = headers;
  response.writeHead(status, { ...rest, 'content-length': String(body.length) }).end(body);
}

/** How a fault looks to whoever called. */
const SHOWN: Record<Exclude<Fault, 'part'>, (response: ServerResponse) => void> = {
  throttle: (response) => {
    const body = '{"__type":"ThrottlingException","message":"Rate exceeded"}';
    response.writeHead(400, {
      'content-type': 'application/x-amz-json-1.1',
      'x-amzn-errortype': 'ThrottlingException',
    });
    response.end(body);
  },
  failure: (response) => {
    const body = '{"__type":"InternalServerError","message":"We encountered an internal error"}';
    response.writeHead(500, { 'content-type': 'application/x-amz-json-1.1' }).end(body);
  },
  silence: (response) => response.destroy(),
};

/** Part of a batch is refused: the entries at odd places. */
function partOf(answer: Answer): Answer {
  const said = JSON.parse(answer.body.toString()) as { Entries?: unknown[] };
  if (!Array.isArray(said.Entries)) return answer;
  const refused = { ErrorCode: 'InternalFailure', ErrorMessage: 'refused by the test' };
  const Entries = said.Entries.map((entry, index) => (index % 2 === 1 ? refused : entry));
  const FailedEntryCount = Math.floor(Entries.length / 2);
  return { ...answer, body: Buffer.from(JSON.stringify({ ...said, Entries, FailedEntryCount })) };
}

interface Wish {
  /** From 0 to 1. */
  readonly share: number;
  readonly seed: number;
}

function control(faults: Faults, method: string | undefined, body: Buffer): object {
  if (method === 'DELETE') return faults.end();
  const { share, seed } = JSON.parse(body.toString()) as Wish;
  faults.begin(share, seed);
  return {};
}

/** Starts the proxy before an emulator whose address is known later. */
export async function startProxy(target: () => string): Promise<AwsProxy> {
  const agent = new Agent({ keepAlive: true });
  const faults = new Faults();
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const operation = operationOf(incoming);
    const body = bodyFor(operation, await buffer(incoming));
    if (incoming.url === '/_faults') {
      response.end(JSON.stringify(control(faults, incoming.method, body)));
      return undefined;
    }
    const fault = faults.next(operation);
    if (fault === 'throttle' || fault === 'failure') return SHOWN[fault](response);
    const answer = await forward(new URL(target()), agent, incoming, body);
    if (fault === 'silence') return SHOWN.silence(response);
    return send(response, fault === 'part' ? partOf(answer) : answer);
  };
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
