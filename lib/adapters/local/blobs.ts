import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Blobs } from '../../ports/blobs.ts';

/** Blobs that live and die with the process. */
export function memoryBlobs(): Blobs {
  const kept = new Map<string, Uint8Array>();
  return {
    async put(key, bytes) {
      kept.set(key, Uint8Array.from(bytes));
    },
    async get(key) {
      const bytes = kept.get(key);
      return bytes && Uint8Array.from(bytes);
    },
    async remove(prefix) {
      for (const key of kept.keys()) {
        if (key.startsWith(prefix)) kept.delete(key);
      }
    },
  };
}

/** Ends the name of a file, and of nothing else: a key may be another key's folder. No part of a key has a dot. */
const SUFFIX = '.blob';
/** Blobs are written here and moved into place whole. */
const DRAFTS = '.drafts';
/** A draft this old (milliseconds) was left behind by a process that died. */
const STALE_MS = 3_600_000;
const MOST_MOVES = 10;

/**
 * Blobs as files below a folder. A blob is there whole or not at all. Any text is a key; a part
 * between slashes has at most about 250 plain characters (80 of others).
 */
export function folderBlobs(folder: string): Blobs {
  let drafts: Promise<string> | undefined;
  return {
    async put(key, bytes) {
      drafts ??= openDrafts(folder);
      await writeBlob(join(await drafts, randomUUID()), fileOf(folder, key), bytes);
    },
    async get(key) {
      const bytes = await readFile(fileOf(folder, key)).catch(absent);
      return bytes && new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    remove: (prefix) => removeBlobs(folder, prefix),
  };
}

function fileOf(folder: string, key: string): string {
  return join(folder, ...key.split('/').map(toName)) + SUFFIX;
}

/**
 * A part of a key as a name that is safe in any file system: only lower-case letters, digits, `_`, `-` and `%`, so it
 * is never `..`, and keys that differ in case stay apart where the file system does not care. An empty part is `%`.
 */
function toName(part: string): string {
  return part === '' ? '%' : toStem(part);
}

/** The same of the beginning of a part: what the names of all parts that begin so begin with. */
function toStem(part: string): string {
  const escaped = (byte: number) => `%${byte.toString(16).padStart(2, '0')}`;
  return part.replace(/[^a-z0-9_-]/gu, (character) => Array.from(Buffer.from(character), escaped).join(''));
}

async function writeBlob(draft: string, file: string, bytes: Uint8Array): Promise<void> {
  await writeFile(draft, bytes, { flag: 'wx', flush: true });
  for (let tries = 1; ; tries++) {
    await mkdir(dirname(file), { recursive: true });
    try {
      return await rename(draft, file);
    } catch (error) {
      // A removal may take the folder away between the two.
      if (tries < MOST_MOVES && (error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      await rm(draft, { force: true });
      throw error;
    }
  }
}

async function openDrafts(folder: string): Promise<string> {
  const drafts = join(folder, DRAFTS);
  await mkdir(drafts, { recursive: true });
  for (const name of await readdir(drafts)) {
    const draft = join(drafts, name);
    const found = await stat(draft).catch(absent);
    if (found && Date.now() - found.mtimeMs > STALE_MS) await rm(draft, { force: true });
  }
  return drafts;
}

async function removeBlobs(folder: string, prefix: string): Promise<void> {
  const parts = prefix.split('/');
  const stem = toStem(parts.pop() ?? '');
  const parent = join(folder, ...parts.map(toName));
  const names = (await readdir(parent).catch(absent)) ?? [];
  for (const name of names) {
    if (name !== DRAFTS && name.startsWith(stem)) await rm(join(parent, name), { recursive: true, force: true });
  }
  if (parts.length > 0) await rmdir(parent).catch(() => undefined);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
