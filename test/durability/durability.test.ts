import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cases } from '../effort.ts';
import { copyAfterPowerCut } from './power-cut.ts';
import { randomFrom } from './random.ts';
import { runRounds } from './rounds.ts';
import { damageLines } from './verification.ts';

const ROUNDS = cases(3, 8);
const SEED = 14;
const MAX_MS = 900_000;

test(
  `${ROUNDS} times kill -9 under load, and a power cut of a copy: nothing acknowledged is lost, no change is partial, every run ends`,
  async () => {
    const figures = await runRounds({ rounds: ROUNDS, seed: SEED });
    const { kills, powerCuts, acknowledged } = figures;
    expect({ kills, powerCuts, damage: damageLines(figures) }).toEqual({
      kills: ROUNDS,
      powerCuts: ROUNDS,
      damage: [],
    });
    expect(acknowledged).toBeGreaterThan(0);
  },
  MAX_MS,
);

describe('a copy after a power cut', () => {
  const COMMITS = 20;
  const FLUSHED = 12;
  let folder: string;
  let data: string;
  let database: DatabaseSync;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weft-power-cut-'));
    data = join(folder, 'data');
    mkdirSync(data);
    database = new DatabaseSync(join(data, 'weft.db'));
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (value INTEGER PRIMARY KEY)');
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    for (let value = 1; value <= COMMITS; value += 1) database.exec(`INSERT INTO numbers VALUES (${value})`);
  });
  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });

  /** The number of commits in each of 40 copies, when `flushed` commits were flushed. */
  function survivors(flushed: number): number[] {
    const record = join(folder, 'record');
    const salt = readFileSync(join(data, 'weft.db-wal')).toString('hex', 16, 24);
    writeFileSync(record, `${salt} ${String(flushed).padStart(12, '0')}\n`);
    return Array.from({ length: 40 }, (_, seed) => {
      const image = join(folder, `image-${flushed}-${seed}`);
      copyAfterPowerCut(data, image, record, randomFrom(seed));
      const copy = new DatabaseSync(join(image, 'weft.db'));
      const values = copy.prepare('SELECT value FROM numbers ORDER BY value').all();
      copy.close();
      expect(values.map(({ value }) => value)).toEqual(values.map((_row, index) => index + 1));
      return values.length;
    });
  }

  test('has every commit that was flushed, and lacks others', () => {
    const counts = survivors(FLUSHED);
    expect(Math.min(...counts)).toBe(FLUSHED);
    expect(counts.some((count) => count < COMMITS)).toBe(true);
  });

  test('lacks commits where the service did not flush', () => {
    expect(Math.min(...survivors(0))).toBe(0);
  });
});
