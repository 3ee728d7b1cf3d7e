import { upgrade } from '../../../../bin/server/upgrade.ts';
import { openDataFolder } from '../../../../lib/adapters/local/database/data-folder.ts';
import { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';
import { databaseTable } from '../../../../lib/adapters/local/table/table.ts';
import { MIGRATIONS } from '../../../../lib/domain/migrations/index.ts';

/** Opens the tables of a folder and migrates them as the service does, or by other migrations. */
export async function openUpgraded(folder: string, migrations = MIGRATIONS) {
  const { file, release } = openDataFolder(folder);
  const database = new LocalDatabase({ file, acknowledge: 'written' });
  const close = async () => {
    await database.close();
    release();
  };
  const { table, inventory } = databaseTable(database);
  const keepCopy = (name: string) => database.keepCopy(name);
  try {
    await upgrade({ table, inventory, isNew: database.isNew, keepCopy }, migrations);
  } catch (error) {
    await close();
    throw error;
  }
  return { table, close };
}
