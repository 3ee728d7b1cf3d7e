import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { filesIn, groupByWorkflow } from '../transfer/folder.ts';

/** The hash of each YAML file below a folder and of each variable beside one, by its absolute path. */
export type Snapshot = ReadonlyMap<string, string>;

/** Reads the workflows, tests and variables of a folder. Other files in it may change all the time, as a log does. */
export async function takeSnapshot(folder: string): Promise<Snapshot> {
  const paths = [...groupByWorkflow(await filesIn(folder))].flatMap(([path, beside]) => [path, ...beside]);
  const files = paths.map((path) => resolve(folder, path));
  const hashes = await Promise.all(
    files.map(async (file) => {
      // A file may vanish while its folder is read.
      const bytes = await readFile(file).catch(() => undefined);
      return bytes === undefined ? [] : [[file, createHash('sha256').update(bytes).digest('hex')] as const];
    }),
  );
  return new Map(hashes.flat());
}

/** The files that are new, changed or gone. */
export function changedFiles(before: Snapshot, after: Snapshot): ReadonlySet<string> {
  const files = new Set([...before.keys(), ...after.keys()]);
  return new Set([...files].filter((file) => before.get(file) !== after.get(file)));
}
