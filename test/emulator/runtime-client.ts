import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UnavailableError } from './python-packages.ts';

const PACKAGE = 'aws-lambda-ric@4.0.2';
/** It compiles a native part. */
const MAX_INSTALL_MS = 600_000;
const TICKS_PER_SECOND = 100;

/**
 * Installs the code that runs handlers on Lambda, and returns the path of its program.
 * @throws UnavailableError without a registry or a compiler.
 */
export async function installRuntimeClient(): Promise<string> {
  const folder = join(tmpdir(), `weft-${PACKAGE.replace('@', '-')}`);
  const program = join(folder, 'node_modules', 'aws-lambda-ric', 'index.mjs');
  if (existsSync(program)) return program;
  const partial = await mkdtemp(`${folder}-`);
  try {
    const flags = ['--no-audit', '--no-fund', '--foreground-scripts'];
    await promisify(execFile)('npm', ['install', '--prefix', partial, ...flags, PACKAGE], { timeout: MAX_INSTALL_MS });
    await rename(partial, folder).catch(() => rm(partial, { recursive: true }));
    return program;
  } catch (error) {
    await rm(partial, { recursive: true });
    throw new UnavailableError(`npm could not install ${PACKAGE}: ${(error as Error).message.split('\n')[0]}`);
  }
}

/** The cost of the start of a function, until it asks for its first event. */
export interface ColdStart {
  /** Milliseconds of processor time. */
  readonly cpuMs: number;
  /** Resident bytes. */
  readonly memory: number;
}

/** The answer of a function to a call, as the Runtime API received it. */
export interface Answer {
  readonly kind: 'response' | 'error';
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The pieces in which the body came. */
  readonly pieces: number;
  /** The trailers after a streamed body: the error that ended it, if there was one. */
  readonly trailers: NodeJS.Dict<string>;
}

/** A call that waits until the function asks for one. */
interface Call {
  readonly id: string;
  readonly event: object;
  readonly answered: PromiseWithResolvers<Answer>;
}

/** Milliseconds that a function has for a call. */
const CALL_MS = 60_000;

async function answerOf(request: IncomingMessage, kind: Answer['kind']): Promise<Answer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const { headers, trailers } = request;
  return { kind, headers, body: Buffer.concat(pieces), pieces: pieces.length, trailers };
}

/** The Runtime API of Lambda (AWS: "Using the Lambda runtime API for custom runtimes"), for one function. */
class RuntimeApi {
  /** Resolves when the function asks for its first call. Rejects with the error that it reports instead. */
  readonly asked = Promise.withResolvers<void>();
  readonly #calls = new Map<string, Call>();
  readonly #waiting: Call[] = [];
  #next: ServerResponse | undefined;
  readonly server = createServer((request, response) => this.#serve(request, response));

  /** Passes an event to the function when it asks for one. */
  call(event: object): Promise<Answer> {
    const call = { id: randomUUID(), event, answered: Promise.withResolvers<Answer>() };
    this.#calls.set(call.id, call);
    this.#waiting.push(call);
    this.#dispatch();
    return call.answered.promise;
  }

  /** Rejects the waiting calls, since the function has ended. */
  fail(error: Error): void {
    this.asked.reject(error);
    for (const { answered } of this.#calls.values()) answered.reject(error);
  }

  #dispatch(): void {
    const call = this.#next === undefined ? undefined : this.#waiting.shift();
    if (call === undefined || this.#next === undefined) return;
    const body = Buffer.from(JSON.stringify(call.event));
    this.#next.writeHead(200, {
      'content-type': 'application/json',
      'content-length': body.length,
      'lambda-runtime-aws-request-id': call.id,
      'lambda-runtime-deadline-ms': String(Date.now() + CALL_MS),
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:eu-test-1:123456789012:function:weft',
      'lambda-runtime-trace-id': 'Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0',
    });
    this.#next.end(body);
    this.#next = undefined;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, id = '', kind = ''] =
      /\/runtime\/(?:invocation\/)?([^/]+)(?:\/(response|error))?$/.exec(request.url ?? '') ?? [];
    if (id === 'next') {
      this.#next = response;
      this.asked.resolve();
      return this.#dispatch();
    }
    const answer = await answerOf(request, kind === 'response' ? 'response' : 'error');
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"status":"OK"}');
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (call === undefined) this.asked.reject(new Error(answer.body.toString()));
    else call.answered.resolve(answer);
  }
}

/** A function in the process in which Lambda runs it: AWS's runtime client over a Runtime API of our own. */
export class RunningFunction {
  readonly coldStart: ColdStart;
  /** Calls the function. Rejects when its process ends. */
  readonly call: (event: object) => Promise<Answer>;
  readonly close: () => Promise<void>;

  private constructor(coldStart: ColdStart, { call, close }: Pick<RunningFunction, 'call' | 'close'>) {
    this.coldStart = coldStart;
    this.call = call;
    this.close = close;
  }

  /** Starts `index.handler` of a bundle; `more` is added to the environment. Throws Error when it does not ask for an event: the message has its output. */
  static async start(
    program: string,
    bundle: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<RunningFunction> {
    const api = new RuntimeApi();
    api.server.listen(0, '127.0.0.1');
    await once(api.server, 'listening');
    const { port } = api.server.address() as AddressInfo;
    const env = {
      ...process.env,
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
      AWS_LAMBDA_FUNCTION_NAME: 'weft',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
      // Without them the client ends at the first call.
      AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/weft',
      AWS_LAMBDA_LOG_STREAM_NAME: 'stream',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      LAMBDA_TASK_ROOT: bundle,
      _HANDLER: 'index.handler',
      NODE_OPTIONS: '',
      ...more,
    };
    const child = spawn(process.execPath, [program, 'index.handler'], { cwd: bundle, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
    const ended = once(child, 'exit');
    ended.then(() => api.fail(new Error(`the function ended: ${output.slice(-2000)}`)));
    const close = async (): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
      api.server.closeAllConnections();
      api.server.close();
    };
    try {
      await api.asked.promise;
      return new RunningFunction(coldStartOf(child.pid ?? 0), { call: (event) => api.call(event), close });
    } catch (error) {
      await close();
      throw error;
    }
  }
}

/** The cost of a process so far, from the files of Linux. */
function coldStartOf(pid: number): ColdStart {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  const resident = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  return { cpuMs: ((user + system) * 1000) / TICKS_PER_SECOND, memory: resident };
}
