// Installs the dependencies if node_modules is missing or older than the lockfile, and Node 24 if the installed Node is
// older. It runs before everything else, so it needs only Node itself, 20 or newer.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version of Node that Weft needs. */
const MAJOR = 24;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isWindows = process.platform === 'win32';

/** Installs the packages in the lockfile of a folder, unless they are installed and the lockfile has not changed since. */
function install(folder, what) {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  const lockfile = join(folder, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs) return;
  console.error(`Installing ${what} (only if the lockfile has changed) …`);
  const npm = spawnSync('npm', ['ci'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: isWindows,
  });
  if (npm.status === 0) return;
  console.error('npm ci failed; see the messages above.');
  process.exit(npm.status ?? 1);
}

/** The program of the installed package of Node; undefined if there is no package for this system. */
function installedNode(folder) {
  const modules = join(folder, 'node_modules');
  const packages = existsSync(modules) ? readdirSync(modules).filter((name) => name.startsWith('node-')) : [];
  return packages.map((name) => join(modules, name, 'bin', isWindows ? 'node.exe' : 'node')).find(existsSync);
}

/** Puts that Node first on the PATH of every `npm run`, which starts with node_modules/.bin. */
function link(program) {
  const programs = join(root, 'node_modules', '.bin');
  mkdirSync(programs, { recursive: true });
  const place = join(programs, isWindows ? 'node.cmd' : 'node');
  // Renamed into its place: two commands can be started at once.
  const made = `${place}-${process.pid}`;
  if (isWindows) writeFileSync(made, `@"${program}" %*\r\n`);
  else symlinkSync(relative(programs, program), made);
  renameSync(made, place);
}

/** Whether the Node of the system is new enough. */
function isNewEnough() {
  // The Node that runs this may be the installed package.
  const own = join(root, 'bin', 'node', 'node_modules');
  return Number(process.versions.node.split('.')[0]) >= MAJOR && !process.execPath.startsWith(own);
}

install(root, 'dependencies');
if (!isNewEnough()) {
  const folder = join(root, 'bin', 'node');
  install(folder, `Node ${MAJOR}, because the Node of this system is older`);
  const program = installedNode(folder);
  if (program === undefined) {
    console.error(
      `Weft needs Node ${MAJOR} or newer, and this is Node ${process.versions.node}. No package of Node exists for ` +
        `${process.platform}-${process.arch}: install it from https://nodejs.org or with your package manager.`,
    );
    process.exit(1);
  }
  link(program);
}
