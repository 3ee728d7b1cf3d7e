import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { summarize, summaryText } from '../../../../lib/adapters/local/database/data-summary.ts';
import { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';

const NOON = Date.UTC(2026, 0, 15, 12);
const DAY_MS = 86_400_000;

describe('a database in a folder', () => {
  let path: string;
  let file: string;
  let database: LocalDatabase;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'weft-summary-'));
    file = join(path, 'weft.db');
    database = new LocalDatabase({ file });
  });
  afterEach(async () => {
    await database.close();
    rmSync(path, { recursive: true });
  });

  test('notes when it was created, and keeps that when it is opened again', async () => {
    expect(summarize(database, { path, file }, NOON)).toMatchObject({ folder: path, created: NOON });
    await database.close();
    database = new LocalDatabase({ file });
    const later = summarize(database, { path, file }, NOON + DAY_MS);
    expect(later.created).toBe(NOON);
    expect(later.bytes).toBeGreaterThan(4096);
  });
});

test.each([
  [999, 0, '1.0 kB, created on 2026-01-15 (less than a day ago)'],
  [12_345_678, DAY_MS, '12.3 MB, created on 2026-01-15 (1 day ago)'],
  [999_900_000, 40 * DAY_MS, '1.0 GB, created on 2026-01-15 (40 days ago)'],
  [345_600_000_000, -DAY_MS, '346 GB, created on 2026-01-15 (less than a day ago)'],
])('%d bytes after %d ms are %s', (bytes, age, text) => {
  expect(summaryText({ folder: '/srv', bytes, created: NOON }, NOON + age)).toBe(`/srv, ${text}`);
});
