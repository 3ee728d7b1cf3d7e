import { lstat, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { protectedKindOf } from '../../../lib/egress/addresses.ts';
import type { Terminal } from '../shell/terminal.ts';
import { at, textAt } from './replies.ts';

/** The file by which a service on this computer says where it runs (bin/server/access/announcement.ts). */
const ANNOUNCEMENT = 'service.json';
const DATA_FOLDER = '.weft';

/** A service that runs on this computer. */
export interface LocalService {
  /** The file with its key, for messages. */
  readonly name: string;
  readonly url: string;
  /** Undefined if the service has its key from its environment. */
  readonly key: string | undefined;
}

const isUrlOfThisComputer = (text: string): boolean =>
  protectedKindOf((URL.parse(text)?.hostname ?? '').replace(/^\[|\]$/g, '')) === 'loopback';

/** Whether a process runs, also one of another user. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const PRINTABLE = /^[\x21-\x7e]+$/;

/** The key in a file; undefined if it is no key, or a link, which may lead to another secret. */
async function readKey(file: string): Promise<string | undefined> {
  if (!(await lstat(file)).isFile()) return undefined;
  const key = (await readFile(file, 'utf8')).trim();
  return PRINTABLE.test(key) ? key : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readService(folder: string): Promise<LocalService | undefined> {
  const content = parsed(await readFile(join(folder, ANNOUNCEMENT), 'utf8').catch(() => ''));
  const [url, pid, keyFile] = [textAt(content, 'url'), Number(at(content, 'pid')), textAt(content, 'keyFile')];
  if (!isUrlOfThisComputer(url) || !Number.isInteger(pid) || pid < 1 || !isRunning(pid)) return undefined;
  // A name, so that the file cannot lead out of its folder.
  const isNamed = /^[\w-]+$/.test(keyFile);
  const name = join(folder, isNamed ? keyFile : ANNOUNCEMENT);
  return { name, url, key: isNamed ? await readKey(name).catch(() => undefined) : undefined };
}

/**
 * The service that runs now with the data folder WEFT_DATA, or with `.weft` in the current folder or the nearest folder
 * above that has one; undefined if there is none, or if the files in it cannot be read.
 */
export async function findLocalService({ env, cwd }: Pick<Terminal, 'env' | 'cwd'>): Promise<LocalService | undefined> {
  const named = env['WEFT_DATA'];
  if (named) return readService(resolve(cwd, named));
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = await readService(join(folder, DATA_FOLDER));
    if (found !== undefined || dirname(folder) === folder) return found;
  }
}
