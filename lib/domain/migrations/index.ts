import { listenersByValue } from './listeners-by-value.ts';
import type { Migration } from './migration.ts';
import { runsByTime } from './runs-by-time.ts';
import { shortRuns } from './short-runs.ts';

/** The schema version of tables that store none. */
export const FIRST_VERSION = 1;

/** The migrations from each schema version to the next, from the first one on. A released migration never changes. */
export const MIGRATIONS: readonly Migration[] = [runsByTime, listenersByValue, shortRuns];

/** The schema version to which this version of Weft migrates tables. */
export const LAST_VERSION = FIRST_VERSION + MIGRATIONS.length;
