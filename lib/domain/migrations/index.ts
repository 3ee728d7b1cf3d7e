import type { Migration } from './migration.ts';

/** The schema version of tables that store none. */
export const FIRST_VERSION = 1;

/** The migrations from each schema version to the next, from the first one on. A released migration never changes. */
export const MIGRATIONS: readonly Migration[] = [];

/** The schema version to which this version of Weft migrates tables. */
export const LAST_VERSION = FIRST_VERSION + MIGRATIONS.length;
