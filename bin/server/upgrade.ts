import { systemClock } from '../../lib/adapters/local/clock.ts';
import { FIRST, STEPS } from '../../lib/domain/migrations/index.ts';
import { begin, layoutOf, lead } from '../../lib/domain/migrations/upgrade.ts';
import type { Inventory } from '../../lib/ports/inventory.ts';
import type { Table } from '../../lib/ports/table.ts';

/** What is found when the tables are opened; nobody else reads or writes them yet. */
export interface FoundTables {
  readonly table: Table;
  readonly inventory: Inventory;
  /** They were made a moment ago. */
  readonly isNew: boolean;
  /** Keeps a copy of the database under a name that says why, and returns where; undefined for one elsewhere. */
  keepCopy(name: string): string | undefined;
}

/**
 * Leads tables to the present layout before anybody reads them. What was there before stays as a copy beside them,
 * unless they are in a database that is not ours.
 * @throws Error for tables of a newer version, which are left alone.
 */
export async function upgrade({ table, inventory, isNew, keepCopy }: FoundTables, steps = STEPS): Promise<void> {
  if (isNew) return begin({ table }, steps);
  const layout = await layoutOf({ table }, steps);
  if (steps.length < layout) return;
  const copy = keepCopy(`layout-${layout}`);
  const kept = copy === undefined ? 'no copy is made' : `as they were, they stay in ${copy}`;
  console.log(`The data have layout ${layout}; they are led to layout ${FIRST + steps.length} now, and ${kept}.`);
  await lead({ table, inventory, clock: systemClock() }, Number.POSITIVE_INFINITY, steps);
}
