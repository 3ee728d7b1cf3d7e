import { join } from 'node:path';
import { ROOT } from '../console/folder.ts';

/** Where the local service finds the documentation as pages. */
export const SITE_FOLDER = join(ROOT, 'dist', 'site');
