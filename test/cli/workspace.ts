import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { main } from '../../bin/cli/program.ts';
import type { Client, Json } from '../service/access/client.ts';

/** The options of the start of a command, besides its arguments. */
export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** The user's answers; without them, the terminal is not interactive. */
  readonly answers?: readonly string[];
  readonly hasColour?: boolean;
  /** The current folder, relative to the workspace. */
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** If given, both outputs are a terminal, and the texts that it draws are added. */
  readonly drawn?: string[];
  /** Called with each text that is printed. */
  readonly onOutput?: (text: string) => void;
}

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The questions, with `hidden:` before those whose answer is not displayed. */
  readonly asked: readonly string[];
  json(): Json;
}

/** A folder of files in which the program is started, in this process. */
export interface Workspace {
  readonly folder: string;
  write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  read(name: string): Promise<string>;
  weft(args: readonly string[], started?: StartOptions): Promise<CommandResult>;
  clear(): Promise<void>;
}

/** A workspace whose environment selects the service, if one is given; HOME is the folder. */
export async function openWorkspace(client?: Client, namespace?: string): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-workspace-'));
  const place = client === undefined ? {} : { WEFT_URL: client.url, WEFT_KEY: client.key };
  const home = { HOME: folder, ...place, ...(namespace === undefined ? {} : { WEFT_NAMESPACE: namespace }) };
  return {
    folder,
    write: async (files) => {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
      }
    },
    read: (name) => readFile(join(folder, name), 'utf8'),
    weft: (args, started = {}) => start(args, { ...started, env: { ...home, ...started.env } }, folder),
    clear: () => rm(folder, { recursive: true, force: true }),
  };
}

async function start(args: readonly string[], started: StartOptions, folder: string): Promise<CommandResult> {
  const out: Buffer[] = [];
  const err: string[] = [];
  const asked: string[] = [];
  const answers = [...(started.answers ?? [])];
  const code = await main(args, {
    env: started.env ?? {},
    cwd: join(folder, started.cwd ?? ''),
    input: Readable.from([started.input ?? '']),
    isInteractive: started.answers !== undefined,
    hasColour: started.hasColour === true,
    signal: started.signal ?? new AbortController().signal,
    print: async (chunk) => {
      out.push(Buffer.from(chunk as Uint8Array));
      started.onOutput?.(Buffer.from(chunk as Uint8Array).toString());
    },
    printStatus: (line) => {
      err.push(`${line}\n`);
      started.onOutput?.(line);
    },
    ...(started.drawn === undefined
      ? {}
      : { printsToTerminal: true, drawStatus: (line: string) => void started.drawn?.push(line) }),
    ask: async (question, how) => {
      asked.push(`${how?.isHidden ? 'hidden:' : ''}${question}`);
      return answers.shift() ?? '';
    },
  });
  const text = Buffer.concat(out).toString('utf8');
  return { code, out: text, err: err.join(''), asked, json: () => JSON.parse(text) as Json };
}
