import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LocalDatabase } from '../../../../../lib/adapters/local/database/database.ts';
import { Reserve } from '../../../../../lib/adapters/local/database/disk/reserve.ts';
import { withReserve } from '../../../../../lib/adapters/local/database/disk/reserved-work.ts';
import { mountSmallDisk, type SmallDisk } from '../small-disk.ts';

const MEGABYTE = 1024 * 1024;
const trial = mountSmallDisk(1);
if (typeof trial !== 'string') trial.remove();

describe.skipIf(typeof trial === 'string')('a database with a reserve on a disk that is full', () => {
  let disk: SmallDisk;
  let database: LocalDatabase;
  let printed: string[];
  let heard: boolean[];

  const open = () => {
    const file = join(disk.folder, 'weft.db');
    database = new LocalDatabase({ file, acknowledge: 'written', reserve: new Reserve(file) });
    database.define('CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, text TEXT) STRICT');
    database.onOutage(() => heard.push(database.hasReserve));
  };
  beforeEach(() => {
    disk = mountSmallDisk(24) as SmallDisk;
    [printed, heard] = [[], []];
    vi.spyOn(console, 'error').mockImplementation((text) => void printed.push(String(text)));
    open();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await database.close();
    disk.remove();
  });

  const sizeOfReserve = (): number => statSync(join(disk.folder, 'weft.db-reserve')).size;
  const count = (): number => Number(database.statement('SELECT count(*) AS count FROM rows').get()?.['count']);
  const insert = () => database.statement('INSERT INTO rows (text) VALUES (?)').run('x'.repeat(20_000));
  const remove = (most: number) =>
    database.statement('DELETE FROM rows WHERE id IN (SELECT id FROM rows LIMIT ?)').run(most);

  /** Adds rows until the disk is full. All that were written then are stored; returns their number. */
  async function fill(): Promise<number> {
    for (let n = 1; n < 5000; n += 1) {
      database.write(insert);
      await database.durable();
      if (database.outage !== undefined) return n;
    }
    throw new Error('the disk did not become full');
  }

  test('keeps the change that found it full, refuses others, and serves reads and work with the reserve', async () => {
    expect(sizeOfReserve()).toBe(1.5 * MEGABYTE);
    disk.fill(2 * MEGABYTE);
    const rows = await fill();
    expect([heard, database.hasReserve]).toEqual([[true], true]);
    expect(sizeOfReserve()).toBeLessThan(1.5 * MEGABYTE);
    expect(() => database.write(insert)).toThrow('the disk is full');
    expect(count()).toBe(rows);
    await withReserve(() => database.change(() => remove(1)));
    await database.durable();
    expect(count()).toBe(rows - 1);
    let isOver = false;
    const waiting = database.change(insert).then(() => {
      isOver = true;
    });
    await database.durable();
    expect(isOver).toBe(false);
    disk.free();
    await waiting;
    await database.durable();
    expect([count(), sizeOfReserve(), database.outage]).toEqual([rows, 1.5 * MEGABYTE, undefined]);
    expect(printed).toEqual([
      `nothing can be stored in ${disk.folder}/weft.db: the disk is full. Until it can be written again, requests that write get 503 and runs wait; reads, cancellations and deletions use a reserve`,
      `${disk.folder}/weft.db can be written again; all changes are stored`,
    ]);
  });

  test.each([
    { turn: 'one turn', each: () => Promise.resolve() },
    { turn: 'a commit each', each: () => database.durable() },
  ])('gives the space of deleted rows back to the disk, and continues by that alone, in $turn', async ({ each }) => {
    const rows = await fill();
    for (let left = rows; left > 0; left -= 10) {
      await withReserve(() => database.change(() => remove(10)));
      await each();
      expect(sizeOfReserve()).toBeGreaterThan(0);
    }
    await database.change(insert);
    await database.durable();
    expect([count(), database.outage, sizeOfReserve()]).toEqual([1, undefined, 1.5 * MEGABYTE]);
  });

  test('waits as a whole when the reserve is used up, and loses nothing', async () => {
    disk.fill(2 * MEGABYTE);
    const rows = await fill();
    let added = 0;
    while (database.hasReserve) {
      await withReserve(async () => {
        database.write(insert);
        added += 1;
      });
      await database.durable().catch(() => undefined);
    }
    expect([heard, sizeOfReserve()]).toEqual([[true, false], 0]);
    await expect(database.durable()).rejects.toThrow('the disk is full');
    disk.free();
    await database.durable({ isPatient: true });
    await vi.waitFor(() => expect(database.outage).toBeUndefined(), { timeout: 10_000 });
    expect([count(), sizeOfReserve()]).toEqual([rows + added, 1.5 * MEGABYTE]);
  });

  test('is opened, and in the same state', async () => {
    disk.fill(2 * MEGABYTE);
    const rows = await fill();
    await database.close();
    disk.fillUp();
    open();
    expect([database.hasReserve, count()]).toEqual([true, rows]);
    await withReserve(() => database.change(() => remove(1)));
    await database.durable();
    expect(count()).toBe(rows - 1);
    disk.free();
    await database.change(insert);
    expect(database.outage).toBeUndefined();
  });
});

describe('a reserve', () => {
  test.runIf(typeof trial === 'string')(`on a full disk is not tested: ${trial}`, () => {
    expect(process.getuid?.()).not.toBe(0);
  });
});
