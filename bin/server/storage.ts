import { join } from 'node:path';
import { type DataFolder, openDataFolder } from '../../lib/adapters/local/database/data-folder.ts';
import { LocalDatabase } from '../../lib/adapters/local/database/database.ts';
import { importOlderFolder } from '../../lib/adapters/local/import/older-folder.ts';
import { databaseTable } from '../../lib/adapters/local/table/table.ts';
import type { Table } from '../../lib/ports/table.ts';
import type { LocalSettings } from './settings.ts';
import { upgrade } from './upgrade.ts';

/** What is counted of a call to a database at an endpoint. */
export interface DatabaseCall {
  readonly operation: string;
  readonly table: string;
  readonly units?: number;
}

/** Who wants to know about the database. */
export interface StorageObserver {
  /** Each call to the database at the endpoint; the database in this process counts none. */
  readonly onCall?: (call: DatabaseCall) => void;
  /** The disk failed to keep the database; nothing works from then on. */
  readonly onLost?: (reason: string) => void;
}

/** Where the service keeps everything. */
export interface Storage {
  readonly database: LocalDatabase;
  readonly table: Table;
}

type AddCloser = (closer: () => Promise<void> | void) => void;

/** Keeps a copy of the database beside it under a name that says why; one that is there already is older, and stays. */
function copierOf(database: LocalDatabase, folder: DataFolder | undefined) {
  return (name: string): string | undefined => (folder === undefined ? undefined : database.keepCopy(name));
}

async function openFolder(data: string | undefined, addCloser: AddCloser): Promise<DataFolder | undefined> {
  if (data === undefined) return undefined;
  const folder = openDataFolder(data);
  addCloser(folder.release);
  if (await importOlderFolder(folder)) {
    console.log(
      `The data of an older version were copied into ${folder.file}; ${join(data, 'database')}, ${join(data, 'blobs')} ` +
        'and the older *.db files beside them are no longer used, and can be deleted.',
    );
  }
  return folder;
}

/**
 * Opens the data folder, or memory, and the tables in it or at the settings' endpoint, and migrates what an older version
 * left. What was opened is closed by what `addCloser` receives, in the opposite order.
 * @throws Error when the folder or the endpoint cannot be used.
 */
export async function openStorage(
  settings: Pick<LocalSettings, 'data' | 'databaseEndpoint' | 'sync'>,
  { onCall, onLost }: StorageObserver,
  addCloser: AddCloser,
): Promise<Storage> {
  const { data, databaseEndpoint: endpoint, sync } = settings;
  const folder = await openFolder(data, addCloser);
  const database = new LocalDatabase({
    file: folder?.file ?? ':memory:',
    sync,
    // A step may write here and at the endpoint; the two have no order but by waiting for the disk.
    acknowledge: endpoint === undefined ? 'written' : 'durable',
    onLost,
  });
  addCloser(() => database.close());
  if (endpoint !== undefined) {
    // The AWS SDK is loaded only where it is used.
    const { openEndpointTable } = await import('../../lib/adapters/local/endpoint/tables.ts');
    const migrate: NonNullable<Parameters<typeof openEndpointTable>[0]['upgrade']> = (found) =>
      upgrade({ ...found, keepCopy: () => undefined });
    const opened = await openEndpointTable({ endpoint, upgrade: migrate, ...(onCall && { onCall }) });
    addCloser(opened.close);
    return { database, table: opened.table };
  }
  const { table, inventory } = databaseTable(database);
  await upgrade({ table, inventory, isNew: database.isNew, keepCopy: copierOf(database, folder) });
  await database.durable();
  return { database, table };
}
