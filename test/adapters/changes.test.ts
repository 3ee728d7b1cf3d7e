import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { pollingChanges } from '../../lib/adapters/aws/changes.ts';
import { localChanges } from '../../lib/adapters/local/changes.ts';
import type { Key, Write } from '../../lib/ports/table.ts';
import { changesContract, LONG } from '../contract/changes.ts';
import { MemoryTable } from '../contract/memory-table.ts';

const key = (pk: string, sk: string): Key => ({ table: 'runs', pk, sk });
const put = (pk: string, sk: string, nsBucket?: string): Write => ({
  do: 'put',
  table: 'runs',
  item: { pk, sk, ...(nsBucket === undefined ? {} : { nsBucket, id: sk }) },
});

function local() {
  const changes = localChanges();
  return { changes, table: changes.observe(new MemoryTable()) };
}

describe('changes of a local service', () => {
  changesContract(local);

  test('other items, partitions and index partitions do not wake', async () => {
    const { changes, table } = local();
    const watch = changes.watch(table);
    const reader = watch.begin();
    await reader.get([key('item', '1')]);
    await reader.query({ table: 'runs', pk: 'list' });
    await reader.query({ table: 'runs', index: 'by-namespace', pk: 'n' });
    await table.write([put('item', '2'), put('other', '1', 'm'), put('n', '1')]);
    await table.write([{ do: 'check', key: key('item', '1'), when: { absent: true } }]);
    expect(await watch.next(0, false)).toBe('quiet');
  });

  test('what an earlier reading read wakes no longer', async () => {
    const { changes, table } = local();
    const watch = changes.watch(table);
    await watch.begin().get([key('a', '1')]);
    await watch.begin().get([key('b', '1')]);
    expect(await watch.next(0, false)).toBe('quiet');
    await table.write([put('a', '1')]);
    expect(await watch.next(0, false)).toBe('quiet');
    await table.write([put('b', '1')]);
    expect(await watch.next(0, false)).toBe('changed');
  });

  test('an update that moves an item into an index partition wakes who reads that one', async () => {
    const { changes, table } = local();
    await table.write([put('a', '1')]);
    const watch = changes.watch(table);
    await watch.begin().query({ table: 'runs', index: 'by-namespace', pk: 'n' });
    await table.write([{ do: 'update', key: key('a', '1'), set: { nsBucket: 'n', id: '1' } }]);
    expect(await watch.next(LONG, false)).toBe('changed');
  });

  test('a write whose answer is lost wakes', async () => {
    const changes = localChanges();
    const lost = new MemoryTable();
    lost.write = () => Promise.reject(new Error('the line is dead'));
    const table = changes.observe(lost);
    const watch = changes.watch(table);
    await watch.begin().get([key('a', '1')]);
    await expect(table.write([put('a', '1')])).rejects.toThrow('the line is dead');
    expect(await watch.next(LONG, false)).toBe('changed');
  });

  test('their end is the end of every watch, also of one that comes later', async () => {
    const { changes, table } = local();
    const early = changes.watch(table);
    await early.begin().get([key('a', '1')]);
    const woken = early.next(LONG, false);
    changes.close();
    expect(await woken).toBe('over');
    expect(await changes.watch(table).next(LONG, false)).toBe('over');
    expect(changes.watchCount).toBe(0);
  });

  test('a watch that is closed leaves nothing behind, even if its reading goes on', async () => {
    const { changes, table } = local();
    const watch = changes.watch(table);
    const reader = watch.begin();
    expect(changes.watchCount).toBe(1);
    watch.close();
    await reader.get([key('a', '1')]);
    expect([changes.watchCount, changes.keyCount]).toEqual([0, 0]);
  });
});

describe('changes where nobody tells of them', () => {
  changesContract(() => ({ changes: pollingChanges({ shortest: 1, longest: 5 }), table: new MemoryTable() }));

  test('looks are rarer while there are no news, and frequent again after news', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const watch = pollingChanges().watch(new MemoryTable());
    const waits: number[] = [];
    for (const isBusy of [true, false, false, false, false, false, true]) {
      const began = performance.now();
      watch.begin();
      let isLooking = false;
      while (!isLooking) {
        // As with heartbeats in between.
        const woken = watch.next(700, isBusy);
        await vi.advanceTimersToNextTimerAsync();
        isLooking = (await woken) === 'changed';
      }
      waits.push(performance.now() - began);
    }
    expect(waits).toEqual([1000, 1500, 2250, 3375, 5000, 5000, 1000]);
  });
});
