import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { consoleHandler } from '../../lib/api/console/console.ts';
import { openFiles } from '../../lib/api/console/files.ts';

const folderAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * A deployed function has the console beside it. In the repository, `npm run build:web` writes it into another folder.
 */
const deployed = folderAt('./console/');

/** The files of the console. */
export const files = openFiles(existsSync(deployed) ? deployed : folderAt('../../dist/console/'));

export const handler = consoleHandler(files);
