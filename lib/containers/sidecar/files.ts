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
import { type EntryKind, MOST_BYTES, type OutputPart } from './messages.ts';

const SCOPES = ['namespace', 'workflow', 'instance'];
const MOST_ENTRIES = 10_000;

/** Whoever the function runs as may write here, whatever the process's mask. */
function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
}

/** Makes the temporary directory of a call, with the places for its outputs (workflow-language reference, 11.7). */
export function openFolder(folder: string): void {
  for (const path of [folder, join(folder, 'out'), ...SCOPES.map((scope) => join(folder, 'out', scope))])
    makeFolder(path);
}

/** Puts an entry there; the path was checked by the service. */
export function placeEntry(folder: string, path: string, kind: EntryKind, isExecutable: boolean, bytes: Buffer): void {
  const parts = path.split('/');
  const folders = kind === 'directory' ? parts : parts.slice(0, -1);
  folders.forEach((_, index) => {
    makeFolder(join(folder, ...parts.slice(0, index + 1)));
  });
  if (kind === 'directory') return;
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  chmodSync(file, isExecutable ? 0o777 : 0o666);
}

/** Removes the directory with all that is in it, also what the function has closed to itself. */
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

type Emit = (part: OutputPart, bytes: Buffer) => void;

/** Hands out all that the function left in its output directories, and tells what was refused; empty: nothing. */
export function collectOutputs(folder: string, emit: Emit): string {
  const problems: string[] = [];
  for (const scope of SCOPES) {
    const outputs = join(folder, 'out', scope);
    for (const name of namesIn(outputs)) {
      try {
        for (const { part, bytes } of readOutput(outputs, scope, name)) emit(part, bytes);
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error));
      }
    }
  }
  return problems.join('; ');
}

/** The function may have removed the directory. */
function namesIn(folder: string): string[] {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}

/** All of an output, before any of it is handed out. Throws when a part of it is refused. */
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
    if (size > MOST_BYTES) throw new Error(`the output ${join('out', scope, name)} is larger than 128 MiB`);
    if (found.length >= MOST_ENTRIES)
      throw new Error(`the output ${join('out', scope, name)} has more than ${MOST_ENTRIES} files`);
    const isExecutable = kind === 'file' && (stats.mode & 0o111) !== 0;
    found.push({
      part: { scope, name, path, kind, isExecutable },
      bytes: kind === 'file' ? readPlain(file) : Buffer.alloc(0),
    });
    if (kind === 'directory') for (const inner of readdirSync(file)) walk(join(path, inner));
  };
  walk('');
  return found;
}

/** The function may put a link or a pipe in a file's place at any moment: neither is followed, neither holds us up. */
function readPlain(file: string): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${file} is no plain file any more`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
