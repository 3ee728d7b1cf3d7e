import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** What a command may do with the world it was started in. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Paths of the user are relative to it. */
  readonly cwd: string;
  readonly input: NodeJS.ReadableStream;
  /** Somebody sits there and can be asked. */
  readonly isInteractive: boolean;
  readonly hasColour: boolean;
  /** Ends with the user's Ctrl-C. */
  readonly signal: AbortSignal;
  /** Writes to the standard output, as it is; resolves when more may be written. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Writes one line to the standard error. */
  tell(line: string): void;
  /** Asks the user; what is typed to a hidden question is not shown. */
  ask(question: string, how?: { readonly isHidden: boolean }): Promise<string>;
}

const COLOURS = { red: 31, green: 32, yellow: 33, cyan: 36, grey: 90 } as const;
export type Colour = keyof typeof COLOURS;

/** The text in a colour, on a terminal that shows colours and where `NO_COLOR` is not set. */
export function paint({ hasColour }: Pick<Terminal, 'hasColour'>, colour: Colour, text: string): string {
  return hasColour ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text;
}

/** Everything that the input holds, as bytes. */
export async function readInput({ input }: Pick<Terminal, 'input'>): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = [];
  for await (const part of input) parts.push(typeof part === 'string' ? Buffer.from(part) : part);
  return Buffer.concat(parts);
}

async function ask(question: string, isHidden: boolean): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: isHidden ? nowhere : process.stderr, terminal: true });
  const ended = new AbortController();
  lines.once('close', () => ended.abort());
  lines.once('SIGINT', () => {
    lines.close();
    // The keyboard's Ctrl-C is a letter here; it means what it means elsewhere.
    process.kill(process.pid, 'SIGINT');
  });
  const [answer] = (await once(lines, 'line', { signal: ended.signal }).catch(() => [''])) as [string];
  lines.close();
  if (isHidden) process.stderr.write('\n');
  return answer;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const interrupt = new AbortController();
  // The second Ctrl-C finds no listener and ends the process at once.
  process.once('SIGINT', () => interrupt.abort());
  const { NO_COLOR, TERM } = process.env;
  return {
    env: process.env,
    cwd: process.cwd(),
    input: process.stdin,
    isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    hasColour: process.stdout.isTTY === true && (NO_COLOR ?? '') === '' && TERM !== 'dumb',
    signal: interrupt.signal,
    write: async (chunk) => {
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
    },
    tell: (line) => void process.stderr.write(`${line}\n`),
    ask: (question, { isHidden } = { isHidden: false }) => ask(question, isHidden),
  };
}
