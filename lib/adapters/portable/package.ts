import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJson } from '../../language/json-numbers.ts';

const MANIFEST = 'package.json';

/** The nearest folder with a package.json, from a folder upwards. */
function folderAbove(folder: string): string {
  if (existsSync(join(folder, MANIFEST))) return folder;
  if (dirname(folder) === folder) throw new Error(`no ${MANIFEST} above ${import.meta.url}`);
  return folderAbove(dirname(folder));
}

/** The folder of this package: the repository, or `dist` of the published package, which has a package.json of its own. */
export const PACKAGE_FOLDER = folderAbove(dirname(fileURLToPath(import.meta.url)));

/** The version of this package, with a `v` in front. */
export function packageVersion(): string {
  const { version } = parseJson(readFileSync(join(PACKAGE_FOLDER, MANIFEST), 'utf8')) as { readonly version: string };
  return `v${version}`;
}
