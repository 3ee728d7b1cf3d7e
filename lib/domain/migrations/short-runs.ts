import type { Migration } from './migration.ts';

/**
 * To schema version 4: the items of runs leave out what is usual or follows from their other attributes, and name less. No
 * item is changed, as readers accept both forms; the version keeps services away that do not know the new one.
 */
export const shortRuns: Migration = { changes: {} };
