import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Vault } from '../../ports.ts';

export interface LocalVaultOptions {
  /** Where a generated key is kept; without it each process has its own. */
  readonly folder?: string | undefined;
  /** The key to use instead; an empty text is none. */
  readonly apiKey?: string | undefined;
  /** Hears of a key in the moment it is generated, and never again: the time to print it. */
  readonly onNewKey?: (key: string) => void;
}

const FILE = 'api-key';
const KEY_BYTES = 32;

/**
 * The administrative key: the one given, else the one kept in the folder, else a new one that is kept there, readable
 * by its owner only.
 * @throws Error (adminKey) when the folder cannot be read or written, or its key is empty.
 */
export function localVault({ folder, apiKey, onNewKey }: LocalVaultOptions = {}): Vault {
  const find = async (): Promise<string> => {
    if (apiKey) return apiKey;
    const kept = folder === undefined ? undefined : await readKey(folder);
    if (kept !== undefined) return kept;
    const key = randomBytes(KEY_BYTES).toString('base64url');
    if (folder !== undefined && !(await keep(folder, key))) return needKey(folder);
    onNewKey?.(key);
    return key;
  };
  let found: Promise<string> | undefined;
  return {
    adminKey() {
      found ??= find().catch((error: unknown) => {
        found = undefined;
        throw error;
      });
      return found;
    },
  };
}

async function readKey(folder: string): Promise<string | undefined> {
  const file = join(folder, FILE);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const key = text.trim();
  if (key === '') throw new Error(`the file ${file} holds no key; delete it and a new one is made`);
  await chmod(file, 0o600);
  return key;
}

async function needKey(folder: string): Promise<string> {
  const key = await readKey(folder);
  if (key === undefined) throw new Error(`the key in ${folder} appeared and vanished`);
  return key;
}

/** A link comes with its whole content and only where nothing is yet; false when another process was first. */
async function keep(folder: string, key: string): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const draft = join(folder, `${FILE}.${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    await writeFile(draft, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await link(draft, join(folder, FILE));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
