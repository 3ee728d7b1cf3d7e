import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** The environment of a command: variables, folder, streams. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The current folder, to which paths of the user are relative. */
  readonly cwd: string;
  readonly input: NodeJS.ReadableStream;
  /** The user can answer questions. */
  readonly isInteractive: boolean;
  readonly hasColour: boolean;
  /** The standard output is a terminal, which control characters would change. */
  readonly printsToTerminal?: boolean;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Writes to the standard output without a newline. Resolves when more can be written. */
  print(chunk: string | Uint8Array): Promise<void>;
  /** Writes one line to the standard error. */
  printStatus(line: string): void;
  /** Replaces the last line of the standard error; the empty text removes it. Absent where that is no terminal. */
  readonly drawStatus?: (line: string) => void;
  /** Asks the user. The answer to a hidden question is not displayed. */
  ask(question: string, how?: { readonly isHidden: boolean }): Promise<string>;
}

const COLOURS = { red: 31, green: 32, yellow: 33, cyan: 36, grey: 90 } as const;
export type Colour = keyof typeof COLOURS;

const codeOf = (number: number): string => `\u001b[${number}m`;

/** All codes that `paint` writes. */
export const PAINT_CODES: readonly string[] = [0, ...Object.values(COLOURS)].map(codeOf);

/** The text in a colour if the terminal has colours. */
export function paint({ hasColour }: Pick<Terminal, 'hasColour'>, colour: Colour, text: string): string {
  return hasColour ? `${codeOf(COLOURS[colour])}${text}${codeOf(0)}` : text;
}

/** All bytes of the standard input. */
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
    // readline reads Ctrl-C as a key press and sends no signal.
    process.kill(process.pid, 'SIGINT');
  });
  const [answer] = (await once(lines, 'line', { signal: ended.signal }).catch(() => [''])) as [string];
  lines.close();
  if (isHidden) process.stderr.write('\n');
  return answer;
}

/** Writes over the present line. */
const drawStatus = (line: string): void => void process.stderr.write(`\r\u001b[K${line}`);

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const interrupt = new AbortController();
  // A second Ctrl-C has no listener and ends the process at once.
  process.once('SIGINT', () => interrupt.abort());
  const { NO_COLOR, TERM } = process.env;
  return {
    env: process.env,
    cwd: process.cwd(),
    input: process.stdin,
    isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    hasColour: process.stdout.isTTY === true && (NO_COLOR ?? '') === '' && TERM !== 'dumb',
    printsToTerminal: process.stdout.isTTY === true,
    signal: interrupt.signal,
    print: async (chunk) => {
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
    },
    printStatus: (line) => void process.stderr.write(`${line}\n`),
    ...(process.stderr.isTTY && TERM !== 'dumb' ? { drawStatus } : {}),
    ask: (question, { isHidden } = { isHidden: false }) => ask(question, isHidden),
  };
}
