import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomKey } from '../portable/clock.ts';

/** A file that holds one key, readable by its owner only. */
export interface KeyFile {
  /** Undefined: the key is not stored. */
  readonly folder: string | undefined;
  readonly name: string;
  /** The advice about an empty file, for the error message. */
  readonly advice: string;
}

/**
 * The key in a file. Without the file, a new key of 43 URL-safe characters (256 bits) is stored in it and passed to
 * `onNew`. Processes that create it at the same time get the same key.
 * @throws Error when the folder cannot be read or written, or the file is empty.
 */
export async function readOrCreateKey(file: KeyFile, onNew?: (key: string) => void): Promise<string> {
  const { folder } = file;
  const stored = folder === undefined ? undefined : await readKey(folder, file);
  if (stored !== undefined) return stored;
  const key = randomKey();
  if (folder !== undefined && !(await createFile(folder, file.name, key))) return readExistingKey(folder, file);
  onNew?.(key);
  return key;
}

async function readKey(folder: string, { name, advice: mend }: KeyFile): Promise<string | undefined> {
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

async function readExistingKey(folder: string, keyFile: KeyFile): Promise<string> {
  const key = await readKey(folder, keyFile);
  if (key === undefined) throw new Error(`the key in ${folder} appeared and vanished`);
  return key;
}

/** Creates the file with a hard link, which is atomic. Returns false when the file exists already. */
async function createFile(folder: string, name: string, key: string): Promise<boolean> {
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
