import { globSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder of the clone. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** An installed package. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The folder in which it is installed. */
  readonly folder: string;
}

type Names = Readonly<Record<string, unknown>>;

interface Manifest extends Omit<Package, 'folder'> {
  readonly dependencies?: Names;
  readonly optionalDependencies?: Names;
  readonly peerDependencies?: Names;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const manifestAt = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8')) as Manifest;

/** The packages that a package cannot do without. */
function neededBy(manifest: Manifest): string[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  return [
    ...Object.keys(dependencies).filter((name) => !Object.hasOwn(optionalDependencies, name)),
    ...Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true),
  ];
}

/** The packages that the files of the console import: they are bundled, and no dependencies of the service. */
function packagesOfConsole(): string[] {
  const imports = globSync('web/**/*.{ts,tsx}', { cwd: ROOT }).flatMap((file) => [
    ...readFileSync(join(ROOT, file), 'utf8').matchAll(/from '((?:@[\w.-]+\/)?[\w][\w.-]*)(?:\/[^']*)?'/g),
  ]);
  return imports.map(([, name = '']) => name);
}

/** The packages that the service or its console contains, each once. They must be installed. */
export function bundledPackages(): Package[] {
  const own = join(ROOT, 'package.json');
  const found = new Map<string, Package>();
  const visit = (from: string, names: readonly string[]): void => {
    for (const name of names) {
      const file = findPackageJSON(name, pathToFileURL(from));
      if (file === undefined || file === own || found.has(file)) continue;
      const manifest = manifestAt(file);
      found.set(file, { ...manifest, folder: dirname(file) });
      visit(file, neededBy(manifest));
    }
  };
  // The peers of the package itself are packages that a user of its constructs installs.
  visit(own, [...Object.keys(manifestAt(own).dependencies ?? {}), ...packagesOfConsole()]);
  return [...found.values()];
}
