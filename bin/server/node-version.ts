import { readFileSync } from 'node:fs';
import { parseJson } from '../../lib/language/json-numbers.ts';

/** The parts of `24.21.0`. */
const partsOf = (version: string): number[] => version.split('.').map(Number);

/** The version of Node that the tests use, which is also the one that bin/setup.mjs installs. */
export function testedNode(): string {
  const manifest = readFileSync(new URL('../node/package.json', import.meta.url), 'utf8');
  const { optionalDependencies } = parseJson(manifest) as { optionalDependencies: Readonly<Record<string, string>> };
  const [version] = Object.values(optionalDependencies);
  if (version === undefined) throw new Error('bin/node/package.json names no version of Node');
  return version;
}

/** A warning about a Node that is older than the tested version; undefined if it is not. */
export function adviceOn(version: string, tested: string): string | undefined {
  const [ours, theirs] = [partsOf(tested), partsOf(version)];
  const at = ours.findIndex((part, index) => part !== theirs[index]);
  if (at < 0 || (theirs[at] ?? 0) > (ours[at] ?? 0)) return undefined;
  return `This is Node ${version}; Weft is tested with ${tested}. Older versions lack security fixes: install a newer one.`;
}
