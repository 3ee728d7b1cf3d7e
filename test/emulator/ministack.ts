import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPackage } from './python-packages.ts';

/** An emulator of AWS (PyPI, MIT licence). The version is pinned because each version has other bugs. */
const PACKAGE = 'ministack==1.5.33';
const MAX_START_MS = 20_000;
const MAX_STOP_MS = 5_000;

/**
 * The program ends when its input is closed: with the process that started it, even if that is killed. With FAIL_TASKS a task
 * that waits for its token fails when the function that received the token fails, as in Step Functions; the emulator alone
 * lets it wait for ever.
 */
const LAUNCH = `
import os, runpy, sys, threading
def end():
    sys.stdin.read()
    os.kill(os.getpid(), 15)
threading.Thread(target=end, daemon=True).start()
def fail_tasks():
    from ministack.services import stepfunctions
    call = stepfunctions._call_lambda
    def call_for_task(function, payload):
        try:
            return call(function, payload)
        except stepfunctions._ExecutionError as error:
            token = payload.get('token') if isinstance(payload, dict) else None
            task = stepfunctions._task_tokens.get(token) if token else None
            if task:
                task['error'] = {'Error': error.error, 'Cause': error.cause}
                task['event'].set()
            raise
    stepfunctions._call_lambda = call_for_task
if os.environ.pop('FAIL_TASKS', ''):
    fail_tasks()
runpy.run_module('ministack', run_name='__main__', alter_sys=True)
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

async function waitUntilReady(url: string, child: ChildProcess, output: Promise<string>): Promise<void> {
  const end = performance.now() + MAX_START_MS;
  while (performance.now() < end) {
    if (child.exitCode !== null) throw new Error(`the emulator ended at once: ${await output}`);
    const health = await fetch(`${url}/_ministack/health`).catch(() => undefined);
    if (health?.ok) return;
    await sleep(50);
  }
  throw new Error(`the emulator did not answer within ${MAX_START_MS} ms`);
}

/** A running emulator. */
export interface MiniStack {
  readonly url: string;
  /** Stops it and the functions that it started, and removes its files. */
  stop(): Promise<void>;
}

/** How the emulator runs. */
export interface MiniStackOptions {
  /** The factor by which the waits and retry delays of state machines are multiplied; 0.01 if not given. */
  readonly waitScale?: number;
  /** The endpoint of AWS for functions; the emulator itself if not given. */
  readonly functionEndpoint?: string;
  /** A task that waits for its token fails with the function that received the token, as in Step Functions. */
  readonly failsTasks?: boolean;
}

/**
 * Starts the emulator as a process on loopback.
 * @throws UnavailableError when it cannot be installed.
 */
export async function startMiniStack({
  waitScale = 0.01,
  functionEndpoint,
  failsTasks = false,
}: MiniStackOptions = {}): Promise<MiniStack> {
  const { python, packages } = await installPackage(PACKAGE);
  const [port, folder] = await Promise.all([freePort(), mkdtemp(join(tmpdir(), 'weft-emulator-'))]);
  const child = spawn(python, ['-c', LAUNCH], {
    cwd: folder,
    env: {
      // The emulator runs functions with the Node of these tests.
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: folder,
      TMPDIR: folder,
      PYTHONPATH: packages,
      PYTHONDONTWRITEBYTECODE: '1',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      LOG_LEVEL: 'ERROR',
      LAMBDA_WARM_TTL_SECONDS: '5',
      SFN_WAIT_SCALE: String(waitScale),
      ...(failsTasks ? { FAIL_TASKS: '1' } : {}),
      ...(functionEndpoint === undefined ? {} : { AWS_ENDPOINT_URL: functionEndpoint }),
    },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit');
  const output = text(child.stderr);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    // It would wait for executions that wait.
    const kill = setTimeout(() => child.kill('SIGKILL'), MAX_STOP_MS);
    await exit;
    clearTimeout(kill);
    await rm(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitUntilReady(url, child, output);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
