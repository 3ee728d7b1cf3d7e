#!/usr/bin/env node
// What npm calls `weft`. Node strips no types below node_modules, so a package holds the program as one file; a clone
// runs its sources, with the Node that its dependencies bring where the one at hand is too old. Plain JavaScript for
// Node 20 and newer.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const source = pathOf('weft.ts');

if (!existsSync(source)) {
  await import('../dist/weft.mjs');
} else {
  // Only where nothing is installed: an update while others work here is theirs to ask for.
  if (!existsSync(pathOf('../node_modules'))) await import('./setup.mjs');
  if (process.features.typescript) {
    await import('./weft.ts');
  } else {
    const own = pathOf('../node_modules/.bin/node');
    const child = spawn(existsSync(own) ? own : process.execPath, [source, ...process.argv.slice(2)], {
      stdio: 'inherit',
    });
    // The terminal sends Ctrl-C to both; the child says how it ends.
    process.on('SIGINT', () => {});
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.on('exit', (code) => {
      process.exitCode = code ?? 1;
    });
  }
}
