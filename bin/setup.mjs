// Installs the dependencies if node_modules is missing or older than the lockfile. It runs before everything else, so it
// needs only Node itself, 20 or newer.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const installed = join(root, 'node_modules', '.package-lock.json');
const lockfile = join(root, 'package-lock.json');

const isFresh = existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs;
if (!isFresh) {
  console.error('Installing dependencies (only if the lockfile has changed) …');
  const npm = spawnSync('npm', ['ci'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) {
    console.error('npm ci failed; see the messages above.');
    process.exit(npm.status ?? 1);
  }
}
