import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { extract, type Header, type Pack, pack } from 'tar-stream';
import type { ContainerFile, FileType } from '../../ports/containers.ts';
import type { EntryKind } from '../sidecar/messages.ts';

/** A file or directory in the temporary directory of a call. */
export interface FileEntry {
  readonly path: string;
  readonly kind: EntryKind;
  readonly isExecutable: boolean;
  /** The mode that the action gives; undefined: everything is allowed, except to run a file that is not executable. */
  readonly mode?: number;
  readonly bytes: Buffer;
}

const MAX_UNPACKED_BYTES = 512 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
const NOTHING = Buffer.alloc(0);

/** A file of an action is invalid; the message is for the user. */
class InvalidFileError extends Error {
  override readonly name = 'InvalidFileError';
}

const READERS: Readonly<Record<FileType, (file: ContainerFile) => Promise<FileEntry[]>>> = {
  plain: async ({ name, bytes }) => [fileEntry(name, Buffer.from(bytes))],
  base64: async ({ name, bytes }) => [fileEntry(name, decodeBase64(name, Buffer.from(bytes).toString('latin1')))],
  tar: ({ name, bytes }) => unpack(name, Buffer.from(bytes)),
  'tar.gz': async ({ name, bytes }) => unpack(name, bytes.length === 0 ? NOTHING : await decompress(name, bytes)),
};

/**
 * The entries that a file of an action becomes (workflow-language reference, 11.7).
 * @throws Error with a message for the user: an invalid path, a link, the wrong type, or too large.
 */
export async function toEntries(file: ContainerFile): Promise<readonly FileEntry[]> {
  checkPath(file.name, file.name);
  const entries = await READERS[file.type](file);
  const [first] = entries;
  if (file.mode === undefined || first === undefined) return entries;
  const entry = { ...first, mode: file.mode };
  // A directory gets its mode last: the mode may not allow to write into it.
  return first.kind === 'file' ? [entry] : [...entries, entry];
}

/** The entries of all files, in their order. @throws Error with a message for the user */
export async function entriesOf(files: readonly ContainerFile[]): Promise<readonly FileEntry[]> {
  const entries: FileEntry[] = [];
  for (const file of files) entries.push(...(await toEntries(file)));
  return entries;
}

/** A directory as tar.gz, with paths relative to it (workflow-language reference, 11.7). */
export async function packDirectory(entries: readonly FileEntry[]): Promise<Buffer> {
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

function fileEntry(path: string, bytes: Buffer): FileEntry {
  return { path, kind: 'file', isExecutable: false, bytes };
}

function checkPath(name: string, path: string): void {
  const isSafe =
    path !== '' && !path.includes('\0') && path.split('/').every((part) => !['', '.', '..'].includes(part));
  if (!isSafe)
    throw new InvalidFileError(
      `the file '${name}' would be written to '${path}', which is no path below its directory`,
    );
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function decodeBase64(name: string, text: string): Buffer {
  const withoutBlanks = text.replaceAll(/\s/g, '');
  if (!BASE64.test(withoutBlanks)) throw new InvalidFileError(`the file '${name}' is not base64, but its type says so`);
  return Buffer.from(withoutBlanks, 'base64');
}

async function decompress(name: string, bytes: Uint8Array): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (error) {
    const problem = error instanceof RangeError ? 'unpacks to more than 512 MiB' : 'is not gzip, but its type says so';
    throw new InvalidFileError(`the file '${name}' ${problem}`, { cause: error });
  }
}

async function unpack(name: string, bytes: Buffer): Promise<FileEntry[]> {
  const entries: FileEntry[] = [{ path: name, kind: 'directory', isExecutable: false, bytes: NOTHING }];
  if (bytes.length === 0) return entries;
  const archive = extract();
  archive.end(bytes);
  try {
    for await (const entry of archive) {
      const unpacked = await readEntry(name, entry.header, entry);
      if (unpacked !== undefined) entries.push(unpacked);
      if (entries.length > MAX_ENTRIES)
        throw new InvalidFileError(`the archive '${name}' holds more than ${MAX_ENTRIES} files`);
    }
  } catch (error) {
    if (error instanceof InvalidFileError) throw error;
    throw new InvalidFileError(`the file '${name}' is not a tar archive, but its type says so`, { cause: error });
  }
  return entries;
}

const KINDS: Readonly<Record<string, EntryKind>> = { file: 'file', 'contiguous-file': 'file', directory: 'directory' };

/** Undefined for the root of the archive itself. */
async function readEntry(
  name: string,
  header: Header,
  content: AsyncIterable<unknown>,
): Promise<FileEntry | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk as Buffer);
  const inside = header.name.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
  if (header.name !== '' && (inside === '' || inside === '.') && !header.name.startsWith('/')) return undefined;
  const path = `${name}/${inside}`;
  checkPath(name, path);
  const kind = KINDS[header.type ?? 'file'];
  if (kind === undefined) {
    const problem = `holds a ${header.type}, '${inside}'; only files and directories may be in it`;
    throw new InvalidFileError(`the archive '${name}' ${problem}`);
  }
  const isExecutable = kind === 'file' && ((header.mode ?? 0) & 0o111) !== 0;
  return { path, kind, isExecutable, bytes: Buffer.concat(chunks) };
}
