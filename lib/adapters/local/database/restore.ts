import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FILES_TABLE, flushFile, KEY_FILES, REVISIONS_FILE } from './backup.ts';
import { FORMAT, makePrivate } from './connection.ts';
import { openDataFolder } from './data-folder.ts';

/** The result of a restore. */
export interface Restored {
  readonly folder: string;
  /** The files beside the database. */
  readonly files: readonly string[];
}

const RESTORABLE: readonly string[] = [...KEY_FILES, REVISIONS_FILE];

interface KeptFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The files in a backup. Throws Error when it is not a whole backup, or one of a newer version. */
function checkedFiles(file: string): KeptFile[] {
  const backup = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = backup.prepare('SELECT name FROM sqlite_schema WHERE name = ?').all(FILES_TABLE);
    if (tables.length === 0) throw new Error('it is not a backup that `weft backup` made');
    const format = Number(backup.prepare('PRAGMA user_version').get()?.['user_version']);
    if (format > FORMAT) throw new Error('it was written by a newer version of Weft; use that version, or a newer one');
    const problem = String(backup.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
    if (problem !== 'ok') throw new Error(`it is damaged: ${problem}`);
    const rows = backup.prepare(`SELECT name, bytes FROM ${FILES_TABLE}`).all();
    const files = rows.map(({ name, bytes }) => ({ name: String(name), bytes: bytes as Uint8Array }));
    return files.filter(({ name }) => RESTORABLE.includes(name));
  } finally {
    backup.close();
  }
}

/** Throws Error when the folder has data, or another key: nothing is replaced. */
function checkEmpty(folder: string, database: string, files: readonly KeptFile[]): void {
  const found = [database, `${database}-wal`, join(folder, REVISIONS_FILE)].find((path) => existsSync(path));
  if (found !== undefined) throw new Error(`${found} exists; restore into an empty folder, or move it away`);
  for (const { name, bytes } of files) {
    const path = join(folder, name);
    if (existsSync(path) && !readFileSync(path).equals(bytes)) {
      throw new Error(`${path} is another key than that of the backup; restore into an empty folder, or move it away`);
    }
  }
}

function writeFiles(folder: string, files: readonly KeptFile[]): void {
  for (const { name, bytes } of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, bytes, { mode: 0o600, flush: true });
  }
}

/** Puts the database of the backup in place, without the other files. */
function placeDatabase(file: string, database: string): void {
  const draft = `${database}.part`;
  rmSync(draft, { force: true });
  makePrivate(draft);
  copyFileSync(file, draft, constants.COPYFILE_FICLONE);
  const copy = new DatabaseSync(draft);
  copy.exec(`DROP TABLE ${FILES_TABLE}`);
  copy.close();
  flushFile(draft);
  renameSync(draft, database);
  flushFile(database);
}

/**
 * Makes a data folder from a backup. The database comes last, so an interrupted call can be repeated.
 * @throws Error when the file is not a whole backup, or when the folder has data, is in use, or cannot be written.
 */
export function restore(source: string, folder: string): Restored {
  const file = resolve(source);
  const refuse = (cause: unknown): never => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${file} cannot be restored to ${folder}: ${why}`, { cause });
  };
  try {
    const files = checkedFiles(file);
    const { path, file: database, release } = openDataFolder(folder);
    try {
      checkEmpty(path, database, files);
      writeFiles(path, files);
      placeDatabase(file, database);
    } finally {
      release();
    }
    return { folder: path, files: files.map(({ name }) => name) };
  } catch (error) {
    return refuse(error);
  }
}
