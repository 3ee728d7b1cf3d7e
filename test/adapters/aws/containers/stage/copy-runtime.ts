/** Lambda's side of an execution environment: the Runtime API, with answers that stream, around one process. */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What an answer comes to: bytes, and at the end an error or none. */
export interface Sink {
  write(bytes: Buffer): void;
  end(error?: string): void;
}

interface Invocation extends Sink {
  readonly id: string;
  readonly event: string;
  readonly deadline: number;
}

export interface Runtime {
  /** Hands an event to the process, for so many milliseconds. */
  invoke(event: string, sink: Sink, milliseconds?: number): void;
  /** Why the process could not begin. */
  readonly refusals: string[];
  readonly ended: Promise<number | null>;
  close(): Promise<void>;
}

type Start = (environment: Readonly<Record<string, string>>) => ChildProcess;
type Handler = (request: IncomingMessage, response: ServerResponse, id: string) => Promise<void> | void;

/** What Lambda puts into an environment. */
const ENVIRONMENT = {
  AWS_LAMBDA_FUNCTION_NAME: 'fast',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
  AWS_ACCESS_KEY_ID: 'of the role',
  AWS_SECRET_ACCESS_KEY: 'of the role',
  AWS_SESSION_TOKEN: 'of the role',
  AWS_REGION: 'eu-test-1',
  _X_AMZN_TRACE_ID: 'Root=1',
};

export async function startRuntime(start: Start): Promise<Runtime> {
  const waiting: Invocation[] = [];
  const refusals: string[] = [];
  let running: Invocation | undefined;
  let idle: ServerResponse | undefined;
  const give = () => {
    if (idle === undefined || waiting.length === 0) return;
    running = waiting.shift() as Invocation;
    idle.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': running.id,
      'lambda-runtime-deadline-ms': String(running.deadline),
    });
    idle.end(running.event);
    idle = undefined;
  };
  const end = (error?: string) => {
    running?.end(error);
    running = undefined;
  };
  const handlers: readonly (readonly [RegExp, Handler])[] = [
    [
      /^GET \/2018-06-01\/runtime\/invocation\/next$/,
      (_request, response) => {
        idle = response;
        give();
      },
    ],
    [
      /^POST \/2018-06-01\/runtime\/invocation\/([^/]+)\/response$/,
      async (request, response, id) => {
        const isStreamed = request.headers['lambda-runtime-function-response-mode'] === 'streaming';
        if (id !== running?.id || !isStreamed || request.headers['transfer-encoding'] !== 'chunked') {
          return void response.writeHead(400).end();
        }
        for await (const chunk of request) running?.write(chunk as Buffer);
        response.writeHead(202).end();
        end();
      },
    ],
    [
      /^POST \/2018-06-01\/runtime\/invocation\/([^/]+)\/error$/,
      async (request, response) => {
        const problem = await text(request);
        response.writeHead(202).end();
        end(problem);
      },
    ],
    [
      /^POST \/2018-06-01\/runtime\/(init)\/error$/,
      async (request, response) => {
        refusals.push((JSON.parse(await text(request)) as { errorMessage: string }).errorMessage);
        response.writeHead(202).end();
      },
    ],
  ];
  const server = createServer((request, response) => {
    const { socket } = request;
    const asked = `${request.method} ${request.url}`;
    const found = handlers.find(([sign]) => sign.test(asked));
    const [, id = ''] = found?.[0].exec(asked) ?? [];
    // One of the two has broken off in the middle of an answer.
    Promise.resolve(found?.[1](request, response, id)).catch(() => {
      socket.destroy();
      end();
    });
    if (found === undefined) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const child = start({ ...ENVIRONMENT, AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}` });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    refusals,
    ended,
    invoke: (event, sink, milliseconds = 900_000) => {
      waiting.push({ id: randomUUID(), event, deadline: Date.now() + milliseconds, ...sink });
      give();
    },
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
