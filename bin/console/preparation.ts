import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CONSOLE_FOLDER, ROOT } from './folder.ts';

/** The inputs of a build. */
const SOURCES = ['web', 'clients/api', 'bin/console', 'examples', 'package-lock.json'];

/** The time of the newest change below a path, milliseconds since 1970; 0 if the path does not exist. */
async function newestIn(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const times = await Promise.all((await readdir(path)).map((name) => newestIn(join(path, name))));
  return Math.max(found.mtimeMs, ...times);
}

/** Whether a built file is missing, or older than one of the paths of its sources, which are relative to the clone. */
export async function isOutdated(file: string, sources: readonly string[]): Promise<boolean> {
  const changed = Math.max(...(await Promise.all(sources.map((path) => newestIn(join(ROOT, path))))));
  return (await newestIn(file)) <= changed;
}

/**
 * Builds the console unless the present build is newer than its sources. Throws Error if it cannot be built, for example
 * without the optional package of the bundler.
 */
export async function prepareConsole(): Promise<void> {
  if (!(await isOutdated(join(CONSOLE_FOLDER, 'index.html'), SOURCES))) return;
  // Loaded only here: the service runs without the packages that build the console.
  const { buildConsole } = await import('./build.ts');
  await buildConsole();
}
