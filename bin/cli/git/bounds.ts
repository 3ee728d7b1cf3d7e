import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CommandFailedError } from '../shell/command.ts';
import { type GitCall, git } from './program.ts';

/** The most that is taken of a repository. */
export interface Bounds {
  /** The bytes of one commit as Git transfers it, compressed. */
  readonly transferred: number;
  readonly files: number;
  /** The bytes of all files of the commit. */
  readonly bytes: number;
}

/** More than any repository of workflows has, and less than a disk that other work needs too. */
export const BOUNDS: Bounds = { transferred: 1024 ** 3, files: 200_000, bytes: 2 * 1024 ** 3 };

const WATCH_MS = 200;
/** A row of a listing of files, with a long path. */
const ROW_BYTES = 200;

const MEND = 'follow a repository that has the workflows alone';

function excess(url: string, what: string): CommandFailedError {
  return new CommandFailedError(`${url} has ${what}, which is too large; ${MEND}`);
}

const megabytes = (bytes: number): string => `more than ${Math.round(bytes / 1024 ** 2)} MiB`;

/** The bytes of the files of a folder, which may be changing. */
async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = names.map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Calls `onExcess` once a folder has more bytes, until the signal is aborted. */
async function watch(folder: string, most: number, signal: AbortSignal, onExcess: () => void): Promise<void> {
  while (!signal.aborted) {
    if ((await sizeOf(folder)) > most) return onExcess();
    await setTimeout(WATCH_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/**
 * Clones the objects of a repository into a new folder, without its files. Throws CommandFailedError as soon as they have more
 * bytes, and as `git` does.
 */
export async function cloneWithin(call: GitCall, args: readonly string[], root: string, most: number): Promise<void> {
  const [large, ended] = [new AbortController(), new AbortController()];
  const signal = AbortSignal.any([call.terminal.signal, large.signal]);
  const watching = watch(root, most, ended.signal, () => large.abort());
  try {
    await git({ ...call, terminal: { ...call.terminal, signal } }, [
      'clone',
      '--no-checkout',
      ...args,
      '--',
      call.url,
      root,
    ]);
  } catch (error) {
    if (!large.signal.aborted || call.terminal.signal.aborted) throw error;
  } finally {
    ended.abort();
    await watching;
  }
  if (large.signal.aborted || (await sizeOf(root)) > most) throw excess(call.url, `${megabytes(most)} to transfer`);
}

/**
 * Writes the files of the commit into the folder of the call. Throws CommandFailedError for more or larger files, before any is
 * written, and as `git` does.
 */
export async function checkOutWithin(call: GitCall, { files, bytes }: Bounds): Promise<void> {
  const tooMany = excess(call.url, `more than ${files} files`);
  // A few trees that contain each other have any number of files.
  const most = { bytes: files * ROW_BYTES, error: tooMany };
  const listed = await git({ ...call, most }, ['ls-tree', '-r', '-l', '--full-tree', 'HEAD']);
  const rows = listed.split('\n').filter((row) => row !== '');
  const sizes = rows.map((row) => Number(row.split(/\s+/, 4)[3]) || 0);
  if (rows.length > files) throw tooMany;
  if (sizes.reduce((sum, size) => sum + size, 0) > bytes) throw excess(call.url, `${megabytes(bytes)} of files`);
  await git(call, ['reset', '--quiet', '--hard']);
}
