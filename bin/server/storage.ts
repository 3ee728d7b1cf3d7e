import { type DataFolder, openDataFolder } from '../../lib/adapters/local/database/data-folder.ts';
import { type DataSummary, databaseSize, summarize } from '../../lib/adapters/local/database/data-summary.ts';
import { LocalDatabase } from '../../lib/adapters/local/database/database.ts';
import { Reserve } from '../../lib/adapters/local/database/disk/reserve.ts';
import type { Expire } from '../../lib/adapters/local/table/expiry.ts';
import { databaseTable } from '../../lib/adapters/local/table/table.ts';
import { systemClock } from '../../lib/adapters/portable/clock.ts';
import { omitUndefined } from '../../lib/language/omit-undefined.ts';
import type { Table } from '../../lib/ports/table.ts';
import type { Observer } from './observer.ts';
import type { LocalSettings } from './settings.ts';
import { type FoundTables, upgrade } from './upgrade.ts';

/** The database of the service, and its tables, which may be at an endpoint. */
export interface Storage {
  readonly database: LocalDatabase;
  readonly table: Table;
  /** Undefined for tables at an endpoint. */
  readonly expire: Expire | undefined;
  /** Undefined for data in memory. */
  readonly summary: DataSummary | undefined;
  /** The bytes of the database file and its log now; undefined in memory. */
  readonly size: () => number | undefined;
}

/** The options of `openStorage`. */
export interface StorageOptions {
  readonly settings: Pick<LocalSettings, 'data' | 'databaseEndpoint' | 'databaseRegion' | 'sync'>;
  readonly observer: Pick<Observer, 'onCall' | 'onLost'>;
  /** Closes everything that was opened, in the opposite order. */
  readonly closers: AsyncDisposableStack;
}

function openFolder({ settings: { data }, closers }: StorageOptions): DataFolder | undefined {
  if (data === undefined) return undefined;
  const folder = openDataFolder(data);
  closers.defer(folder.release);
  return folder;
}

type Tables = Pick<Storage, 'table' | 'expire'>;

async function openAtEndpoint(endpoint: string, options: StorageOptions): Promise<Tables> {
  const { observer, closers, settings } = options;
  const optional = omitUndefined({ onCall: observer.onCall, region: settings.databaseRegion });
  // The AWS SDK is loaded only where it is used.
  const { openEndpointTable } = await import('../../lib/adapters/local/endpoint/tables.ts');
  const migrate = (found: Omit<FoundTables, 'keepCopy'>) => upgrade({ ...found, keepCopy: () => undefined });
  const { table, close } = await openEndpointTable({ endpoint, upgrade: migrate, ...optional });
  closers.defer(close);
  return { table, expire: undefined };
}

async function openInDatabase(database: LocalDatabase, folder: DataFolder | undefined): Promise<Tables> {
  const { table, inventory, expire } = databaseTable(database);
  const keepCopy = (name: string) => (folder === undefined ? undefined : database.keepCopy(name));
  await upgrade({ table, inventory, isNew: database.isNew, keepCopy });
  await database.durable();
  return { table, expire };
}

/**
 * Opens the data folder, or memory, and the tables in it or at the settings' endpoint, and migrates the data of an older
 * version. Throws Error when the folder or the endpoint cannot be used.
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { databaseEndpoint: endpoint, sync } = options.settings;
  const folder = openFolder(options);
  const database = new LocalDatabase({
    file: folder?.file ?? ':memory:',
    sync,
    reserve: folder === undefined ? undefined : new Reserve(folder.file),
    // A step may write here and at the endpoint. Only waiting for the disk puts the two writes in order.
    acknowledge: endpoint === undefined ? 'written' : 'durable',
    onLost: options.observer.onLost,
  });
  options.closers.defer(() => database.close());
  const tables = endpoint === undefined ? openInDatabase(database, folder) : openAtEndpoint(endpoint, options);
  const summary = folder === undefined ? undefined : summarize(database, folder, systemClock().now());
  const size = () => (folder === undefined ? undefined : databaseSize(folder.file));
  return { database, ...(await tables), summary, size };
}
