import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import * as z from 'zod/mini';
import { CommandFailedError } from '../shell/command.ts';
import { measure } from './folder.ts';
import {
  FORMAT,
  kindOf,
  MANIFEST,
  type Manifest,
  NAMESPACE,
  refusedEntry,
  revisionFile,
  shapes,
  VARIABLES,
  type VariableEntry,
  VERSION,
  variableFile,
  type WorkflowFile,
} from './layout.ts';
import type { Wanted, WantedDirectory, WantedVariable, WantedWorkflow } from './wanted.ts';

/** An archive that grows beyond this is no namespace but an attack on the disk. Bytes, and entries. */
const LARGEST = 64 * 1024 ** 3;
const MOST_ENTRIES = 5_000_000;

/**
 * Unpacks an archive into an empty folder. Throws CommandFailedError for names that point elsewhere, links, and what is
 * cut off.
 */
export async function unpack(file: string, folder: string): Promise<string[]> {
  const tar = extract();
  const names: string[] = [];
  const feeding = pipeline(createReadStream(file), createGunzip(), tar);
  feeding.catch(() => undefined);
  let size = 0;
  try {
    for await (const entry of tar) {
      const { name, type } = entry.header;
      const reason = refusedEntry(name, type ?? 'file');
      if (reason !== undefined)
        throw new CommandFailedError(`${file}: the entry '${name.slice(0, 200)}' is refused: ${reason}`);
      size += entry.header.size ?? 0;
      if (size > LARGEST || names.length >= MOST_ENTRIES)
        throw new CommandFailedError(`${file}: the archive is too large`);
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
      `${file} is no whole archive of the form .tar.gz: ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    tar.destroy();
  }
}

/** The files of an archive that was unpacked by hand. Links are not followed. */
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

/** What an archive says of itself. Throws CommandFailedError for one that is cut off, or of a later form. */
export async function readManifest(folder: string): Promise<Manifest> {
  const manifest = await readShape(folder, MANIFEST, shapes.manifest);
  if (manifest.version > VERSION) {
    throw new CommandFailedError(
      `the archive has the form ${FORMAT} ${manifest.version}, which a later version of weft reads`,
    );
  }
  return manifest;
}

/** The bytes must be those that were exported. */
async function needWhole(
  folder: string,
  name: string,
  hash: string,
): Promise<{ file: string; size: number; hash: string }> {
  const file = join(folder, name);
  const measured = await measure(file).catch(() => undefined);
  if (measured === undefined) throw new CommandFailedError(`${name} is missing in the archive`);
  if (measured.hash !== hash)
    throw new CommandFailedError(`${name} in the archive is not what was exported: its hash differs`);
  return { file, ...measured };
}

async function toVariables(
  folder: string,
  entries: readonly VariableEntry[],
  workflow?: string,
): Promise<WantedVariable[]> {
  const found: WantedVariable[] = [];
  for (const { name, mimeType, hash } of entries) {
    const measured = await needWhole(folder, variableFile(name, workflow), hash);
    found.push({ name, ...measured, ...(mimeType === '' ? {} : { mimeType }) });
  }
  return found;
}

async function toWorkflow(folder: string, told: WorkflowFile): Promise<WantedWorkflow> {
  const revisions = [];
  for (const [index, { ids, hash, saved }] of told.revisions.entries()) {
    const { file } = await needWhole(folder, revisionFile(told.path, index + 1), hash);
    revisions.push({ file, hash, isSaved: saved, ids });
  }
  const { path, live, logger, attributes, tags, routes } = told;
  const variables = await toVariables(folder, told.variables, path);
  return { path, revisions, variables, settings: { live, logger, attributes, tags, routes } };
}

/** What an unpacked archive says. Throws CommandFailedError for what is missing, changed or not ours. */
export async function readArchive(folder: string, names: readonly string[]): Promise<Wanted> {
  const namespace = await readShape(folder, NAMESPACE, shapes.namespace);
  const { variables } = await readShape(folder, VARIABLES, shapes.variables);
  const directories: WantedDirectory[] = [];
  const workflows: WantedWorkflow[] = [];
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
