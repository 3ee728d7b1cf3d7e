import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomKey } from '../portable/clock.ts';

/** A file that holds one key, readable by its owner only. */
export interface KeyFile {
  /** Without a folder nothing is kept. */
  readonly folder: string | undefined;
  readonly name: string;
  /** What to do when the file is empty, for the error about it. */
  readonly mend: string;
}

/**
 * The key kept in a file, or a new one of 43 URL-safe characters (256 bits), which is then kept there; `onNew` hears of
 * it. Several processes that ask at once get the same.
 * @throws Error when the folder cannot be read or written, or the file is empty.
 */
export async function keptKey(file: KeyFile, onNew?: (key: string) => void): Promise<string> {
  const { folder } = file;
  const kept = folder === undefined ? undefined : await readKey(folder, file);
  if (kept !== undefined) return kept;
  const key = randomKey();
  if (folder !== undefined && !(await keep(folder, file.name, key))) return needKey(folder, file);
  onNew?.(key);
  return key;
}

async function readKey(folder: string, { name, mend }: KeyFile): Promise<string | undefined> {
  const file = join(folder, name);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const key = text.trim();
  if (key === '') throw new Error(`the file ${file} holds no key; ${mend}`);
  await chmod(file, 0o600);
  return key;
}

async function needKey(folder: string, keyFile: KeyFile): Promise<string> {
  const key = await readKey(folder, keyFile);
  if (key === undefined) throw new Error(`the key in ${folder} appeared and vanished`);
  return key;
}

/** A link comes with its whole content and only where nothing is yet; false when another process was first. */
async function keep(folder: string, name: string, key: string): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const draft = join(folder, `${name}.${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    await writeFile(draft, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await link(draft, join(folder, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
