import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the local server finds the console. */
export const CONSOLE_FOLDER = join(ROOT, 'dist', 'console');
