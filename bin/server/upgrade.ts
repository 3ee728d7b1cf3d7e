import { systemClock } from '../../lib/adapters/portable/clock.ts';
import { FIRST_VERSION, MIGRATIONS } from '../../lib/domain/migrations/index.ts';
import { initialize, migrate, schemaVersionOf } from '../../lib/domain/migrations/upgrade.ts';
import type { Inventory } from '../../lib/ports/inventory.ts';
import type { Table } from '../../lib/ports/table.ts';

/** The tables as they are opened, before anything else reads or writes them. */
export interface FoundTables {
  readonly table: Table;
  readonly inventory: Inventory;
  /** They were created a moment ago. */
  readonly isNew: boolean;
  /** Keeps a copy of the database under a name that gives the reason, and returns its path; undefined without a file. */
  keepCopy(name: string): string | undefined;
}

/**
 * Migrates tables to the current schema version before they are used. A copy of the database is kept beside it, unless
 * the database is not in the data folder. Throws Error for tables of a newer version, which are not changed.
 */
export async function upgrade(
  { table, inventory, isNew, keepCopy }: FoundTables,
  migrations = MIGRATIONS,
): Promise<void> {
  if (isNew) return initialize({ table }, migrations);
  const version = await schemaVersionOf({ table }, migrations);
  const current = FIRST_VERSION + migrations.length;
  if (version === current) return;
  const copy = keepCopy(`schema-${version}`);
  const kept = copy === undefined ? 'no copy is kept' : `a copy is kept in ${copy}`;
  console.log(`Migrating the tables from schema version ${version} to ${current}; ${kept}.`);
  await migrate({ table, inventory, clock: systemClock() }, Number.POSITIVE_INFINITY, migrations);
}
