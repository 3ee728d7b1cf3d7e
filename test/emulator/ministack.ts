import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An emulator of AWS that nobody here wrote (PyPI, MIT licence), pinned because each version has other bugs. */
const PACKAGE = 'ministack==1.5.33';
const INSTALLING_MS = 120_000;
const STARTING_MS = 20_000;

/** It ends when its input does: with the process that started it, even if that is killed. */
const LAUNCH = `
import os, runpy, sys, threading
def end():
    sys.stdin.read()
    os.kill(os.getpid(), 15)
threading.Thread(target=end, daemon=True).start()
runpy.run_module('ministack', run_name='__main__', alter_sys=True)
`;

/** The emulator cannot be had on this machine, and why. */
export class Unavailable extends Error {}

const lastLine = (error: unknown): string => {
  const { stderr, message } = error as { readonly stderr?: string; readonly message: string };
  return (stderr?.trim() || message).split('\n').at(-1) ?? '';
};

interface Installed {
  readonly python: string;
  /** The folder of its packages. */
  readonly packages: string;
}

/** Fills a folder with its Python packages, once for all later tests. Throws Unavailable. */
async function install(): Promise<Installed> {
  const asked = ['-c', 'import sys; print(sys.executable, "%d.%d" % sys.version_info[:2], sep="\\n")'];
  const found = await run('python3', asked).catch((error: unknown) => {
    throw new Unavailable(`there is no python3: ${lastLine(error)}`);
  });
  const [python = '', version = ''] = found.stdout.split('\n');
  const packages = join(tmpdir(), `weft-${PACKAGE.replace('==', '-')}-python-${version}`);
  if (!existsSync(packages)) await fill(packages, python);
  return { python, packages };
}

async function fill(folder: string, python: string): Promise<void> {
  const partial = await mkdtemp(`${folder}-`);
  const flags = ['--quiet', '--disable-pip-version-check', '--only-binary=:all:', '--timeout=10', '--retries=1'];
  try {
    await run(python, ['-m', 'pip', 'install', ...flags, '--target', partial, PACKAGE], { timeout: INSTALLING_MS });
    // Another test may have been quicker.
    await rename(partial, folder).catch(() => rm(partial, { recursive: true }));
  } catch (error) {
    await rm(partial, { recursive: true });
    throw new Unavailable(`pip could not install ${PACKAGE}: ${lastLine(error)}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

async function ready(url: string, child: ChildProcess, output: Promise<string>): Promise<void> {
  const end = performance.now() + STARTING_MS;
  while (performance.now() < end) {
    if (child.exitCode !== null) throw new Error(`the emulator ended at once: ${await output}`);
    const health = await fetch(`${url}/_ministack/health`).catch(() => undefined);
    if (health?.ok) return;
    await sleep(50);
  }
  throw new Error(`the emulator did not answer within ${STARTING_MS} ms`);
}

export interface MiniStack {
  readonly url: string;
  /** Ends it and whatever it started, and removes its files. */
  stop(): Promise<void>;
}

/**
 * Starts the emulator in a process of its own, open to this machine only. Waits and pauses before retries take a
 * hundredth of their time. Throws Unavailable when it cannot be installed.
 */
export async function startMiniStack(): Promise<MiniStack> {
  const { python, packages } = await install();
  const [port, folder] = await Promise.all([freePort(), mkdtemp(join(tmpdir(), 'weft-emulator-'))]);
  const child = spawn(python, ['-c', LAUNCH], {
    cwd: folder,
    env: {
      // Functions run on the Node of these tests.
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
      SFN_WAIT_SCALE: '0.01',
    },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit');
  const output = text(child.stderr);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exit;
    await rm(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await ready(url, child, output);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
