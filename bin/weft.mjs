#!/usr/bin/env node
// The program `weft` of the package. The published package contains it as JavaScript, because Node does not strip
// types below node_modules. A clone runs the TypeScript sources, if necessary with the Node among its dependencies. Plain
// JavaScript for Node 20 and newer.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants, homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const source = pathOf('weft.ts');

if (!existsSync(source)) {
  // Compiled code is kept in a folder of the user, because others may write to the default, which is below /tmp. Node
  // ignores a folder that it cannot write. Node 22.1 and newer have this function.
  module.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'weft', 'compiled'));
  await import('../dist/weft.mjs');
} else {
  const own = pathOf('../node_modules/.bin/node');
  const runsTypeScript = process.features.typescript || existsSync(own);
  // Only if something is missing: other processes may be using the installed packages.
  if (!existsSync(pathOf('../node_modules')) || !runsTypeScript) await import('./setup.mjs');
  if (process.features.typescript) {
    await import('./weft.ts');
  } else {
    const child = spawn(existsSync(own) ? own : process.execPath, [source, ...process.argv.slice(2)], {
      stdio: 'inherit',
    });
    // The terminal sends Ctrl-C to both processes, another sender to this one alone; the child determines the exit code.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.on('exit', (code, signal) => {
      process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
    });
  }
}
