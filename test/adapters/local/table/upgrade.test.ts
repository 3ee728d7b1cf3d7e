import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { DeleteTableCommand, DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { upgrade } from '../../../../bin/server/upgrade.ts';
import { startDatabase } from '../../../../lib/adapters/local/table/database.ts';
import { keepCopy } from '../../../../lib/adapters/local/table/database-copy.ts';
import { localClient, openLocalTable } from '../../../../lib/adapters/local/table/table.ts';
import { MIGRATIONS } from '../../../../lib/domain/migrations/index.ts';
import type { Item } from '../../../../lib/ports/table.ts';
import { renaming } from './renaming.ts';

const PROCESS = fileURLToPath(new URL('upgrade-process.ts', import.meta.url));
const NEXT = [...MIGRATIONS, renaming()];
const MANY = 1200;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-upgrade-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (steps = MIGRATIONS) => openLocalTable({ folder, upgrade: (found) => upgrade(found, steps) });

async function fill(): Promise<void> {
  const { table, close } = await open();
  for (let from = 0; from < MANY; from += 100) {
    const some = Array.from({ length: 100 }, (_, i): Item => ({ pk: `line-${from + i}`, sk: '.', before: from + i }));
    await table.write(some.map((item) => ({ do: 'put', table: 'journal', item })));
  }
  await close();
}

/** How many items of the journal have each attribute, as the file of a database tells. */
function countIn(file: string): { before: number; after: number } {
  const database = new DatabaseSync(join(folder, file), { readOnly: true });
  const count = (name: string) =>
    Number(
      database.prepare('SELECT count(*) AS n FROM "weft-journal" WHERE item_json LIKE ?').get(`%"${name}"%`)?.['n'],
    );
  const counts = { before: count('before'), after: count('after') };
  database.close();
  return counts;
}

describe('a folder of an older layout', () => {
  test('is led to the present one when it is opened, and a copy stays of what it was', async () => {
    await fill();
    await (await open(NEXT)).close();
    expect(countIn('database')).toEqual({ before: 0, after: MANY });
    expect(countIn('database.layout-2')).toEqual({ before: MANY, after: 0 });
  });

  test.each([1, 600, MANY])('is led there also after the process was killed at item %i', async (number) => {
    await fill();
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROCESS, folder, String(number)], {
      stdio: 'ignore',
    });
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
    await (await open(NEXT)).close();
    expect(countIn('database')).toEqual({ before: 0, after: MANY });
    expect(countIn('database.layout-2')).toEqual({ before: MANY, after: 0 });
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('is left alone when it cannot be copied, and no part of a copy stays', async () => {
    await fill();
    const file = join(folder, 'database');
    const bytes = readFileSync(file);
    bytes.fill(0xff, bytes.length / 2);
    writeFileSync(file, bytes);
    expect(() => keepCopy(file, 'layout-2')).toThrow(`cannot be copied to ${file}.layout-2 before it is changed`);
    expect(readdirSync(folder).filter((name) => name.includes('.layout-2'))).toEqual([]);
  });

  test('says where its copy is, and a database elsewhere that there is none', async () => {
    await fill();
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    const database = await startDatabase({ folder });
    const elsewhere = await openLocalTable({ endpoint: database.endpoint, upgrade: (found) => upgrade(found, NEXT) });
    await elsewhere.close();
    await database.close();
    await (await open([...NEXT, renaming()])).close();
    const told = log.mock.calls.flat();
    log.mockRestore();
    expect(told).toEqual([
      'Migrating the tables from schema version 2 to 3; no copy is kept.',
      `Migrating the tables from schema version 3 to 4; a copy is kept in ${join(folder, 'database.layout-3')}.`,
    ]);
    expect(countIn('database.layout-3')).toEqual({ before: 0, after: MANY });
  });

  test('is opened by no older version any more, which touches nothing', async () => {
    await fill();
    await (await open(NEXT)).close();
    await expect(open()).rejects.toThrow(
      'the tables have schema version 3, but this version of Weft supports versions up to 2',
    );
    expect(countIn('database')).toEqual({ before: 0, after: MANY });
  });
});

test('a new folder has the present layout at once, and no copy', async () => {
  await (await open()).close();
  await (await open()).close();
  expect(existsSync(join(folder, 'database.layout-1'))).toBe(false);
});

test('indexes that are otherwise than they are to be are made anew, over what is there', async () => {
  const first = await open();
  await first.table.write([
    { do: 'put', table: 'runs', item: { pk: 'run#i', sk: '.', nsBucket: 'ns', order: '1', as: 'flow' } },
  ]);
  await first.close();
  const database = await startDatabase({ folder });
  const client = localClient(database);
  const alter = (change: object) =>
    client.send(new UpdateTableCommand({ TableName: 'weft-runs', GlobalSecondaryIndexUpdates: [change] }));
  await alter({ Delete: { IndexName: 'by-namespace' } });
  await alter({ Delete: { IndexName: 'by-end' } });
  await client.send(
    new UpdateTableCommand({
      TableName: 'weft-runs',
      AttributeDefinitions: ['pk', 'sk', 'nsBucket', 'id'].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            IndexName: 'by-namespace',
            KeySchema: [
              { AttributeName: 'nsBucket', KeyType: 'HASH' },
              { AttributeName: 'id', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        },
      ],
    }),
  );
  await client.send(new DeleteTableCommand({ TableName: 'weft-journal' }));
  await database.close();
  const { table, endpoint, close } = await open();
  const page = await table.query({ table: 'runs', index: 'by-namespace', pk: 'ns' });
  const again = localClient({ endpoint, isEmbedded: true });
  const { Table: runs } = await again.send(new DescribeTableCommand({ TableName: 'weft-runs' }));
  again.destroy();
  client.destroy();
  await close();
  expect(page.items).toEqual([{ pk: 'run#i', sk: '.', nsBucket: 'ns', order: '1', as: 'flow' }]);
  expect(runs?.GlobalSecondaryIndexes?.map(({ IndexName: name }) => name).sort()).toEqual(['by-end', 'by-namespace']);
});
