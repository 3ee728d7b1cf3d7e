import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { emptyLog } from '../../../../../lib/adapters/local/database/disk/shrinking.ts';

/** Longer than any test may last, milliseconds. */
const PATIENCE_MS = 10_000_000;

let folder: string;
let connection: DatabaseSync;
let reader: DatabaseSync;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-log-'));
  const file = join(folder, 'weft.db');
  connection = new DatabaseSync(file, { timeout: PATIENCE_MS });
  connection.exec('PRAGMA journal_mode = WAL; CREATE TABLE rows (id INTEGER) STRICT');
  reader = new DatabaseSync(file);
});

afterEach(() => {
  reader.close();
  connection.close();
  rmSync(folder, { recursive: true });
});

const pragma = (name: string) => connection.prepare(`PRAGMA ${name}`).get();

test('the log of a full disk is emptied without waiting for a backup that reads it', () => {
  reader.exec('BEGIN');
  reader.prepare('SELECT * FROM rows').all();
  connection.exec('INSERT INTO rows VALUES (1)');
  emptyLog(connection);
  reader.exec('COMMIT');
  emptyLog(connection);
  expect(pragma('wal_checkpoint')).toMatchObject({ busy: 0, log: 0 });
  expect(pragma('busy_timeout')).toEqual({ timeout: PATIENCE_MS });
});
