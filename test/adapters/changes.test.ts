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

  test('a watch does not wake for other items, partitions and index partitions', async () => {
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

  test('a watch does not wake for what only an earlier reading read', async () => {
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

  test('a watch of an index partition wakes for an update that moves an item into it', async () => {
    const { changes, table } = local();
    await table.write([put('a', '1')]);
    const watch = changes.watch(table);
    await watch.begin().query({ table: 'runs', index: 'by-namespace', pk: 'n' });
    await table.write([{ do: 'update', key: key('a', '1'), set: { nsBucket: 'n', id: '1' } }]);
    expect(await watch.next(LONG, false)).toBe('changed');
  });

  test('a watch wakes for a write whose response is lost', async () => {
    const changes = localChanges();
    const lost = new MemoryTable();
    lost.write = () => Promise.reject(new Error('the connection is lost'));
    const table = changes.observe(lost);
    const watch = changes.watch(table);
    await watch.begin().get([key('a', '1')]);
    await expect(table.write([put('a', '1')])).rejects.toThrow('the connection is lost');
    expect(await watch.next(LONG, false)).toBe('changed');
  });

  test('closing them closes every watch, also later ones', async () => {
    const { changes, table } = local();
    const early = changes.watch(table);
    await early.begin().get([key('a', '1')]);
    const woken = early.next(LONG, false);
    changes.close();
    expect(await woken).toBe('over');
    expect(await changes.watch(table).next(LONG, false)).toBe('over');
    expect(changes.watchCount).toBe(0);
  });

  test('a closed watch leaves nothing behind, also if its reading continues', async () => {
    const { changes, table } = local();
    const watch = changes.watch(table);
    const reader = watch.begin();
    expect(changes.watchCount).toBe(1);
    watch.close();
    await reader.get([key('a', '1')]);
    expect([changes.watchCount, changes.keyCount]).toEqual([0, 0]);
  });
});

describe('changes by polling', () => {
  changesContract(() => ({ changes: pollingChanges({ shortest: 1, longest: 5 }), table: new MemoryTable() }));

  test('polls are less frequent while nothing changes, and frequent again after a change', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const watch = pollingChanges().watch(new MemoryTable());
    const waits: number[] = [];
    for (const isBusy of [true, false, false, false, false, false, true]) {
      const startedAt = performance.now();
      watch.begin();
      let isPolled = false;
      while (!isPolled) {
        // Shorter than the poll interval, as with heartbeats.
        const woken = watch.next(700, isBusy);
        await vi.advanceTimersToNextTimerAsync();
        isPolled = (await woken) === 'changed';
      }
      waits.push(performance.now() - startedAt);
    }
    expect(waits).toEqual([1000, 1500, 2250, 3375, 5000, 5000, 1000]);
  });
});
