import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Changes, Watch } from '../../lib/ports/changes.ts';
import { ConflictError, type Item, type Table, type Write } from '../../lib/ports/table.ts';

/** The port under test, and its table. */
export interface ChangesBench {
  readonly changes: Changes;
  readonly table: Table;
}

/** Longer than any wait of a test, milliseconds. */
export const LONG = 60_000;

const put = (pk: string, sk: string, more: Partial<Item> = {}): Write => ({
  do: 'put',
  table: 'runs',
  item: { pk, sk, ...more },
});

/** The contract of the port `Changes`. */
export function changesContract(open: () => ChangesBench): void {
  let bench: ChangesBench;
  let watch: Watch;
  beforeEach(() => {
    bench = open();
    watch = bench.changes.watch(bench.table);
  });
  afterEach(() => watch.close());

  const write = (...writes: Write[]) => bench.table.write(writes);

  test('the watched table reads and writes like the table', async () => {
    await write(put('a', '1', { n: 7 }));
    const table = watch.begin();
    expect(await table.get([{ table: 'runs', pk: 'a', sk: '1' }])).toMatchObject([{ n: 7 }]);
    expect((await table.query({ table: 'runs', pk: 'a' })).count).toBe(1);
    await table.write([put('a', '2')]);
    expect((await table.query({ table: 'runs', pk: 'a' })).count).toBe(2);
  });

  test('a change of an item that was read is signalled', async () => {
    await watch.begin().get([{ table: 'runs', pk: 'a', sk: '1' }]);
    const woken = watch.next(LONG, false);
    await write(put('a', '1'));
    expect(await woken).toBe('changed');
  });

  test('a change of a partition that was read is signalled, also a deletion', async () => {
    await write(put('a', '1'));
    await watch.begin().query({ table: 'runs', pk: 'a' });
    const woken = watch.next(LONG, false);
    await write({ do: 'delete', key: { table: 'runs', pk: 'a', sk: '1' } });
    expect(await woken).toBe('changed');
  });

  test('a change of a partition of an index that was read is signalled', async () => {
    await watch.begin().query({ table: 'runs', index: 'by-namespace', pk: 'n' });
    const woken = watch.next(LONG, false);
    await write(put('a', '1', { nsBucket: 'n', id: '1' }));
    expect(await woken).toBe('changed');
  });

  test('a change between the reading and the wait is signalled', async () => {
    await watch.begin().query({ table: 'runs', pk: 'a' });
    await write(put('a', '1'));
    expect(await watch.next(LONG, false)).toBe('changed');
  });

  test('a change during the reading is signalled', async () => {
    const table = watch.begin();
    await Promise.all([table.query({ table: 'runs', pk: 'a' }), write(put('a', '1'))]);
    expect(await watch.next(LONG, false)).toBe('changed');
  });

  test('each of several transactions is signalled', async () => {
    for (let round = 0; round < 3; round += 1) {
      await watch.begin().get([{ table: 'runs', pk: 'a', sk: '1' }]);
      const woken = watch.next(LONG, true);
      await write(put('a', '1', { round }), put('b', '1'));
      expect(await woken).toBe('changed');
    }
  });

  test('a watch that joins another one watches what that reads, also when the other is closed', async () => {
    const other = bench.changes.watch(bench.table);
    await watch.begin().get([{ table: 'runs', pk: 'b', sk: '1' }]);
    const reading = other.begin();
    watch.join(other);
    await reading.query({ table: 'runs', pk: 'a' });
    other.close();
    const woken = watch.next(LONG, false);
    await write(put('a', '1'));
    expect(await woken).toBe('changed');
  });

  test('a watch that joins another one notices a change during its reading', async () => {
    const other = bench.changes.watch(bench.table);
    await other.begin().query({ table: 'runs', pk: 'a' });
    await write(put('a', '1'));
    watch.join(other);
    expect(await watch.next(LONG, false)).toBe('changed');
    other.close();
  });

  test('without a change the wait ends after its time', async () => {
    await watch.begin().get([{ table: 'runs', pk: 'a', sk: '1' }]);
    expect(await watch.next(0, false)).toBe('quiet');
  });

  test('closing the watch ends a pending wait and each later one', async () => {
    await watch.begin().get([{ table: 'runs', pk: 'a', sk: '1' }]);
    const woken = watch.next(LONG, false);
    watch.close();
    expect(await woken).toBe('over');
    expect(await watch.next(LONG, false)).toBe('over');
  });

  test('a write through the watched table fails as it does without a watch', async () => {
    const failing = watch.begin().write([{ ...put('a', '1'), when: { present: true } } as Write]);
    await expect(failing).rejects.toThrow(ConflictError);
  });
}
