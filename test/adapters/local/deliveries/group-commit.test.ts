import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { GroupCommit } from '../../../../lib/adapters/local/deliveries/group-commit.ts';

let database: DatabaseSync;
let group: GroupCommit;
const put = (value: number) => (): number => {
  database.exec(`INSERT INTO numbers VALUES (${value})`);
  return value;
};
const stored = (): unknown[] =>
  database
    .prepare('SELECT value FROM numbers ORDER BY value')
    .all()
    .map((row) => row['value']);

beforeEach(() => {
  database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE numbers (value INTEGER PRIMARY KEY) STRICT');
  group = new GroupCommit(database);
});

test('all works of a turn are stored together, each with its own result', async () => {
  const both = Promise.all([group.run(put(1)), group.run(put(2))]);
  expect(stored()).toEqual([]);
  expect(await both).toEqual([1, 2]);
  expect(stored()).toEqual([1, 2]);
});

test('when one work of a turn fails, none of them is stored and all are told; the next turn is not touched', async () => {
  const turn = await Promise.allSettled([group.run(put(1)), group.run(put(1)), group.run(put(2))]);
  expect(turn.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(stored()).toEqual([]);
  expect(await group.run(put(3))).toBe(3);
  expect(stored()).toEqual([3]);
});

test('what was asked for before the end is stored, what comes after it is refused', async () => {
  const last = group.run(put(1));
  group.close();
  expect(await last).toBe(1);
  expect(database.isOpen).toBe(false);
  await expect(group.run(put(2))).rejects.toThrow('closed');
});
