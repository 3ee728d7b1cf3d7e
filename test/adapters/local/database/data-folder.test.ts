import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDataFolder } from '../../../../lib/adapters/local/database/data-folder.ts';
import { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';
import { databaseTable } from '../../../../lib/adapters/local/table/table.ts';
import type { Item } from '../../../../lib/ports/table.ts';

const OWNER = fileURLToPath(new URL('owner.ts', import.meta.url));
const KEPT = { table: 'runs', pk: 'kept', sk: '.' } as const;

let folder: string;
const started: ChildProcess[] = [];
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'weft-folder-')), 'data');
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await rm(join(folder, '..'), { recursive: true, force: true });
});

function open() {
  const { file, release } = openDataFolder(folder);
  const database = new LocalDatabase({ file });
  const { table } = databaseTable(database);
  const close = async () => {
    await database.close();
    release();
  };
  return { table, close };
}

/** Another process that has the folder open. */
async function startOwner(): Promise<ChildProcess> {
  const owner = spawn(process.execPath, [OWNER, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(owner);
  await once(owner.stdout ?? owner, 'data');
  return owner;
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('a data folder', () => {
  test('keeps its data when it is closed', async () => {
    const first = open();
    const item: Item = { pk: 'kept', sk: '.', bytes: Uint8Array.of(1, 2) };
    await first.table.write([{ do: 'put', table: 'runs', item }]);
    await first.close();
    const second = open();
    expect(await second.table.get([KEPT])).toEqual([item]);
    await second.close();
  });

  test('has all written data after its process is killed, and can be opened again at once', async () => {
    const owner = await startOwner();
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    const next = open();
    expect((await next.table.get([KEPT]))[0]).toBeDefined();
    await next.close();
  });

  test('is locked for a second process, which does not disturb the first', async () => {
    await startOwner();
    expect(() => openDataFolder(folder)).toThrow(`${folder} is in use by another Weft`);
    expect(() => openDataFolder(folder)).toThrow('in use');
  });

  test('is locked for a second opening in the same process until it is released', () => {
    const first = openDataFolder(folder);
    expect(() => openDataFolder(folder)).toThrow('in use');
    first.release();
    openDataFolder(folder).release();
  });

  test('and all its files are accessible to their owner only, also after other modes were set', async () => {
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    for (const name of ['weft.db', 'api-key', 'lock']) writeFileSync(join(folder, name), '', { mode: 0o644 });
    const { table, close } = open();
    await table.write([{ do: 'put', table: 'runs', item: { pk: 'kept', sk: '.' } }]);
    expect(modeOf(folder)).toBe('700');
    const names = readdirSync(folder);
    expect(names).toEqual(expect.arrayContaining(['api-key', 'lock', 'weft.db', 'weft.db-shm', 'weft.db-wal']));
    expect(names.map((name) => `${name} ${modeOf(join(folder, name))}`)).toEqual(names.map((name) => `${name} 600`));
    await close();
  });

  test('that cannot be created is an error with its path', async () => {
    await writeFile(join(folder, '..', 'file'), '');
    const path = join(folder, '..', 'file', 'data');
    expect(() => openDataFolder(path)).toThrow(`the data folder ${path} cannot be used: ENOTDIR`);
  });
});

describe('a database file', () => {
  const file = () => join(folder, 'weft.db');
  beforeEach(() => mkdirSync(folder));

  test('that is not a database is an error with its reason', async () => {
    await writeFile(file(), 'not a database, but long enough to be looked at as one'.repeat(100));
    expect(() => new LocalDatabase({ file: file() })).toThrow('file is not a database');
  });

  test('of a newer version is rejected and not changed', () => {
    const newer = new DatabaseSync(file());
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    expect(() => new LocalDatabase({ file: file() })).toThrow(`${file()} was written by a newer version of Weft`);
    expect(existsSync(`${file()}-wal`)).toBe(false);
  });
});
