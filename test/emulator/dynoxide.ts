import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type EndpointOptions,
  type EndpointTable,
  openEndpointTable,
} from '../../lib/adapters/local/endpoint/tables.ts';
import { UnavailableError } from './python-packages.ts';

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL('dynoxide/', import.meta.url));
const FOLDER = join(tmpdir(), 'weft-dynoxide-1.2.1');
const BINARY = join(FOLDER, 'node_modules/@dynoxide/linux-x64/dynoxide');
const INSTALLING_MS = 120_000;
const STARTING_MS = 15_000;
/** A free port is reserved and released before its use, so another process may take it. */
const MAX_ATTEMPTS = 5;

/** Installs the emulator into a separate folder, once for all later tests. Throws UnavailableError. */
async function install(): Promise<void> {
  if (existsSync(BINARY)) return;
  const system = `${process.platform}-${process.arch}`;
  if (system !== 'linux-x64')
    throw new UnavailableError(`the DynamoDB emulator of the tests does not run on ${system}`);
  const partial = await mkdtemp(`${FOLDER}-`);
  try {
    await cp(PACKAGE, partial, { recursive: true });
    await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: partial, timeout: INSTALLING_MS });
    // Another test may have installed it meanwhile.
    await rename(partial, FOLDER).catch(() => rm(partial, { recursive: true }));
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw new UnavailableError(
      `npm could not install the DynamoDB emulator: ${(error as Error).message.split('\n').at(-1)}`,
    );
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

/** A DynamoDB that accepts only connections from this machine, and ends with this process. */
export interface Emulator {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Whether it printed that it listens; false when it ended before. */
function listens(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    let text = '';
    const late = setTimeout(() => resolve(false), STARTING_MS);
    child.stderr?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      if (/listening on/i.test(text)) resolve(true);
    });
    child.once('exit', () => resolve(false));
    child.once('exit', () => clearTimeout(late));
  });
}

/** Starts a DynamoDB emulator in memory (dynoxide). Throws UnavailableError where there is none for the system. */
export async function startDynoxide(): Promise<Emulator> {
  await install();
  for (let tries = 1; ; tries++) {
    const port = await freePort();
    const args = ['serve', '--host', '127.0.0.1', '--port', String(port)];
    const child = spawn(BINARY, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    const ended = once(child, 'exit');
    const close = async () => {
      process.off('exit', kill);
      kill();
      await ended;
    };
    if (await listens(child)) return { endpoint: `http://127.0.0.1:${port}`, close };
    await close();
    if (tries === MAX_ATTEMPTS) throw new Error('the DynamoDB emulator did not start');
  }
}

/** The tables of a separate emulator, through the AWS SDK. */
export interface EmulatedTable extends EndpointTable {
  readonly endpoint: string;
}

/** Starts an emulator with the tables in it. Throws UnavailableError. */
export async function openEmulatedTable(options: Omit<EndpointOptions, 'endpoint'> = {}): Promise<EmulatedTable> {
  const emulator = await startDynoxide();
  const opened = await openEndpointTable({ ...options, endpoint: emulator.endpoint });
  const close = async () => {
    await opened.close();
    await emulator.close();
  };
  return { table: opened.table, endpoint: emulator.endpoint, close };
}
