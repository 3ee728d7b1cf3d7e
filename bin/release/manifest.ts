/** The parts of package.json that a release reads. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
}

/** Fields that only a clone uses. The package is bundled: the dependencies of a clone are inside its modules. */
const OF_A_CLONE = ['private', 'scripts', 'dependencies', 'devDependencies'];

/** The oldest Node on which the published package is tried. A clone starts with an older one and installs its own. */
/** `node:sqlite`, which tests of workflows use, needs no flag from this version on. */
const ENGINES = { node: '>=22.13' };

/** The package.json of the published package, from that of the clone. */
export function publishedManifest(manifest: Manifest): Manifest {
  const kept = Object.entries(manifest).filter(([field]) => !OF_A_CLONE.includes(field));
  return { ...(Object.fromEntries(kept) as Manifest), engines: ENGINES };
}
