import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FORMAT } from '../connection.ts';
import { openDataFolder, RESTORE_DRAFT } from '../data-folder.ts';
import { markFile } from '../disk/commit-mark.ts';
import { makePrivate } from '../disk/private-file.ts';
import { reserveFile } from '../disk/reserve.ts';
import { FILES_TABLE, flushFile, KEY_FILES, REVISIONS_FILE } from './backup.ts';
import { checkedLength } from './checksum.ts';

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

/** The contents of a whole backup. */
interface Checked {
  /** The bytes of the database, without the checksum behind it. */
  readonly length: number;
  readonly files: readonly KeptFile[];
}

/** The contents of a backup. Throws Error when it is not a whole backup, or one of a newer version. */
function check(file: string): Checked {
  const backup = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = backup.prepare('SELECT name FROM sqlite_schema WHERE name = ?').all(FILES_TABLE);
    if (tables.length === 0) throw new Error('it is not a backup that `weft backup` made');
    const format = Number(backup.prepare('PRAGMA user_version').get()?.['user_version']);
    if (format > FORMAT) throw new Error('it was written by a newer version of Weft; use that version, or a newer one');
    const length = checkedLength(file);
    const problem = String(backup.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']);
    if (problem !== 'ok') throw new Error(`it is damaged: ${problem}`);
    const rows = backup.prepare(`SELECT name, bytes FROM ${FILES_TABLE}`).all();
    const files = rows.map(({ name, bytes }) => ({ name: String(name), bytes: bytes as Uint8Array }));
    return { length, files: files.filter(({ name }) => RESTORABLE.includes(name)) };
  } finally {
    backup.close();
  }
}

/**
 * Throws Error when the folder has data, or another key: nothing is replaced but the files of a restore that did not end, which
 * had checked the folder.
 */
function checkEmpty(folder: string, database: string, files: readonly KeptFile[]): void {
  const isRepeated = existsSync(join(folder, RESTORE_DRAFT));
  const kept = [database, `${database}-wal`, ...(isRepeated ? [] : [join(folder, REVISIONS_FILE)])];
  const found = kept.find((path) => existsSync(path));
  if (found !== undefined) throw new Error(`${found} exists; restore into an empty folder, or move it away`);
  if (isRepeated) return;
  for (const { name, bytes } of files) {
    const path = join(folder, name);
    if (existsSync(path) && !readFileSync(path).equals(bytes)) {
      throw new Error(`${path} is another key than that of the backup; restore into an empty folder, or move it away`);
    }
  }
}

/** Files of a database that was moved away: they tell nothing of the one that comes. */
function removeTraces(database: string): void {
  for (const file of [markFile(database), reserveFile(database)]) rmSync(file, { force: true });
}

function writeFiles(folder: string, files: readonly KeptFile[]): void {
  for (const { name, bytes } of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, bytes, { mode: 0o600, flush: true });
  }
}

/** Makes the draft of the database before anything else: until it is renamed, no service opens the folder. */
function beginDraft(folder: string): string {
  const draft = join(folder, RESTORE_DRAFT);
  makePrivate(draft);
  flushFile(draft);
  return draft;
}

/** Puts the database of the backup in place, without the other files. */
function placeDatabase(file: string, length: number, draft: string, database: string): void {
  copyFileSync(file, draft, constants.COPYFILE_FICLONE);
  truncateSync(draft, length);
  const copy = new DatabaseSync(draft);
  copy.exec(`DROP TABLE ${FILES_TABLE}`);
  copy.close();
  flushFile(draft);
  renameSync(draft, database);
  flushFile(database);
}

/**
 * Checks that a backup is whole, and returns the names of the files in it beside the database.
 * @throws Error when the file is not a whole backup.
 */
export function verify(source: string): readonly string[] {
  const file = resolve(source);
  try {
    return check(file).files.map(({ name }) => name);
  } catch (cause) {
    throw new Error(`${file} is no whole backup: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/**
 * Makes a data folder from a backup. The database comes last, so an interrupted call can be repeated, and no service opens the
 * folder before.
 * @throws Error when the file is not a whole backup, or when the folder has data, is in use, or cannot be written.
 */
export function restore(source: string, folder: string): Restored {
  const file = resolve(source);
  const refuse = (cause: unknown): never => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${file} cannot be restored to ${folder}: ${why}`, { cause });
  };
  try {
    const { length, files } = check(file);
    const { path, file: database, release } = openDataFolder(folder, { isRestore: true });
    try {
      checkEmpty(path, database, files);
      const draft = beginDraft(path);
      removeTraces(database);
      writeFiles(path, files);
      placeDatabase(file, length, draft, database);
    } finally {
      release();
    }
    return { folder: path, files: files.map(({ name }) => name) };
  } catch (error) {
    return refuse(error);
  }
}
