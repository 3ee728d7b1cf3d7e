import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';
import { databaseTable } from '../../../../lib/adapters/local/table/table.ts';
import { MIGRATIONS } from '../../../../lib/domain/migrations/index.ts';
import type { Item } from '../../../../lib/ports/table.ts';
import { openUpgraded } from './open-upgraded.ts';
import { renaming } from './renaming.ts';

const PROCESS = fileURLToPath(new URL('upgrade-process.ts', import.meta.url));
const NEXT = [...MIGRATIONS, renaming()];
const MANY = 1200;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-upgrade-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (migrations = MIGRATIONS) => openUpgraded(folder, migrations);

async function fill(): Promise<void> {
  const { table, close } = await open();
  for (let from = 0; from < MANY; from += 100) {
    const some = Array.from({ length: 100 }, (_, i): Item => ({ pk: `line-${from + i}`, sk: '.', before: from + i }));
    await table.write(some.map((item) => ({ do: 'put', table: 'journal', item })));
  }
  await close();
}

/** The number of items of the journal with each attribute in a database file. */
function countIn(file: string): { before: number; after: number } {
  const database = new DatabaseSync(join(folder, file), { readOnly: true });
  const count = (name: string) =>
    Number(database.prepare('SELECT count(*) AS n FROM journal WHERE text LIKE ?').get(`%"${name}"%`)?.['n']);
  const counts = { before: count('before'), after: count('after') };
  database.close();
  return counts;
}

describe('a folder of an older schema version', () => {
  test('is migrated to the current version when it is opened, and a copy of the older database stays', async () => {
    await fill();
    await (await open(NEXT)).close();
    expect(countIn('weft.db')).toEqual({ before: 0, after: MANY });
    expect(countIn('weft.db.schema-1')).toEqual({ before: MANY, after: 0 });
  });

  test.each([1, 600, MANY])('is migrated also after the process was killed at item %i', async (number) => {
    await fill();
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROCESS, folder, String(number)], {
      stdio: 'ignore',
    });
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
    await (await open(NEXT)).close();
    expect(countIn('weft.db')).toEqual({ before: 0, after: MANY });
    expect(countIn('weft.db.schema-1')).toEqual({ before: MANY, after: 0 });
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('is not changed when it cannot be copied, and no part of a copy stays', async () => {
    await fill();
    const file = join(folder, 'weft.db');
    const bytes = readFileSync(file);
    bytes.fill(0xff, bytes.length / 2);
    writeFileSync(file, bytes);
    await expect(open(NEXT)).rejects.toThrow(`cannot be copied to ${file}.schema-1 before it is changed`);
    expect(readdirSync(folder).filter((name) => name.includes('.schema-1'))).toEqual([]);
  });

  test('prints the path of its copy', async () => {
    await fill();
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    await (await open(NEXT)).close();
    const printed = log.mock.calls.flat();
    log.mockRestore();
    expect(printed).toEqual([
      `Migrating the tables from schema version 1 to 2; a copy is kept in ${join(folder, 'weft.db.schema-1')}.`,
    ]);
  });

  test('cannot be opened by an older version, which changes nothing', async () => {
    await fill();
    await (await open(NEXT)).close();
    await expect(open()).rejects.toThrow(
      'the tables have schema version 2, but this version of Weft supports versions up to 1',
    );
    expect(countIn('weft.db')).toEqual({ before: 0, after: MANY });
  });
});

test('a new folder has the current schema version at once, and no copy', async () => {
  await (await open()).close();
  await (await open()).close();
  expect(existsSync(join(folder, 'weft.db.schema-1'))).toBe(false);
});

test('an index is created again over more items than one commit holds', async () => {
  const { table, close } = await open();
  const [batches, size] = [101, 100];
  for (let batch = 0; batch < batches; batch += 1) {
    const items = Array.from({ length: size }, (_, n) => ({
      pk: `run#${batch}-${n}`,
      sk: '.',
      nsBucket: 'ns',
      order: '1',
    }));
    await table.write(items.map((item) => ({ do: 'put', table: 'runs', item })));
  }
  await close();
  const file = new DatabaseSync(join(folder, 'weft.db'));
  file.exec(`UPDATE indexes SET definition = '' WHERE name = '"runs.by-namespace"'`);
  file.close();
  const again = await open();
  const { count } = await again.table.query({ table: 'runs', index: 'by-namespace', pk: 'ns', count: true });
  expect(count).toBe(batches * size);
  await again.close();
});

test('indexes with another definition are created again over the existing items', async () => {
  const { table, close } = await open();
  const item = { pk: 'run#i', sk: '.', nsBucket: 'ns', order: '1', as: 'flow' };
  await table.write([{ do: 'put', table: 'runs', item }]);
  await close();
  const file = new DatabaseSync(join(folder, 'weft.db'));
  file.exec(`UPDATE indexes SET definition = '["nsBucket","id"]' WHERE name = '"runs.by-namespace"'`);
  file.exec(
    `DELETE FROM "runs.by-namespace"; DROP TABLE "runs.by-end"; DELETE FROM indexes WHERE name LIKE '%by-end%'`,
  );
  file.exec(`CREATE TABLE "runs.former" (x); INSERT INTO indexes VALUES ('"runs.former"', 'x')`);
  file.close();
  const database = new LocalDatabase({ file: join(folder, 'weft.db') });
  const again = databaseTable(database).table;
  expect((await again.query({ table: 'runs', index: 'by-namespace', pk: 'ns' })).items).toEqual([item]);
  expect((await again.query({ table: 'runs', index: 'by-end', pk: 'ns' })).items).toEqual([]);
  expect(database.statement(`SELECT name FROM sqlite_schema WHERE name LIKE 'runs.%' ORDER BY name`).all()).toEqual(
    ['runs.by-end', 'runs.by-namespace', 'runs.ttl'].map((name) => ({ name })),
  );
  await database.close();
});
