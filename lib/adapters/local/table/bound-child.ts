import { type ChildProcess, spawn } from 'node:child_process';
import { basename } from 'node:path';

/** A process that ends when this one does, even when this one is killed. */
export interface BoundChild {
  readonly pid: number | undefined;
  /** Settles when it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** True as soon as its error output matches; false when it ended, or let so many milliseconds pass, before that. */
  says(pattern: RegExp, milliseconds: number): Promise<boolean>;
  /** The end of its error output. */
  lastWords(): string;
  /** Asks it to end, insists after five seconds, and waits until it has ended. */
  end(): Promise<void>;
}

/**
 * The program takes the shell's place, so it has the shell's process id; what stays behind waits for the end of our
 * pipe, which the system closes when we die. It ends the program only if the id still is the program's.
 */
const SCRIPT = `exec 3<&0
(
  read -r line <&3
  read -r name </proc/$$/comm
  case "$name" in sh | "$0") kill $$ ;; esac
) >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

const LONGEST_END_MS = 5_000;
const MOST_WORDS = 2_000;
/** The system cuts a process's name here. */
const LONGEST_COMM = 15;

/** Starts the program in a session of its own, so that a ^C in the terminal reaches this process only. */
export function spawnBound(program: string, args: readonly string[]): BoundChild {
  const comm = basename(program).slice(0, LONGEST_COMM);
  const child = spawn('/bin/sh', ['-c', SCRIPT, comm, program, ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-MOST_WORDS);
  });
  // A child that is gone takes no more input, which is no error of ours.
  child.stdin.on('error', () => undefined);
  const ended = endOf(child, (error) => {
    words += error.message;
  });
  return {
    pid: child.pid,
    ended,
    lastWords: () => words.trim(),
    says: (pattern, milliseconds) => hear(child, ended, () => pattern.test(words), milliseconds),
    async end() {
      child.kill('SIGTERM');
      const insist = setTimeout(() => child.kill('SIGKILL'), LONGEST_END_MS);
      await ended;
      clearTimeout(insist);
    },
  };
}

function endOf(child: ChildProcess, onError: (error: Error) => void): Promise<void> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      onError(error);
      if (child.pid === undefined) resolve();
    });
    child.once('exit', () => {
      child.stdin?.destroy();
      // Its last words may still be on their way.
      if (child.stderr?.readableEnded) resolve();
      else child.stderr?.once('close', () => resolve());
    });
  });
}

function hear(
  child: ChildProcess,
  ended: Promise<void>,
  isSaid: () => boolean,
  milliseconds: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const timeout = setTimeout(() => settle(false), milliseconds);
    const listen = () => {
      if (isSaid()) settle(true);
    };
    const settle = (isHeard: boolean) => {
      clearTimeout(timeout);
      child.stderr?.off('data', listen);
      resolve(isHeard);
    };
    child.stderr?.on('data', listen);
    ended.then(() => settle(false));
    listen();
  });
}
