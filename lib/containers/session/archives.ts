import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { extract, type Header, type Pack, pack } from 'tar-stream';
import type { ContainerFile, FileType } from '../../ports/containers.ts';
import type { EntryKind } from '../sidecar/messages.ts';

/** A file or directory below a container's temporary directory. */
export interface Entry {
  readonly path: string;
  readonly kind: EntryKind;
  readonly isExecutable: boolean;
  readonly bytes: Buffer;
}

const MOST_UNPACKED_BYTES = 512 * 1024 * 1024;
const MOST_ENTRIES = 10_000;
const NOTHING = Buffer.alloc(0);

/** An archive that is well-formed and yet not taken. */
class Refusal extends Error {}

const READERS: Readonly<Record<FileType, (file: ContainerFile) => Promise<Entry[]>>> = {
  plain: async ({ name, bytes }) => [fileEntry(name, Buffer.from(bytes))],
  base64: async ({ name, bytes }) => [fileEntry(name, decoded(name, Buffer.from(bytes).toString('latin1')))],
  tar: ({ name, bytes }) => unpacked(name, Buffer.from(bytes)),
  'tar.gz': async ({ name, bytes }) => unpacked(name, bytes.length === 0 ? NOTHING : await inflated(name, bytes)),
};

/**
 * What a file comes to on the container's disk (workflow-language reference, 11.7).
 * @throws Error in words for the user: a bad path, a link, not of its type, too large.
 */
export async function toEntries(file: ContainerFile): Promise<readonly Entry[]> {
  checkPath(file.name, file.name);
  return READERS[file.type](file);
}

/** All that files come to, in their order. @throws Error in words for the user */
export async function entriesOf(files: readonly ContainerFile[]): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const file of files) entries.push(...(await toEntries(file)));
  return entries;
}

function fileEntry(path: string, bytes: Buffer, isExecutable = false): Entry {
  return { path, kind: 'file', isExecutable, bytes };
}

function checkPath(name: string, path: string): void {
  const isSafe =
    path !== '' && !path.includes('\0') && path.split('/').every((part) => !['', '.', '..'].includes(part));
  if (!isSafe)
    throw new Refusal(`the file '${name}' would be written to '${path}', which is no path below its directory`);
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function decoded(name: string, text: string): Buffer {
  const dense = text.replaceAll(/\s/g, '');
  if (!BASE64.test(dense)) throw new Error(`the file '${name}' is not base64, but its type says so`);
  return Buffer.from(dense, 'base64');
}

async function inflated(name: string, bytes: Uint8Array): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MOST_UNPACKED_BYTES });
  } catch (error) {
    const isLarge = error instanceof RangeError;
    throw new Error(
      `the file '${name}' ${isLarge ? 'unpacks to more than 512 MiB' : 'is not gzip, but its type says so'}`,
    );
  }
}

async function unpacked(name: string, bytes: Buffer): Promise<Entry[]> {
  const entries: Entry[] = [{ path: name, kind: 'directory', isExecutable: false, bytes: NOTHING }];
  if (bytes.length === 0) return entries;
  const archive = extract();
  archive.end(bytes);
  try {
    for await (const entry of archive) {
      const made = await entryOf(name, entry.header, entry);
      if (made !== undefined) entries.push(made);
      if (entries.length > MOST_ENTRIES)
        throw new Refusal(`the archive '${name}' holds more than ${MOST_ENTRIES} files`);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Error(`the file '${name}' is not a tar archive, but its type says so`, { cause: error });
  }
  return entries;
}

const KINDS: Readonly<Record<string, EntryKind>> = { file: 'file', 'contiguous-file': 'file', directory: 'directory' };

/** Undefined: the archive's own root. */
async function entryOf(name: string, header: Header, content: AsyncIterable<unknown>): Promise<Entry | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk as Buffer);
  const inside = header.name.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
  if (header.name !== '' && (inside === '' || inside === '.') && !header.name.startsWith('/')) return undefined;
  const path = `${name}/${inside}`;
  checkPath(name, path);
  const kind = KINDS[header.type ?? 'file'];
  if (kind === undefined) {
    throw new Refusal(
      `the archive '${name}' holds a ${header.type}, '${inside}'; only files and directories may be in it`,
    );
  }
  const isExecutable = kind === 'file' && ((header.mode ?? 0) & 0o111) !== 0;
  return { path, kind, isExecutable, bytes: Buffer.concat(chunks) };
}

/** A directory as tar.gz, its paths relative to it (workflow-language reference, 11.7). */
export async function packed(entries: readonly Entry[]): Promise<Buffer> {
  const archive: Pack = pack();
  for (const { path, kind, isExecutable, bytes } of entries) {
    const mode = kind === 'directory' || isExecutable ? 0o755 : 0o644;
    archive.entry({ name: path, type: kind, mode, mtime: new Date(0) }, bytes);
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return promisify(gzip)(Buffer.concat(chunks));
}
