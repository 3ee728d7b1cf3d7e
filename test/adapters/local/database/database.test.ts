import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';
import type { Statement } from '../../../../lib/adapters/local/database/statement.ts';

let folder: string;
let database: LocalDatabase;
let add: Statement;
let all: Statement;
/** The committed rows, read over another connection. */
let other: DatabaseSync;

function open(acknowledge: 'durable' | 'written'): void {
  database = new LocalDatabase({ file: join(folder, 'data.db'), acknowledge });
  database.define('CREATE TABLE IF NOT EXISTS numbers (value INTEGER PRIMARY KEY) STRICT');
  add = database.statement('INSERT INTO numbers VALUES (?)');
  all = database.statement('SELECT value FROM numbers ORDER BY value');
  other = new DatabaseSync(join(folder, 'data.db'), { readOnly: true });
}

const valuesIn = (rows: readonly Record<string, unknown>[]) => rows.map(({ value }) => value);
const seen = () => valuesIn(all.all());
const committed = () => valuesIn(other.prepare('SELECT value FROM numbers ORDER BY value').all());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-database-'));
});
afterEach(async () => {
  other.close();
  await database.close();
  rmSync(folder, { recursive: true });
});

describe('a turn of the event loop', () => {
  beforeEach(() => open('written'));

  test('is quiet before its first work and after its end', async () => {
    await turn();
    expect(database.isQuiet()).toBe(true);
    database.write(() => add.run(1));
    expect(database.isQuiet()).toBe(false);
    await turn();
    expect(database.isQuiet()).toBe(true);
  });

  test('is not quiet while a long one waits for the next', async () => {
    await turn();
    const counting = new LocalDatabase({ file: ':memory:', acknowledge: 'written', isTimed: false });
    let isDone = false;
    const work = (async () => {
      counting.write(() => 0);
      for (let i = 0; i < 150; i += 1) await counting.change(() => i);
      isDone = true;
    })();
    const seenQuiet: boolean[] = [];
    while (!isDone) {
      seenQuiet.push(counting.isQuiet());
      await turn();
    }
    await work;
    expect(seenQuiet.length).toBeGreaterThan(1);
    expect(seenQuiet).not.toContain(true);
    await counting.close();
  });

  test('is one transaction: reads find its writes at once, and it is committed at its end', async () => {
    database.write(() => add.run(1));
    database.write(() => add.run(2));
    expect([seen(), committed()]).toEqual([[1, 2], []]);
    await Promise.resolve();
    expect(committed()).toEqual([]);
    await turn();
    expect(committed()).toEqual([1, 2]);
  });

  test('loses the failed change, and nothing else', async () => {
    database.write(() => add.run(1));
    const both = () => {
      add.run(2);
      add.run(1);
    };
    expect(() => database.write(both)).toThrow('UNIQUE');
    database.write(() => add.run(3));
    await turn();
    expect(committed()).toEqual([1, 3]);
  });

  test('stores the data of `beforeCommit` at its end, together with its writes', async () => {
    let noted = 0;
    database.beforeCommit(() => database.write(() => add.run(noted)));
    database.write(() => add.run(1));
    await turn();
    database.touch();
    noted = 7;
    expect(committed()).toEqual([0, 1]);
    await turn();
    expect(committed()).toEqual([0, 1, 7]);
  });

  test('ends although its code awaits nothing but the database', async () => {
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    });
    for (let value = 0; turns < 3 && value < 500_000; value += 1) await database.change(() => add.run(value));
    clearInterval(counting);
    expect(turns).toBe(3);
  });

  test('changes rows only within a write', () => {
    expect(() => add.run(1)).toThrow('outside of a write');
  });
});

describe('an accepted change', () => {
  test('is on the disk, if no output waits for that', async () => {
    open('durable');
    await database.change(() => add.run(1));
    expect(committed()).toEqual([1]);
  });

  test('is not on the disk yet, if every output waits for that', async () => {
    open('written');
    await database.change(() => add.run(1));
    expect(committed()).toEqual([]);
    await database.durable();
    expect(committed()).toEqual([1]);
  });

  test('that fails rejects only after the data that its error depends on is on the disk', async () => {
    open('durable');
    const [, second] = await Promise.allSettled([
      database.change(() => add.run(1)),
      database
        .change(() => add.run(1))
        .catch((error: Error) => {
          expect(committed()).toEqual([1]);
          throw error;
        }),
    ]);
    expect(second?.status).toBe('rejected');
  });
});

test('closing commits all written changes, and rejects later ones', async () => {
  open('written');
  database.write(() => add.run(1));
  await database.close();
  expect(committed()).toEqual([1]);
  await expect(database.change(() => add.run(2))).rejects.toThrow('closed');
  await database.close();
});
