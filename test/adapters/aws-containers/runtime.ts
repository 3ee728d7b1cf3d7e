/**
 * Lambda's side of an execution environment: the Runtime API and the Extensions API, as far as AWS's adapter uses them,
 * and the adapter itself as a process beside a container's own program.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const PROGRAM = process.env['LAMBDA_ADAPTER'] ?? 'lambda-adapter';

/** Why the adapter cannot be had here, in words for a skipped test; undefined: it can. */
export const missingAdapter: string | undefined =
  spawnSync(PROGRAM, [], { timeout: 1, env: {} }).error?.message.includes('ENOENT') === true
    ? 'there is no lambda-adapter on the path, nor named in LAMBDA_ADAPTER (cargo install lambda_web_adapter makes one)'
    : undefined;

export interface Runtime {
  /** Hands an event to the adapter; what Lambda would answer whoever invoked the function. */
  invoke(event: object): Promise<{ readonly payload: string; readonly isError: boolean }>;
  close(): Promise<void>;
}

interface Invocation {
  readonly id: string;
  readonly event: object;
  readonly settle: (told: { readonly payload: string; readonly isError: boolean }) => void;
}

type Start = (env: Readonly<Record<string, string>>) => ChildProcess;

const startHere: Start = (env) => spawn(PROGRAM, [], { env, stdio: 'ignore' });

/** The program's file; undefined where it is not named by its path. */
export const adapterFile: string | undefined = PROGRAM.includes('/') ? PROGRAM : undefined;

/** The environment of the function is as in Lambda, but for the port of the container's program. */
export async function startRuntime(
  settings: Readonly<Record<string, string>>,
  port: number,
  start: Start = startHere,
): Promise<Runtime> {
  const waiting: Invocation[] = [];
  const running = new Map<string, Invocation>();
  let idle: ServerResponse | undefined;
  const give = () => {
    const next = idle === undefined ? undefined : waiting.shift();
    if (next === undefined) return;
    running.set(next.id, next);
    idle?.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': next.id,
      'lambda-runtime-deadline-ms': String(Date.now() + 900_000),
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:eu-test-1:123456789012:function:fast:1',
      'lambda-runtime-trace-id': 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0',
    });
    idle?.end(JSON.stringify(next.event));
    idle = undefined;
  };
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    if (path === '/2020-01-01/extension/register') {
      response.writeHead(200, { 'Lambda-Extension-Identifier': randomUUID() }).end('{}');
    } else if (path === '/2018-06-01/runtime/invocation/next') {
      idle = response;
      give();
    } else if (path.startsWith('/2018-06-01/runtime/invocation/')) {
      const [id = '', kind] = path.split('/').slice(-2);
      running.get(id)?.settle({ payload: await text(request), isError: kind === 'error' });
      response.writeHead(202).end();
    }
    // Who waits for the next event of an extension waits for good.
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  const lambda = { AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${own}`, AWS_LAMBDA_FUNCTION_NAME: 'fast' };
  const more = { AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512', AWS_LAMBDA_FUNCTION_VERSION: '1' };
  const logs = { AWS_LAMBDA_LOG_STREAM_NAME: 's', AWS_LAMBDA_LOG_GROUP_NAME: 'g' };
  const env = { ...lambda, ...more, ...logs, ...settings, AWS_LWA_PORT: String(port) };
  const child = start(env);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    invoke: (event) =>
      new Promise((settle) => {
        waiting.push({ id: randomUUID(), event, settle });
        give();
      }),
    close: async () => {
      child.kill('SIGKILL');
      await ended;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
