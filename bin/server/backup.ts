/** The part of the service that `weft backup` and `weft restore` load when they run. */
export { backUp } from '../../lib/adapters/local/database/backup/backup.ts';
export { restore, verify } from '../../lib/adapters/local/database/backup/restore.ts';
