import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
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

/** What the start of a function costs, until it asks for its first event. */
export interface ColdStart {
  /** Milliseconds of processor time. */
  readonly cpuMs: number;
  /** Resident bytes. */
  readonly memory: number;
}

/** A function in the process in which Lambda runs it: AWS's runtime client over a Runtime API of our own. */
export class RunningFunction {
  readonly coldStart: ColdStart;
  readonly close: () => Promise<void>;

  private constructor(coldStart: ColdStart, close: () => Promise<void>) {
    this.coldStart = coldStart;
    this.close = close;
  }

  /** Starts `index.handler` of a bundle. Throws Error when it does not ask for an event: the message has its output. */
  static async start(program: string, bundle: string): Promise<RunningFunction> {
    const asked = Promise.withResolvers<void>();
    const server = createServer(async (request, response) => {
      if (request.url?.endsWith('/invocation/next') === true) return asked.resolve();
      const body = await buffer(request);
      response.writeHead(202).end('{}');
      asked.reject(new Error(body.toString()));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const env = {
      ...process.env,
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
      AWS_LAMBDA_FUNCTION_NAME: 'weft',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      LAMBDA_TASK_ROOT: bundle,
      _HANDLER: 'index.handler',
      NODE_OPTIONS: '',
    };
    const child = spawn(process.execPath, [program, 'index.handler'], { cwd: bundle, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
    const ended = once(child, 'exit');
    ended.then(() => asked.reject(new Error(`the function ended: ${output.slice(-2000)}`)));
    const close = async (): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
      server.closeAllConnections();
      server.close();
    };
    try {
      await asked.promise;
      return new RunningFunction(coldStartOf(child.pid ?? 0), close);
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
