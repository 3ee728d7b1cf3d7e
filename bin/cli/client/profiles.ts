import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { at, textAt } from './replies.ts';

/** The URL of a service, a key for it, and the namespace that is used if none is given. */
export interface Profile {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  readonly namespace?: string | undefined;
}

export interface Profiles {
  /** The profile that is used if none is named. */
  readonly current?: string | undefined;
  readonly profiles: Readonly<Record<string, Profile>>;
}

type Environment = Pick<Terminal, 'env'>;

/** The file of the profiles: `weft/config.json` in XDG_CONFIG_HOME, else in `~/.config`. */
export function fileOf({ env }: Environment): string {
  const base = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? '.', '.config');
  return join(base, 'weft', 'config.json');
}

const toProfile = (value: unknown): Profile => ({
  url: textAt(value, 'url') || undefined,
  key: textAt(value, 'key') || undefined,
  namespace: textAt(value, 'namespace') || undefined,
});

function parse(file: string, text: string): Profiles {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is no JSON; correct it or delete it`);
  }
  const named = at(value, 'profiles');
  const entries = typeof named === 'object' && named !== null ? Object.entries(named) : [];
  return {
    current: textAt(value, 'current') || undefined,
    profiles: Object.fromEntries(entries.map(([name, one]) => [name, toProfile(one)])),
  };
}

/** The stored profiles; none if there is no file. Throws UsageError for an unreadable file. */
export async function read(terminal: Pick<Terminal, 'env' | 'printStatus'>): Promise<Profiles> {
  const file = fileOf(terminal);
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) {
      terminal.printStatus(`weft: other users can read ${file}; change it with chmod 600, or log in again`);
    }
    return parse(file, await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { profiles: {} };
    throw new UsageError(`${file} cannot be read: ${code}`);
  }
}

/** Stores the profiles in a file that only its owner can read, in one atomic step. */
export async function write(terminal: Environment, profiles: Profiles): Promise<void> {
  const file = fileOf(terminal);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, file);
}
