import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import * as z from 'zod/mini';
import { omitUndefined } from '../../../lib/language/omit-undefined.ts';
import { CommandFailedError } from '../shell/command.ts';
import {
  FORMAT,
  kindOf,
  MANIFEST,
  type Manifest,
  NAMESPACE,
  problemOfEntry,
  revisionFile,
  shapes,
  VARIABLES,
  type VariableEntry,
  VERSION,
  variableFile,
  type WorkflowFile,
} from './archive-layout.ts';
import type { DesiredDirectory, DesiredState, DesiredVariable, DesiredWorkflow } from './desired-state.ts';
import { measure } from './folder.ts';

/** The limits of an unpacked archive, in bytes and entries: a larger one would be an attack on the disk. */
const MAX_BYTES = 64 * 1024 ** 3;
const MAX_ENTRIES = 5_000_000;

/** The limit of the unpacked size: a multiple of the size of the archive, but at least a number of bytes. */
const MAX_RATIO = 100;
const MIN_ALLOWED = 1024 ** 3;

const maxBytesOf = (archiveBytes: number): number =>
  Math.min(Math.max(archiveBytes * MAX_RATIO, MIN_ALLOWED), MAX_BYTES);

/** Passes on at most `most` bytes. Fails with CommandFailedError after that, whatever sizes the entries claim. */
function bounded(file: string, most: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > most) done(new CommandFailedError(`${file}: the archive unpacks to more than ${most} bytes`));
      else done(null, chunk);
    },
  });
}

/**
 * Unpacks an archive into an empty folder, and returns the names of its files. Throws CommandFailedError for names that
 * point outside of the folder, links, and incomplete archives.
 */
export async function unpack(file: string, folder: string): Promise<string[]> {
  const tar = extract();
  const names: string[] = [];
  const most = maxBytesOf((await stat(file)).size);
  const feeding = pipeline(createReadStream(file), createGunzip(), bounded(file, most), tar);
  feeding.catch(() => undefined);
  try {
    for await (const entry of tar) {
      const { name, type } = entry.header;
      const reason = problemOfEntry(name, type ?? 'file');
      if (reason !== undefined)
        throw new CommandFailedError(`${file}: the entry '${name.slice(0, 200)}' is rejected: ${reason}`);
      if (names.length >= MAX_ENTRIES) throw new CommandFailedError(`${file}: the archive has too many entries`);
      if (type === 'directory') {
        entry.resume();
        continue;
      }
      const target = join(folder, name);
      await mkdir(dirname(target), { recursive: true });
      await pipeline(entry, createWriteStream(target, { mode: 0o600 }));
      names.push(name.replace(/^\.\//, ''));
    }
    await feeding;
    return names;
  } catch (error) {
    if (error instanceof CommandFailedError) throw error;
    throw new CommandFailedError(
      `${file} is no complete .tar.gz archive: ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    tar.destroy();
  }
}

/** The files of an unpacked archive. Links are not followed. */
export async function namesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

async function readShape<S extends z.ZodMiniType>(folder: string, name: string, shape: S): Promise<z.infer<S>> {
  const bytes = await readFile(join(folder, name), 'utf8').catch(() => undefined);
  if (bytes === undefined) throw new CommandFailedError(`${name} is missing in the archive`);
  let value: unknown;
  try {
    value = JSON.parse(bytes);
  } catch {
    throw new CommandFailedError(`${name} in the archive is no JSON`);
  }
  const parsed = z.safeParse(shape, value);
  if (parsed.success) return parsed.data as z.infer<S>;
  const [issue] = parsed.error.issues;
  throw new CommandFailedError(`${name} in the archive: ${issue?.path.join('.')} ${issue?.message}`);
}

/** The manifest of an archive. Throws CommandFailedError for an incomplete archive, or one of a later version. */
export async function readManifest(folder: string): Promise<Manifest> {
  const manifest = await readShape(folder, MANIFEST, shapes.manifest);
  if (manifest.version > VERSION) {
    throw new CommandFailedError(
      `the archive has the format ${FORMAT} ${manifest.version}; import it with a later version of weft`,
    );
  }
  return manifest;
}

/** Measures a file. Throws CommandFailedError unless its bytes are those that were exported. */
async function requireUnchanged(
  folder: string,
  name: string,
  hash: string,
): Promise<{ file: string; size: number; hash: string }> {
  const file = join(folder, name);
  const measured = await measure(file).catch(() => undefined);
  if (measured === undefined) throw new CommandFailedError(`${name} is missing in the archive`);
  if (measured.hash !== hash)
    throw new CommandFailedError(`${name} in the archive differs from the exported file: its hash is another one`);
  return { file, ...measured };
}

async function toVariables(
  folder: string,
  entries: readonly VariableEntry[],
  workflow?: string,
): Promise<DesiredVariable[]> {
  const found: DesiredVariable[] = [];
  for (const { name, mimeType, hash } of entries) {
    const measured = await requireUnchanged(folder, variableFile(name, workflow), hash);
    found.push(omitUndefined({ name, ...measured, mimeType: mimeType || undefined }));
  }
  return found;
}

async function toWorkflow(folder: string, described: WorkflowFile): Promise<DesiredWorkflow> {
  const revisions = [];
  for (const [index, { ids, hash, saved }] of described.revisions.entries()) {
    const { file } = await requireUnchanged(folder, revisionFile(described.path, index + 1), hash);
    revisions.push({ file, hash, isSaved: saved, ids });
  }
  const { path, live, logger, attributes, tags, routes } = described;
  const variables = await toVariables(folder, described.variables, path);
  return { path, revisions, variables, settings: { live, logger, attributes, tags, routes } };
}

/** The desired state that an unpacked archive describes. Throws CommandFailedError for missing or changed files. */
export async function readDesiredState(folder: string, names: readonly string[]): Promise<DesiredState> {
  const namespace = await readShape(folder, NAMESPACE, shapes.namespace);
  const { variables } = await readShape(folder, VARIABLES, shapes.variables);
  const directories: DesiredDirectory[] = [];
  const workflows: DesiredWorkflow[] = [];
  for (const name of [...names].sort()) {
    const kind = kindOf(name);
    if (kind === 'directory') directories.push(await readShape(folder, name, shapes.directory));
    if (kind === 'workflow') workflows.push(await toWorkflow(folder, await readShape(folder, name, shapes.workflow)));
  }
  const { config, secrets, registries, services } = namespace;
  return {
    namespace: { config, secrets, registries, services },
    variables: await toVariables(folder, variables),
    directories: directories.sort((a, b) => (a.path < b.path ? -1 : 1)),
    workflows,
  };
}
