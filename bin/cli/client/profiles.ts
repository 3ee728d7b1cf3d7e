import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { at, textAt } from './replies.ts';

/** Where a service is, the key to it, and the namespace that is meant where none is named. */
export interface Profile {
  readonly url?: string;
  readonly key?: string;
  readonly namespace?: string;
}

export interface Profiles {
  /** The profile that is taken where none is named. */
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

type Place = Pick<Terminal, 'env'>;

/** The file of the profiles: `weft/config.json` in XDG_CONFIG_HOME, else in `~/.config`. */
export function fileOf({ env }: Place): string {
  const base = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? '.', '.config');
  return join(base, 'weft', 'config.json');
}

function toProfile(value: unknown): Profile {
  const [url, key, namespace] = ['url', 'key', 'namespace'].map((name) => textAt(value, name));
  return { ...(url ? { url } : {}), ...(key ? { key } : {}), ...(namespace ? { namespace } : {}) };
}

function parse(file: string, text: string): Profiles {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is no JSON; mend it or delete it`);
  }
  const named = at(value, 'profiles');
  const entries = typeof named === 'object' && named !== null ? Object.entries(named) : [];
  const current = textAt(value, 'current');
  return {
    ...(current === '' ? {} : { current }),
    profiles: Object.fromEntries(entries.map(([name, one]) => [name, toProfile(one)])),
  };
}

/** What is kept; none where there is no file. Throws UsageError for a file that cannot be read. */
export async function read(terminal: Pick<Terminal, 'env' | 'tell'>): Promise<Profiles> {
  const file = fileOf(terminal);
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) terminal.tell(`weft: ${file} can be read by others; chmod 600 it, or log in again`);
    return parse(file, await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { profiles: {} };
    throw new UsageError(`${file} cannot be read: ${code}`);
  }
}

/** Keeps the profiles in a file that nobody else may read. */
export async function write(terminal: Place, profiles: Profiles): Promise<void> {
  const file = fileOf(terminal);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, file);
}
