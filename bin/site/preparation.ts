import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from '../console/folder.ts';
import { isOutdated } from '../console/preparation.ts';
import { SITE_FOLDER } from './folder.ts';

/** The inputs of a build. */
const SOURCES = ['docs', 'examples', 'web/site', 'bin/site', 'README.md', 'CHANGELOG.md', 'package-lock.json'];

/** A build takes some seconds. */
const MAX_MS = 60_000;

const PROGRAM = fileURLToPath(new URL('build.ts', import.meta.url));

/** The line of an output of Node that has the message of the error. */
const messageOf = (stderr: string): string => /^\w*Error.*$/m.exec(stderr)?.[0] ?? stderr.trim();

/** Whether there is a documentation, or texts of which it can be made. */
export const hasSite = (): boolean => existsSync(join(SITE_FOLDER, 'index.html')) || existsSync(join(ROOT, 'docs'));

/**
 * Makes the documentation unless the present one is newer than its texts. Returns its folder; undefined if there is none, and
 * none can be made, for example without the packages for development. Prints the reason then.
 */
export async function prepareSite(): Promise<string | undefined> {
  const index = join(SITE_FOLDER, 'index.html');
  // An image has the pages without their texts.
  if (existsSync(join(ROOT, 'docs')) && (await isOutdated(index, SOURCES))) {
    try {
      // In a process of its own: the service replies to others meanwhile, and needs none of the packages that make pages.
      await promisify(execFile)(process.execPath, [PROGRAM], { timeout: MAX_MS });
    } catch (error) {
      const { stderr } = error as { readonly stderr?: string };
      console.error(`The pages at /docs cannot be made anew: ${messageOf(stderr ?? String(error))}`);
    }
  }
  return existsSync(index) ? SITE_FOLDER : undefined;
}
