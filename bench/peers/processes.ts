import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Runs a program to its end and returns its output. Rejects if it fails. */
export const runProgram = promisify(execFile);

/** A free port of the loopback interface. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

const READY_MS = 60_000;

/** Repeats an attempt until it returns true. An attempt that throws counts as false. Rejects after a minute. */
export async function until(what: string, attempt: () => Promise<boolean> | boolean, pauseMs = 50): Promise<void> {
  const latest = performance.now() + READY_MS;
  for (;;) {
    let cause: unknown;
    try {
      if (await attempt()) return;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > latest) throw new Error(`waited a minute for ${what}`, { cause });
    await setTimeout(pauseMs);
  }
}

/** A program that was started. */
export interface Program {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly end: () => Promise<void>;
}

/** Starts a program; only its errors are printed. `end` sends the signal and waits for the exit. */
export function startProgram(
  file: string,
  args: readonly string[],
  options: SpawnOptions = {},
  signal: NodeJS.Signals = 'SIGTERM',
): Program {
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  const exit = once(child, 'exit');
  const kill = () => child.kill(signal);
  process.once('exit', kill);
  return {
    pid: child.pid ?? -1,
    child,
    async end() {
      process.off('exit', kill);
      kill();
      await exit;
    },
  };
}

interface Stat {
  readonly parent: number;
  /** Processor time of the process and of the children that it has waited for, in ticks. */
  readonly ticks: number;
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].map((index) => Number(fields[index]));
    return { parent: Number(fields[1]), ticks: ticks.reduce((sum, one) => sum + one) };
  } catch {
    return undefined;
  }
}

/** The processes with these ids, and all below them. Empty where the system has no /proc. */
function treeOf(roots: readonly number[]): Map<number, Stat> {
  const all = new Map<number, Stat>();
  let names: string[] = [];
  try {
    names = readdirSync('/proc');
  } catch {
    // Not Linux: memory and processor time are unknown.
  }
  for (const pid of names.map(Number).filter((one) => one > 0)) {
    const stat = statOf(pid);
    if (stat !== undefined) all.set(pid, stat);
  }
  const isBelow = (pid: number): boolean => roots.includes(pid) || isBelowParent(all.get(pid)?.parent);
  const isBelowParent = (parent: number | undefined): boolean => parent !== undefined && parent > 0 && isBelow(parent);
  return new Map([...all].filter(([pid]) => isBelow(pid)));
}

const TICKS_PER_MS = 100 / 1000;

/** The processor time of these processes and all below them, milliseconds; NaN where there is no /proc. */
export function processorTimeOf(roots: readonly number[]): number {
  const stats = [...treeOf(roots).values()];
  return stats.length === 0 ? Number.NaN : stats.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_MS;
}

/** The memory of these processes and all below them, MiB, shared pages once; NaN where there is no /proc. */
export function memoryOf(roots: readonly number[]): number {
  const sizes = [...treeOf(roots).keys()].map((pid) => {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss: +(\d+)/m.exec(text)?.[1]) / 1024;
  });
  return sizes.length === 0 ? Number.NaN : sizes.reduce((sum, size) => sum + size);
}
