import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { PACKAGE_FOLDER } from '../../../lib/adapters/portable/package.ts';
import type { Terminal } from '../shell/terminal.ts';

/** A call of the command line in a process of its own. */
export interface ChildCall {
  readonly args: readonly string[];
  readonly env: Terminal['env'];
  /** Kills the process when it is aborted. */
  readonly signal: AbortSignal;
  /** The time after which the process is killed, milliseconds. */
  readonly timeoutMs: number;
}

/** How the process ended. */
export interface Ended {
  readonly isSuccess: boolean;
  readonly out: string;
  readonly err: string;
  /** Why it was killed; undefined: it ended by itself. */
  readonly killed?: string | undefined;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAX_HEAP_MB = 512;

/** The service runs only in a clone, which has it. */
const PROGRAM = join(PACKAGE_FOLDER, 'bin', 'weft.mjs');

const OPTIONS = ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${MAX_HEAP_MB}`];

/** For what the process printed last. */
const GRACE_MS = 1_000;

/** Kills a process with those that it started; no error if they have ended. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Calls `onExcess` once there are too many bytes. Returns what reads the text so far. */
function collect(stream: Readable, onExcess: () => void): () => string {
  const pieces: Buffer[] = [];
  let size = 0;
  stream.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size <= MAX_OUTPUT_BYTES) pieces.push(piece);
    else onExcess();
  });
  return () => Buffer.concat(pieces).toString();
}

async function runIn(folder: string, { args, env, signal, timeoutMs }: ChildCall): Promise<Ended> {
  const child = spawn(process.execPath, [...OPTIONS, PROGRAM, ...args], {
    cwd: '/',
    env: { ...env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, which can be killed as a whole.
    detached: true,
  });
  let killed: string | undefined;
  const kill = (why: string) => {
    killed ??= why;
    killGroup(child);
  };
  const excess = () => kill(`its output is longer than ${MAX_OUTPUT_BYTES / 1024 ** 2} MiB`);
  const [out, err] = [collect(child.stdout, excess), collect(child.stderr, excess)];
  const stop = () => kill('it was stopped');
  const timer = setTimeout(() => kill(`no end within ${timeoutMs / 60_000} minutes`), timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  child.once('exit', () => {
    killGroup(child);
    // A program that left the group, such as a shared connection of ssh, may keep the streams open.
    setTimeout(() => [child.stdout, child.stderr].map((stream) => stream.destroy()), GRACE_MS).unref();
  });
  try {
    const code = await ended;
    return { isSuccess: code === 0, out: out(), err: err(), killed };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/**
 * Calls the command line in a process of its own, which is killed with its children after the time, when the signal is
 * aborted, and when it prints more than 16 MiB; its temporary files are deleted. Throws Error if it cannot be started.
 */
export async function runChild(call: ChildCall): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-follow-'));
  try {
    return await runIn(folder, call);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
