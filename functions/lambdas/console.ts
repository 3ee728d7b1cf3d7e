import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { consoleHandler } from '../../lib/api/console/console.ts';
import { openFiles } from '../../lib/api/console/files.ts';

const folderAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Deployed, the console lies beside the function; in the repository, where `npm run build:web` makes it. */
const deployed = folderAt('./console/');

export const handler = consoleHandler(openFiles(existsSync(deployed) ? deployed : folderAt('../../dist/console/')));
