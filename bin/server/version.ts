import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of this package, with a `v` in front. The bundled command line has a package.json of its own beside it. */
export function versionOf(): string {
  const file = findPackageJSON('.', import.meta.url);
  if (file === undefined) throw new Error(`no package.json above ${import.meta.url}`);
  return `v${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}`;
}
