import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Blobs } from '../../../ports/blobs.ts';
import type { TableName } from '../../../ports/table.ts';
import { tableSchemas } from '../../portable/schema.ts';
import { databaseBlobs } from '../blobs.ts';
import { type DataFolder, makeFilesPrivate } from '../database/data-folder.ts';
import { LocalDatabase } from '../database/database.ts';
import { lockFolder } from '../database/folder-lock.ts';
import { deliveriesSchema } from '../deliveries/journal.ts';
import { SCHEMA as EXECUTIONS } from '../executions/schema.ts';
import { SCHEMA as SCHEDULES } from '../schedules.ts';
import { databaseTable } from '../table/table.ts';
import { itemOf } from './notation.ts';

const TABLES = Object.keys(tableSchemas) as TableName[];

/** The folder and the file of the database of older versions. */
const [FOLDER, FILE] = ['database', 'database'];

/** The tables of the journals of older versions: file, table, and the table that it becomes. */
const JOURNALS = [
  ['executions.db', 'machines', 'machines'],
  ['executions.db', 'executions', 'executions'],
  ['executions.db', 'threads', 'threads'],
  ['executions.db', 'owed', 'owed'],
  ['bus.db', 'deliveries', 'bus_deliveries'],
  ['bus.db', 'names', 'bus_names'],
  ['schedules.db', 'deliveries', 'clock_deliveries'],
  ['schedules.db', 'names', 'clock_names'],
  ['schedules.db', 'schedules', 'schedules'],
] as const;

async function importItems(database: LocalDatabase, file: string): Promise<void> {
  const { table } = databaseTable(database);
  const old = new DatabaseSync(file);
  try {
    for (const name of TABLES) {
      for (const row of old.prepare(`SELECT item_json FROM "weft-${name}"`).iterate()) {
        await table.write([{ do: 'put', table: name, item: itemOf(String(row['item_json'])) }]);
      }
    }
  } finally {
    old.close();
  }
}

function importJournals(database: LocalDatabase, folder: string): void {
  for (const schema of [EXECUTIONS, deliveriesSchema('bus'), deliveriesSchema('clock'), SCHEDULES]) {
    database.define(schema);
  }
  for (const [file, from, to] of JOURNALS) {
    const path = join(folder, file);
    if (!existsSync(path)) continue;
    database.define(
      `ATTACH '${path.replaceAll("'", "''")}' AS old; INSERT INTO ${to} SELECT * FROM old.${from}; DETACH old`,
    );
  }
}

/** The part of a blob's key for a file name: bytes are written `%xx`, and an empty part `%`. */
const partOf = (name: string): string => (name === '%' ? '' : decodeURIComponent(name));

const SUFFIX = '.blob';
const DRAFTS = '.drafts';

async function importBlobs(blobs: Blobs, folder: string, parts: readonly string[] = []): Promise<void> {
  for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== DRAFTS) await importBlobs(blobs, path, [...parts, partOf(entry.name)]);
    if (!entry.isFile() || !entry.name.endsWith(SUFFIX)) continue;
    const key = [...parts, partOf(entry.name.slice(0, -SUFFIX.length))].join('/');
    await blobs.put(key, readFileSync(path));
  }
}

const removeFile = (file: string): void => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
};

/**
 * Copies the data of an older version, which used a database process and three journal files, into a new database file.
 * Does nothing if the new file exists or the folder has no older data. The older files are not changed. Returns whether it
 * copied them. It can be interrupted anywhere and repeated.
 * @throws Error while an older version has the folder open, and when a file cannot be read.
 */
export async function importOlderFolder({ path, file }: Pick<DataFolder, 'path' | 'file'>): Promise<boolean> {
  const folder = join(path, FOLDER);
  if (existsSync(file) || !existsSync(join(folder, FILE))) return false;
  const lock = lockFolder(folder);
  const draft = `${file}.import`;
  removeFile(draft);
  const database = new LocalDatabase({ file: draft, acknowledge: 'written' });
  try {
    await importItems(database, join(folder, FILE));
    importJournals(database, path);
    await importBlobs(databaseBlobs(database), join(path, 'blobs'));
  } finally {
    await database.close();
    lock.release();
  }
  renameSync(draft, file);
  for (const name of [FOLDER, 'blobs']) if (existsSync(join(path, name))) makeFilesPrivate(join(path, name), true);
  return true;
}
