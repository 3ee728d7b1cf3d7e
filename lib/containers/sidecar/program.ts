import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** What was written just before the end may come a moment after it. */
const LAST_OUTPUT_MS = 200;
const MOST_WORDS = 2_000;
const OUT_OF_MEMORY = 'SIGKILL';

/** How a program came to its end. */
export interface Ending {
  readonly how: string;
  /** Its last line, or why it could not be started. */
  readonly last: string;
}

/** An end in words for the user. */
export function told({ how, last }: Ending, when: string): string {
  return `${how === '' ? 'the container could not be started' : `${how} ${when}`}${last === '' ? '' : `: ${last}`}`;
}

/** The function's own program, as a child whose output is ours. */
export class Program {
  /** Resolves when it has ended, or could not be started. */
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess | undefined;
  #words = '';

  constructor([program = '', ...args]: readonly string[], environment: NodeJS.ProcessEnv) {
    try {
      // A group of its own, so that nothing of it is left in the way of the next.
      this.#child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    } catch (error) {
      // A file that is there and no program, such as a script that does not name its interpreter.
      const { code, message } = error as NodeJS.ErrnoException;
      this.ended = Promise.resolve({ how: '', last: `spawn ${program} ${code ?? message}` });
      return;
    }
    this.#passOn(this.#child.stdout, process.stdout);
    this.#passOn(this.#child.stderr, process.stderr);
    this.ended = this.#end(this.#child);
  }

  /** Sends it, and all that it started, a signal. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      // There is nobody any more, or somebody who got away.
      if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }

  async #end(child: ChildProcess): Promise<Ending> {
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const how = await new Promise<string>((resolve) => {
      child.once('error', ({ message }) => {
        this.#words = message;
        resolve('');
      });
      child.once('exit', (code, signal) => resolve(endWords(code, signal)));
    });
    await Promise.race([closed, sleep(LAST_OUTPUT_MS)]);
    return { how, last: this.#words.trim().split('\n').at(-1) ?? '' };
  }

  #passOn(from: NodeJS.ReadableStream | null, to: NodeJS.WritableStream): void {
    from?.on('data', (chunk: Buffer) => {
      this.#words = (this.#words + chunk.toString('utf8')).slice(-MOST_WORDS);
      to.write(chunk);
    });
  }
}

function endWords(code: number | null, signal: string | null): string {
  if (signal === null) return `the container ended with exit code ${code}`;
  const guess = signal === OUT_OF_MEMORY ? ' (perhaps out of memory)' : '';
  return `the container was ended by ${signal}${guess}`;
}
