import { upgrade } from '../../../../bin/server/upgrade.ts';
import { openDataFolder } from '../../../../lib/adapters/local/database/data-folder.ts';
import { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';
import { databaseTable } from '../../../../lib/adapters/local/table/table.ts';
import { STEPS } from '../../../../lib/domain/migrations/index.ts';

/** The tables of a folder, migrated as the service does it, or by other steps. */
export async function openUpgraded(folder: string, steps = STEPS) {
  const { file, release } = openDataFolder(folder);
  const database = new LocalDatabase({ file, acknowledge: 'written' });
  const close = async () => {
    await database.close();
    release();
  };
  const { table, inventory } = databaseTable(database);
  const keepCopy = (name: string) => database.keepCopy(name);
  try {
    await upgrade({ table, inventory, isNew: database.isNew, keepCopy }, steps);
  } catch (error) {
    await close();
    throw error;
  }
  return { table, close };
}
