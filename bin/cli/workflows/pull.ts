import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { bodyOf, toFailure } from '../client/service.ts';
import { CommandFailedError } from '../shell/command.ts';
import { mapConcurrently } from '../transfer/plan.ts';
import { findNode, isWorkflow, listVariables, type Remote, variablePath } from '../transfer/remote.ts';
import { missingNode, shownPath, workflowsBelow } from './listing.ts';

/** The effect of `pull` on a file. */
export type PullChange = 'created' | 'updated' | 'unchanged';

export interface PulledFile {
  readonly file: string;
  readonly change: PullChange;
}

export interface PullJob {
  readonly remote: Remote;
  /** A workflow, or a directory; empty for the whole namespace. */
  readonly path: string;
  /** The local folder; paths in it are those of the tree. */
  readonly folder: string;
  readonly keepsExtension: boolean;
  /** No file is written. */
  readonly isDryRun: boolean;
  readonly onFile: () => void;
}

const EXTENSION = /\.ya?ml$/;

/** The file from which `push` makes this path again. Throws CommandFailedError if no name with the extension is there. */
function fileOf(path: string, keepsExtension: boolean): string {
  if (!keepsExtension) return `${path}.yaml`;
  if (EXTENSION.test(path)) return path;
  throw new CommandFailedError(`'${path}' does not end in .yaml; pull it without --keep-extension`);
}

async function store({ folder, isDryRun }: PullJob, file: string, bytes: Uint8Array): Promise<PulledFile> {
  const absolute = resolve(folder, file);
  const before = await readFile(absolute).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandFailedError(`${file} cannot be read: ${error.code}`);
  });
  if (before?.equals(bytes)) return { file, change: 'unchanged' };
  if (!isDryRun) {
    await mkdir(dirname(absolute), { recursive: true });
    await writeFile(absolute, bytes);
  }
  return { file, change: before === undefined ? 'created' : 'updated' };
}

async function readValue({ service, ...remote }: Remote, name: string, workflow: string): Promise<Buffer> {
  const response = await service.send('GET', variablePath({ service, ...remote }, name, 'var', workflow));
  if (response.status >= 400) throw await toFailure(response, service.signal);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bodyOf(response, service.signal)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function pullWorkflow(job: PullJob, path: string): Promise<PulledFile[]> {
  const { remote, keepsExtension } = job;
  const node = await findNode(remote, path);
  if (node === undefined || !isWorkflow(node)) throw missingNode(remote, path);
  const file = fileOf(path, keepsExtension);
  const stored = [await store(job, file, node.latest.source)];
  for (const { name } of (await listVariables(remote, path)) ?? []) {
    stored.push(await store(job, `${file}.${name}`, await readValue(remote, name, path)));
  }
  job.onFile();
  return stored;
}

/** The paths of the workflows that a job writes. Throws CommandFailedError, ServiceUnreachableError. */
export async function pathsOf({ remote, path }: Pick<PullJob, 'remote' | 'path'>): Promise<string[]> {
  return (await workflowsBelow(remote, shownPath(path))).map((row) => row.path);
}

/**
 * Writes workflows and their variables as the files from which `push` makes them. Files that are already so stay
 * untouched; no file is deleted. Throws CommandFailedError, ServiceUnreachableError.
 */
export async function pull(job: PullJob, paths: readonly string[]): Promise<PulledFile[]> {
  return (await mapConcurrently(paths, (path) => pullWorkflow(job, path))).flat();
}

/** The path of a pulled file for the user. */
export const shownFile = (folder: string, file: string): string => (folder === '.' ? file : join(folder, file));
