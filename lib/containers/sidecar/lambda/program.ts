import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Output from just before the end may arrive a moment after it. */
const LAST_OUTPUT_MS = 200;
const MAX_OUTPUT = 2_000;
const OUT_OF_MEMORY = 'SIGKILL';

/** How a program ended. */
export interface ProgramExit {
  /** The exit code or the signal, in words for the user; empty if the program could not be started. */
  readonly how: string;
  /** The last line of its output, or why it could not be started. */
  readonly lastLine: string;
}

/** The exit of a program in words for the user; `when` is the phase of the call, such as `before it answered`. */
export function describeExit({ how, lastLine }: ProgramExit, when: string): string {
  const problem = how === '' ? 'the container could not be started' : `${how} ${when}`;
  return `${problem}${lastLine === '' ? '' : `: ${lastLine}`}`;
}

/** The program of a container, as a child process. Its output becomes the output of this process. */
export class Program {
  /** Resolves when the program has ended, or could not be started. */
  readonly ended: Promise<ProgramExit>;
  readonly #child: ChildProcess | undefined;
  #output = '';

  constructor([program = '', ...args]: readonly string[], environment: NodeJS.ProcessEnv) {
    try {
      // A process group of its own, so that its children can be killed with it.
      this.#child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    } catch (error) {
      // The file is not executable, such as a script that does not name its interpreter.
      const { code, message } = error as NodeJS.ErrnoException;
      this.ended = Promise.resolve({ how: '', lastLine: `spawn ${program} ${code ?? message}` });
      return;
    }
    this.#forward(this.#child.stdout, process.stdout);
    this.#forward(this.#child.stderr, process.stderr);
    this.ended = this.#exit(this.#child);
  }

  /** Sends a signal to the program and all its children. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      // The process group has ended, or a process in it runs as another user.
      if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }

  async #exit(child: ChildProcess): Promise<ProgramExit> {
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const how = await new Promise<string>((resolve) => {
      child.once('error', ({ message }) => {
        this.#output = message;
        resolve('');
      });
      child.once('exit', (code, signal) => resolve(describeEnd(code, signal)));
    });
    await Promise.race([closed, sleep(LAST_OUTPUT_MS)]);
    return { how, lastLine: this.#output.trim().split('\n').at(-1) ?? '' };
  }

  #forward(from: NodeJS.ReadableStream | null, to: NodeJS.WritableStream): void {
    from?.on('data', (chunk: Buffer) => {
      this.#output = (this.#output + chunk.toString('utf8')).slice(-MAX_OUTPUT);
      to.write(chunk);
    });
  }
}

function describeEnd(code: number | null, signal: string | null): string {
  if (signal === null) return `the container ended with exit code ${code}`;
  const guess = signal === OUT_OF_MEMORY ? ' (perhaps out of memory)' : '';
  return `the container was ended by ${signal}${guess}`;
}
