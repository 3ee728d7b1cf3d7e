import { stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isNodeName } from '../../../lib/domain/names.ts';
import { findFolderConfig } from '../client/target.ts';
import { UsageError } from '../shell/command.ts';

const EXTENSION = /\.ya?ml$/;

/** The root of the Git repository of a folder; undefined outside of one. */
async function repositoryOf(folder: string): Promise<string | undefined> {
  if (await stat(join(folder, '.git')).catch(() => undefined)) return folder;
  return dirname(folder) === folder ? undefined : repositoryOf(dirname(folder));
}

/**
 * The path in the tree of the workflow of one file, so that files of one name in several folders are several workflows:
 * relative to the folder of the configuration file, else to the Git repository; without both, its folder and its name.
 * Throws UsageError if a folder has a name that no node can have.
 */
export async function pathOfFile(cwd: string, name: string): Promise<string> {
  const file = resolve(cwd, name);
  const homes = [(await findFolderConfig(dirname(file)))?.folder, await repositoryOf(dirname(file))];
  const inside = homes
    .map((home) => (home === undefined ? '..' : relative(home, file)))
    .find((path) => !path.startsWith('..'));
  const segments = (inside?.split(sep) ?? [basename(dirname(file)), basename(file)]).map((segment, index, all) =>
    index === all.length - 1 ? segment.replace(EXTENSION, '') : segment,
  );
  const odd = segments.find((segment) => !isNodeName(segment));
  if (odd === undefined) return segments.join('/');
  throw new UsageError(
    `'${odd}' in the path of ${name} is no name of a workflow or directory; choose a path: 'weft push ${name} PATH', then 'weft exec PATH'`,
  );
}
