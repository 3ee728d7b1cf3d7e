import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kindOf, MANIFEST, revisionFile, type WorkflowFile } from '../transfer/archive-layout.ts';
import { readDesiredState, unpack } from '../transfer/archive-reader.ts';
import { openArchiveWriter } from '../transfer/archive-writer.ts';
import { hashOf } from '../transfer/remote.ts';
import type { MigratedText, OldText } from './sources.ts';

/** A revision in an archive. */
interface OldRevision extends OldText {
  readonly name: string;
  readonly hash: string;
}

/** An archive that was unpacked. */
export interface OldArchive {
  readonly folder: string;
  readonly names: readonly string[];
  readonly revisions: readonly OldRevision[];
}

/** Unpacks an archive of `weft export` into an empty folder. Throws CommandFailedError. */
export async function readOldArchive(file: string, folder: string): Promise<OldArchive> {
  const names = await unpack(file, folder);
  const { workflows } = await readDesiredState(folder, names);
  const revisions: OldRevision[] = [];
  for (const { path, revisions: all } of workflows) {
    for (const [index, { hash }] of all.entries()) {
      const name = revisionFile(path, index + 1);
      const label = all.length === 1 ? path : `${path} (revision ${index + 1} of ${all.length})`;
      const source = await readFile(join(folder, name), 'utf8');
      revisions.push({ label, path, before: path, source, name, hash });
    }
  }
  return { folder, names, revisions };
}

/** Writes the archive with the migrated texts to a file. */
export async function writeArchive(
  { folder, names, revisions }: OldArchive,
  migrated: readonly MigratedText[],
  file: string,
): Promise<void> {
  const hashes = new Map<string, string>();
  for (const [index, { name, hash, source }] of revisions.entries()) {
    const text = migrated[index]?.text ?? source;
    hashes.set(hash, hashOf(Buffer.from(text)));
    await writeFile(join(folder, name), text);
  }
  const newHash = (hash: string) => hashes.get(hash) ?? hash;
  const archive = await openArchiveWriter(file);
  try {
    for (const name of names.toSorted((a, b) => Number(a === MANIFEST) - Number(b === MANIFEST))) {
      const bytes = await readFile(join(folder, name));
      await archive.add(name, kindOf(name) === 'workflow' ? rehashed(bytes, newHash) : bytes);
    }
    await archive.end();
  } catch (error) {
    await archive.discard();
    throw error;
  }
}

/** The description of a workflow with the hashes of its new texts. */
function rehashed(bytes: Buffer, newHash: (hash: string) => string): string {
  const described = JSON.parse(bytes.toString('utf8')) as WorkflowFile;
  const revisions = described.revisions.map((one) => ({ ...one, hash: newHash(one.hash) }));
  const tags = Object.fromEntries(Object.entries(described.tags ?? {}).map(([tag, hash]) => [tag, newHash(hash)]));
  return JSON.stringify({ ...described, revisions, tags }, null, 2);
}
