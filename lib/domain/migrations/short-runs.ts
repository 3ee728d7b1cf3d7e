import type { Migration } from './migration.ts';

/**
 * To schema version 4: the items of runs leave out values that are usual or follow from other attributes, and name
 * less. No item is changed, as readers accept both forms; the version keeps services away that do not know the new one.
 */
export const shortRuns: Migration = { changes: {} };
