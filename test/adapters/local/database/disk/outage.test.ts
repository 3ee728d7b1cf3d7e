import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDataFolder } from '../../../../../lib/adapters/local/database/data-folder.ts';
import { LocalDatabase } from '../../../../../lib/adapters/local/database/database.ts';
import { StorageError } from '../../../../../lib/adapters/local/database/disk/storage-error.ts';
import { databaseTable } from '../../../../../lib/adapters/local/table/table.ts';
import type { Table, Write } from '../../../../../lib/ports/table.ts';
import { mountSmallDisk, type SmallDisk } from '../small-disk.ts';

const trial = mountSmallDisk(1);
if (typeof trial !== 'string') trial.remove();

const put = (pk: string): Write => ({ do: 'put', table: 'runs', item: { pk, sk: '.', text: 'x'.repeat(5000) } });
const keyOf = (pk: string) => ({ table: 'runs', pk, sk: '.' }) as const;

describe.skipIf(typeof trial === 'string')('a disk that is full', () => {
  let disk: SmallDisk;
  let database: LocalDatabase;
  let table: Table;
  let printed: string[];

  const open = () => {
    database = new LocalDatabase({ file: join(disk.folder, 'weft.db'), acknowledge: 'written' });
    ({ table } = databaseTable(database));
  };
  beforeEach(() => {
    disk = mountSmallDisk(4) as SmallDisk;
    printed = [];
    vi.spyOn(console, 'error').mockImplementation((text) => void printed.push(String(text)));
    open();
  });
  afterEach(async () => {
    await database.close();
    disk.remove();
    vi.restoreAllMocks();
  });

  /** Writes until the disk is full. Returns the keys of the accepted writes. */
  async function writeUntilFull(): Promise<string[]> {
    const kept: string[] = [];
    for (let n = 0; n < 1000; n += 1) {
      await table.write([put(`run-${n}`)]);
      const isKept = await database.durable().then(
        () => true,
        (error: unknown) => {
          expect(error).toBeInstanceOf(StorageError);
          return false;
        },
      );
      if (!isKept) return kept;
      kept.push(`run-${n}`);
    }
    throw new Error('the disk did not fill up');
  }

  test('rejects outputs with the reason, keeps changes in memory, and continues when there is space', async () => {
    disk.fill(100_000);
    const kept = await writeUntilFull();
    expect(kept.length).toBeGreaterThan(2);
    const reason = `nothing can be stored in ${join(disk.folder, 'weft.db')}: the disk is full`;
    expect(database.outage?.message).toBe(reason);
    const last = keyOf(`run-${kept.length}`);
    const waiting = Promise.all([
      table.get([last]),
      table.write([put('later')]),
      database.durable({ isPatient: true }),
    ]);
    disk.free();
    const [[found]] = await waiting;
    expect(found?.pk).toBe(last.pk);
    await database.durable();
    expect(database.outage).toBeUndefined();
    expect(printed).toEqual([
      `${reason}. Until it can be written again, requests get 503 and runs wait`,
      `${join(disk.folder, 'weft.db')} can be written again; all changes are stored`,
    ]);
    await database.close();
    open();
    const all = [...kept, last.pk, 'later'];
    const items = await Promise.all(all.map(async (pk) => (await table.get([keyOf(pk)]))[0]?.pk));
    expect(items).toEqual(all);
  });

  test('loses no accepted change when the process ends during the outage', async () => {
    disk.fill(100_000);
    const kept = await writeUntilFull();
    const unkept = keyOf(`run-${kept.length}`);
    await database.close();
    disk.free();
    open();
    const items = await Promise.all(kept.map(async (pk) => (await table.get([keyOf(pk)]))[0]?.pk));
    expect(items).toEqual(kept);
    expect(await table.get([unkept])).toEqual([undefined]);
  });

  test('calls its listeners at its start', async () => {
    const heard: string[] = [];
    database.onOutage(({ message }) => heard.push(message));
    disk.fill(100_000);
    await writeUntilFull();
    expect(heard).toEqual([database.outage?.message]);
    disk.free();
  });

  test('that is read-only is an error at the start, with its reason', async () => {
    const { file, release } = openDataFolder(disk.folder);
    release();
    await database.close();
    disk.freeze();
    expect(() => openDataFolder(disk.folder)).toThrow(
      /^the data folder .* cannot be used: EROFS: read-only file system/,
    );
    expect(() => new LocalDatabase({ file })).toThrow('EROFS: read-only file system');
  });
});

test.runIf(typeof trial === 'string')(`a full disk is not tested: ${trial}`, () => {
  expect(process.getuid?.()).not.toBe(0);
});
