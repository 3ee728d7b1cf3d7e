// Installs from the lockfile when node_modules is missing or older than the lockfile, and a Node of its own where the one
// at hand is too old. It runs before everything else, so it uses nothing but Node itself (20 or newer).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What Weft is written for. */
const MAJOR = 24;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isWindows = process.platform === 'win32';

/** Installs what the lockfile of a folder names, unless that was done since the lockfile changed. */
function install(folder, what) {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  const lockfile = join(folder, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs) return;
  console.error(`Installing ${what} (only when the lockfile has changed) …`);
  const npm = spawnSync('npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: isWindows,
  });
  if (npm.status === 0) return;
  console.error('npm ci failed; the messages above say why.');
  process.exit(npm.status ?? 1);
}

/** The program of the Node that was installed; undefined where there is none for the system. */
function installedNode(folder) {
  const modules = join(folder, 'node_modules');
  const packages = existsSync(modules) ? readdirSync(modules).filter((name) => name.startsWith('node-')) : [];
  return packages.map((name) => join(modules, name, 'bin', isWindows ? 'node.exe' : 'node')).find(existsSync);
}

/** Puts that Node first on the PATH of every `npm run`, which begins with node_modules/.bin. */
function link(program) {
  const programs = join(root, 'node_modules', '.bin');
  mkdirSync(programs, { recursive: true });
  const place = join(programs, isWindows ? 'node.cmd' : 'node');
  rmSync(place, { force: true });
  if (isWindows) writeFileSync(place, `@"${program}" %*\r\n`);
  else symlinkSync(relative(programs, program), place);
}

/** Whether the `node` of an `npm run` is new enough without one of our own. */
function isNewEnough() {
  // It may be our own that runs this.
  const own = join(root, 'bin', 'node', 'node_modules');
  return Number(process.versions.node.split('.')[0]) >= MAJOR && !process.execPath.startsWith(own);
}

install(root, 'dependencies');
if (!isNewEnough()) {
  const folder = join(root, 'bin', 'node');
  install(folder, `Node ${MAJOR}, as the one here is older`);
  const program = installedNode(folder);
  if (program === undefined) {
    console.error(
      `Weft needs Node ${MAJOR} or newer, and this is ${process.versions.node}. There is no package of it for ` +
        `${process.platform}-${process.arch}: install it from https://nodejs.org or with your package manager.`,
    );
    process.exit(1);
  }
  link(program);
}
