import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

function manifestOf(): string {
  const file = findPackageJSON('.', import.meta.url);
  if (file === undefined) throw new Error(`no package.json above ${import.meta.url}`);
  return file;
}

const MANIFEST = manifestOf();

/** The folder that holds functions/: the repository, or the `dist` of the package, which has a package.json of its own. */
export const ROOT = dirname(MANIFEST);

/** The version of this package, with a `v` in front. */
export function versionOf(): string {
  return `v${(JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string }).version}`;
}
