import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Fault, FaultInjector } from './faults.ts';

/** A proxy between deployed functions and the emulator. */
export interface AwsProxy {
  /** The endpoint of AWS for functions. `/_faults` starts faults (POST) and stops them (DELETE, returns the counts). */
  readonly url: string;
  close(): Promise<void>;
}

/** The operation of a request: `DynamoDB_20120810.PutItem`, or method and path where the service has no such header. */
const operationOf = ({ headers, method, url }: IncomingMessage): string =>
  String(headers['x-amz-target'] ?? `${method} ${url}`);

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

/** The response to a request with a fault. */
const RESPONSES: Record<Exclude<Fault, 'part'>, (response: ServerResponse) => void> = {
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

/** Rejects the second, fourth and so on entry of a batch. */
function rejectPart(answer: Answer): Answer {
  const result = JSON.parse(answer.body.toString()) as { Entries?: unknown[] };
  if (!Array.isArray(result.Entries)) return answer;
  const rejected = { ErrorCode: 'InternalFailure', ErrorMessage: 'rejected by the test' };
  const Entries = result.Entries.map((entry, index) => (index % 2 === 1 ? rejected : entry));
  const FailedEntryCount = Math.floor(Entries.length / 2);
  return { ...answer, body: Buffer.from(JSON.stringify({ ...result, Entries, FailedEntryCount })) };
}

interface FaultRate {
  /** From 0 to 1. */
  readonly share: number;
  readonly seed: number;
}

function control(faults: FaultInjector, method: string | undefined, body: Buffer): object {
  if (method === 'DELETE') return faults.stop();
  const { share, seed } = JSON.parse(body.toString()) as FaultRate;
  faults.start(share, seed);
  return {};
}

const STARTS = /\.StartExecution$/;

const json = (status: number, value: object): Answer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from(JSON.stringify(value)),
});

/** The executions that were started through the proxy, by machine and name, with their inputs. */
type Started = Map<string, string>;

/**
 * The answer of Step Functions to a start, where the emulator answers otherwise. The emulator has a fault for a version
 * of a machine that does not exist. It returns an error for a second start with the same name and input, which has no
 * effect on AWS.
 */
function answerOfStart(started: Started, request: Buffer, answer: Answer): Answer {
  const { stateMachineArn = '', name = '', input = '' } = JSON.parse(request.toString()) as Record<string, string>;
  const key = `${stateMachineArn}/${name}`;
  if (answer.status === 200) started.set(key, input);
  if (answer.status === 500 && answer.body.includes(':stateMachine:')) {
    return json(400, { __type: 'StateMachineDoesNotExist', message: 'State Machine Does Not Exist' });
  }
  if (!answer.body.includes('ExecutionAlreadyExists') || started.get(key) !== input) return answer;
  const executionArn = `${stateMachineArn.replace(':stateMachine:', ':execution:').replace(/:\d+$/, '')}:${name}`;
  return json(200, { executionArn, startDate: Math.floor(Date.now() / 1000) });
}

/** Starts the proxy; the endpoint of the emulator is read at each request. */
export async function startProxy(target: () => string): Promise<AwsProxy> {
  const agent = new Agent({ keepAlive: true });
  const faults = new FaultInjector();
  const started: Started = new Map();
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const operation = operationOf(incoming);
    const body = await buffer(incoming);
    if (incoming.url === '/_faults') {
      response.end(JSON.stringify(control(faults, incoming.method, body)));
      return undefined;
    }
    const fault = faults.next(operation);
    if (fault === 'throttle' || fault === 'failure') return RESPONSES[fault](response);
    const given = await forward(new URL(target()), agent, incoming, body);
    const answer = STARTS.test(operation) ? answerOfStart(started, body, given) : given;
    if (fault === 'silence') return RESPONSES.silence(response);
    return send(response, fault === 'part' ? rejectPart(answer) : answer);
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
