import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installPackage } from './python-packages.ts';

/** An emulator of AWS (PyPI, MIT licence). The version is pinned because each version has other bugs. */
const PACKAGE = 'ministack==1.5.33';
const MAX_START_MS = 20_000;
const MAX_STOP_MS = 5_000;

/** It starts the emulator with corrections, and ends with this process. */
const LAUNCH = fileURLToPath(new URL('launch.py', import.meta.url));

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
}

/**
 * Starts the emulator as a process on loopback.
 * @throws UnavailableError when it cannot be installed.
 */
export async function startMiniStack({
  waitScale = 0.01,
  functionEndpoint,
}: MiniStackOptions = {}): Promise<MiniStack> {
  const { python, packages } = await installPackage(PACKAGE);
  const [port, folder] = await Promise.all([freePort(), mkdtemp(join(tmpdir(), 'weft-emulator-'))]);
  const child = spawn(python, [LAUNCH], {
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
      ...(functionEndpoint === undefined ? {} : { AWS_ENDPOINT_URL: functionEndpoint }),
    },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit');
  const output = text(child.stderr);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    // Otherwise the emulator waits for executions that wait.
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
