import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LocalDatabase } from '../../../../../lib/adapters/local/database/database.ts';

const COMMITS = 20;
const LOG_HEADER = 32;
const FRAME = 4096 + 24;

let folder: string;
let printed: string[];
let opened: LocalDatabase[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-mark-'));
  [printed, opened] = [[], []];
  vi.spyOn(console, 'error').mockImplementation((text) => void printed.push(String(text)));
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const database of opened) await database.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(name: string): LocalDatabase {
  const database = new LocalDatabase({ file: join(folder, name, 'weft.db') });
  opened.push(database);
  return database;
}

const countIn = (database: LocalDatabase): number =>
  Number(database.statement('SELECT count(*) AS count FROM rows').get()?.['count']);

/** Writes durable rows, and returns the folder of a copy as `kill -9` leaves it. */
async function killed(checkpoint?: () => void): Promise<string> {
  mkdirSync(join(folder, 'data'));
  const database = open('data');
  database.define('CREATE TABLE rows (text TEXT) STRICT');
  const insert = database.statement('INSERT INTO rows VALUES (?)');
  for (let n = 0; n < COMMITS; n += 1) {
    database.write(() => insert.run('x'.repeat(3000)));
    await database.durable();
  }
  checkpoint?.();
  cpSync(join(folder, 'data'), join(folder, 'copy'), { recursive: true });
  return join(folder, 'copy');
}

/** Flips a bit of the log in the frame of that number. */
function flip(log: string, frame: number): void {
  const bytes = readFileSync(log);
  bytes.writeUInt8(bytes.readUInt8(LOG_HEADER + frame * FRAME + 2000) ^ 4, LOG_HEADER + frame * FRAME + 2000);
  writeFileSync(log, bytes);
}

const lossOf = (count: number): RegExp =>
  new RegExp(
    `^${folder}/copy/weft\\.db has lost data: ${count} commits are missing, which were stored ` +
      '(after .* UTC, )?up to .* UTC, and acknowledged\\. Its log was damaged, removed or replaced',
  );

describe('a database that is opened after kill -9', () => {
  test('reports no loss, also after several processes', async () => {
    await killed();
    for (let time = 0; time < 3; time += 1) {
      const database = open('copy');
      expect(countIn(database)).toBe(COMMITS);
      database.write(() => database.statement('UPDATE rows SET text = ?').run('y'));
      await database.close();
    }
    expect(printed).toEqual([]);
  });

  test.each([8, 20, 35])(
    'says how many acknowledged commits are missing when its log was damaged in frame %i',
    async (frame) => {
      flip(join(await killed(), 'weft.db-wal'), frame);
      const left = countIn(open('copy'));
      expect(left).toBeLessThan(COMMITS);
      expect(printed).toEqual([expect.stringMatching(lossOf(COMMITS - left))]);
    },
  );

  test('says so when its log was removed, once commits follow', async () => {
    const copy = await killed();
    rmSync(join(copy, 'weft.db-wal'));
    const database = open('copy');
    expect(printed).toEqual([expect.stringMatching(lossOf(COMMITS))]);
    database.define('CREATE TABLE rows (text TEXT) STRICT');
    database.write(() => database.statement('INSERT INTO rows VALUES (?)').run('next'));
    await database.close();
    open('copy');
    expect(printed).toHaveLength(1);
  });

  test('is damaged when the rest of its log is older than the file', async () => {
    const copy = await killed(() => {
      const other = new DatabaseSync(join(folder, 'data', 'weft.db'));
      other.exec('PRAGMA wal_checkpoint(PASSIVE)');
      other.close();
    });
    flip(join(copy, 'weft.db-wal'), 20);
    const bytes = () => ['weft.db', 'weft.db-wal'].map((name) => readFileSync(join(copy, name)));
    const before = bytes();
    expect(() => open('copy')).toThrow(/weft\.db is damaged \(.*\)\. It stays as it is; restore a backup/);
    expect(bytes()).toEqual(before);
    expect(printed).toEqual([]);
  });

  test.each(['', 'no mark', '{"number":900,"time":1} 5'])('believes no mark that was damaged: "%s"', async (text) => {
    writeFileSync(join(await killed(), 'weft.db-mark'), text);
    expect(countIn(open('copy'))).toBe(COMMITS);
    expect(printed).toEqual([]);
  });

  test('works without a mark, and has one again', async () => {
    const copy = await killed();
    rmSync(join(copy, 'weft.db-mark'));
    const database = open('copy');
    database.write(() => database.statement('INSERT INTO rows VALUES (?)').run('next'));
    await database.durable();
    expect(readFileSync(join(copy, 'weft.db-mark'), 'utf8')).toMatch(`{"number":${COMMITS + 1},`);
    expect(printed).toEqual([]);
  });
});
