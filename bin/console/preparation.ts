import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CONSOLE_FOLDER, ROOT } from './folder.ts';

/** A build reads these; changes of other files need no new one. */
const SOURCES = ['web', 'clients/api', 'bin/console', 'examples', 'package-lock.json'];

/** When the newest file below a path changed, milliseconds since 1970; 0 where there is none. */
async function newestIn(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const times = await Promise.all((await readdir(path)).map((name) => newestIn(join(path, name))));
  return Math.max(found.mtimeMs, ...times);
}

/**
 * Builds the console unless the present build is newer than its sources. Throws Error when it cannot be built, as where
 * optional packages are not installed: the program that builds it is one.
 */
export async function prepareConsole(): Promise<void> {
  const built = await newestIn(join(CONSOLE_FOLDER, 'index.html'));
  const changed = Math.max(...(await Promise.all(SOURCES.map((path) => newestIn(join(ROOT, path))))));
  if (built > changed) return;
  // Loaded only here: the service runs without the packages that build the console.
  const { buildConsole } = await import('./build.ts');
  await buildConsole();
}
