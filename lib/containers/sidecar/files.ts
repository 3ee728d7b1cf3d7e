import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type EntryKind, MAX_BYTES, type OutputPart } from './messages.ts';

const SCOPES = ['namespace', 'workflow', 'instance'];
const MAX_ENTRIES = 10_000;

/** Every user may write to the folder, whatever the umask of this process is: the function may run as any user. */
function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
}

/** Creates the temporary directory of a call, with the folders for its outputs (workflow-language reference, 11.7). */
export function openFolder(folder: string): void {
  for (const path of [folder, join(folder, 'out'), ...SCOPES.map((scope) => join(folder, 'out', scope))])
    makeFolder(path);
}

/** An entry to place into a folder. */
export interface PlacedEntry {
  /** Relative to the folder; the service has checked it. */
  readonly path: string;
  readonly kind: EntryKind;
  readonly isExecutable: boolean;
  readonly mode?: number;
}

/** Writes an entry into a folder, and creates the folders above it. */
export function placeEntry(folder: string, { path, kind, isExecutable, mode }: PlacedEntry, bytes: Buffer): void {
  const parts = path.split('/');
  const folders = kind === 'directory' ? parts : parts.slice(0, -1);
  folders.forEach((_, index) => {
    makeFolder(join(folder, ...parts.slice(0, index + 1)));
  });
  const file = join(folder, path);
  if (kind === 'directory') {
    if (mode !== undefined) chmodSync(file, mode);
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  chmodSync(file, mode ?? (isExecutable ? 0o777 : 0o666));
}

/** Removes the folder and its content, also directories that the function has made inaccessible. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    unlock(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

function unlock(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) unlock(join(folder, entry.name));
  }
}

type OnPart = (part: OutputPart, bytes: Buffer) => void;

/** Passes all outputs of the function to `onPart`. Returns the problems of those that were rejected, empty if none. */
export function collectOutputs(folder: string, onPart: OnPart): string {
  const problems: string[] = [];
  for (const scope of SCOPES) {
    const outputs = join(folder, 'out', scope);
    for (const name of namesIn(outputs)) {
      try {
        for (const { part, bytes } of readOutput(outputs, scope, name)) onPart(part, bytes);
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error));
      }
    }
  }
  return problems.join('; ');
}

/** Empty when the function has removed the directory. */
function namesIn(folder: string): string[] {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}

/** Reads all parts of an output. Throws when one of them is rejected. */
function readOutput(folder: string, scope: string, name: string): { part: OutputPart; bytes: Buffer }[] {
  const found: { part: OutputPart; bytes: Buffer }[] = [];
  let size = 0;
  const walk = (path: string) => {
    const file = join(folder, name, path);
    const shown = join('out', scope, name, path);
    const stats = lstatSync(file);
    const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : undefined;
    if (kind === undefined)
      throw new Error(`the output ${shown} is a link or a special file; only files and directories count`);
    size += stats.size;
    if (size > MAX_BYTES) throw new Error(`the output ${join('out', scope, name)} is larger than 128 MiB`);
    if (found.length >= MAX_ENTRIES)
      throw new Error(`the output ${join('out', scope, name)} has more than ${MAX_ENTRIES} files`);
    const isExecutable = kind === 'file' && (stats.mode & 0o111) !== 0;
    found.push({
      part: { scope, name, path, kind, isExecutable },
      bytes: kind === 'file' ? readPlainFile(file) : Buffer.alloc(0),
    });
    if (kind === 'directory') for (const inner of readdirSync(file)) walk(join(path, inner));
  };
  walk('');
  return found;
}

/** The function may replace a file by a link or a pipe at any time: a link is not followed, a pipe does not block. */
function readPlainFile(file: string): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${file} is no plain file any more`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
