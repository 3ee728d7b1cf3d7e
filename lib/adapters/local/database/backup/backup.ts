import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE } from '../data-folder.ts';
import { makePrivate } from '../disk/private-file.ts';
import { addChecksum } from './checksum.ts';

/** The table of a backup with the files of the data folder that are not in the database. */
export const FILES_TABLE = 'backup_files';
/** Files with a key: the administrator's generated key, and the key that encrypts secrets. */
export const KEY_FILES = ['api-key', 'root-key'] as const;
/** The database of the prepared container revisions. */
export const REVISIONS_FILE = 'containers/revisions.db';

/** The contents of a backup. */
export interface BackupContents {
  /** The path and the size of the backup. */
  readonly file: string;
  readonly bytes: number;
  /** The files of the data folder beside the database that it contains. */
  readonly files: readonly string[];
}

/** Milliseconds to wait for a lock of the service. */
const PATIENCE_MS = 10_000;

/** Writes the data of a file and the entry of its folder to the disk. */
export function flushFile(file: string): void {
  for (const path of process.platform === 'win32' ? [file] : [file, dirname(file)]) {
    const opened = openSync(path, path === file ? 'r+' : 'r');
    fsyncSync(opened);
    closeSync(opened);
  }
}

/** Copies the state of a database at this moment into a new file with mode 0600. Other processes may write meanwhile. */
function copyDatabase(from: string, to: string): void {
  // Created before it has any data, so that it is never readable for others.
  makePrivate(to);
  const source = new DatabaseSync(from, { readOnly: true, timeout: PATIENCE_MS });
  try {
    source.prepare('VACUUM INTO ?').run(to);
  } finally {
    source.close();
  }
}

/** The prepared revisions as the bytes of a database, without the ids of images, which another machine does not have. */
function readRevisions(folder: string, draft: string): Uint8Array | undefined {
  const file = join(folder, REVISIONS_FILE);
  if (!existsSync(file)) return undefined;
  const copy = `${draft}.revisions`;
  try {
    copyDatabase(file, copy);
    const database = new DatabaseSync(copy);
    database.exec('PRAGMA journal_mode = DELETE; UPDATE revisions SET image = NULL');
    database.close();
    return readFileSync(copy);
  } finally {
    rmSync(copy, { force: true });
  }
}

const readKey = (folder: string, name: string): Uint8Array | undefined =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name)) : undefined;

/** Adds the files to the copy of the database; returns their names. */
function addFiles(folder: string, draft: string): string[] {
  // Read after the database: a key file exists before the first row that depends on it.
  const files = new Map<string, Uint8Array | undefined>(KEY_FILES.map((name) => [name, readKey(folder, name)]));
  files.set(REVISIONS_FILE, readRevisions(folder, draft));
  const found = [...files].flatMap(([name, bytes]) => (bytes === undefined ? [] : [{ name, bytes }]));
  const copy = new DatabaseSync(draft);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
    copy.exec(`CREATE TABLE ${FILES_TABLE} (name TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID`);
    const add = copy.prepare(`INSERT INTO ${FILES_TABLE} VALUES (?, ?)`);
    for (const { name, bytes } of found) add.run(name, bytes);
  } finally {
    copy.close();
  }
  return found.map(({ name }) => name);
}

/**
 * Copies a data folder into one new file with mode 0600: the database with all blobs as it is at this moment, the key
 * files and the prepared container revisions. A service that uses the folder continues to work: the copy is one read
 * transaction of SQLite, which delays no writer.
 * @throws Error when the folder has no database, when the file exists, or when it cannot be written; nothing is left then.
 */
export function backUp(folder: string, target: string): BackupContents {
  const file = resolve(target);
  const database = join(folder, DATABASE_FILE);
  if (!existsSync(database)) throw new Error(`the data folder ${folder} has no database`);
  if (existsSync(file)) throw new Error(`${file} exists already; choose another name, or move it away`);
  const draft = `${file}.part`;
  rmSync(draft, { force: true });
  try {
    copyDatabase(database, draft);
    const files = addFiles(folder, draft);
    addChecksum(draft);
    chmodSync(draft, 0o600);
    flushFile(draft);
    renameSync(draft, file);
    flushFile(file);
    return { file, bytes: statSync(file).size, files };
  } catch (cause) {
    rmSync(draft, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`no backup of ${folder} could be written to ${file}: ${why}`, { cause });
  }
}
