import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './processes.ts';

const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'weft-bench');

function versionIn(folder: string, name: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
  } catch {
    return undefined;
  }
}

/**
 * Installs npm packages, by name and version, into a folder of the user's cache if they are not there yet, without their
 * install scripts. Returns the folder.
 */
export async function installPackages(peer: string, packages: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(CACHE, peer);
  if (Object.entries(packages).every(([name, version]) => versionIn(folder, name) === version)) return folder;
  mkdirSync(folder, { recursive: true });
  // Without a package.json, npm would search one in the folders above.
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  console.error(`installs ${peer} into ${folder} …`);
  const names = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const flags = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts'];
  await runProgram('npm', ['install', ...flags, '--prefix', folder, ...names]);
  return folder;
}
