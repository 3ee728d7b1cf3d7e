import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { main } from '../../bin/cli/program.ts';
import type { Client, Json } from '../service/access/client.ts';

/** What a command was started with besides its arguments. */
export interface Started {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** What the user types to each question; somebody sits there only if this is given. */
  readonly answers?: readonly string[];
  readonly hasColour?: boolean;
  /** The folder that the user stands in, from the desk's. */
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** Sees each text as it is written. */
  readonly onOutput?: (text: string) => void;
}

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The questions that were asked; `hidden:` before those whose answer is not shown. */
  readonly asked: readonly string[];
  json(): Json;
}

/** A folder of files, and the program started in it, in this process. */
export interface Desk {
  readonly folder: string;
  write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  weft(args: readonly string[], started?: Started): Promise<Ended>;
  clear(): Promise<void>;
}

/** A desk whose environment names the service, if one is given; HOME is the folder. */
export async function openDesk(client?: Client, namespace?: string): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-desk-'));
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
    weft: (args, started = {}) => start(args, { ...started, env: { ...home, ...started.env } }, folder),
    clear: () => rm(folder, { recursive: true, force: true }),
  };
}

async function start(args: readonly string[], started: Started, folder: string): Promise<Ended> {
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
    write: async (chunk) => {
      out.push(Buffer.from(chunk as Uint8Array));
      started.onOutput?.(Buffer.from(chunk as Uint8Array).toString());
    },
    tell: (line) => {
      err.push(`${line}\n`);
      started.onOutput?.(line);
    },
    ask: async (question, how) => {
      asked.push(`${how?.isHidden ? 'hidden:' : ''}${question}`);
      return answers.shift() ?? '';
    },
  });
  const text = Buffer.concat(out).toString('utf8');
  return { code, out: text, err: err.join(''), asked, json: () => JSON.parse(text) as Json };
}
