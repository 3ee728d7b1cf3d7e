import { beforeEach, describe, expect, test } from 'vitest';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import * as events from '../../../lib/domain/events/events.ts';
import { nameOf } from '../../../lib/domain/events/identity.ts';
import { areRecorded } from '../../../lib/domain/events/reservations.ts';
import { eventId } from '../../../lib/domain/storage/keys.ts';
import type { Table, Write } from '../../../lib/ports/table.ts';
import { MemoryTable } from '../../contract/memory-table.ts';

const HOME = { id: 'ns', spread: undefined };
const EVENT = { specversion: '1.0', id: 'e', source: 's', type: 'paid', data: 1 };

let table: MemoryTable;
let now: number;
const blobs = memoryBlobs();
beforeEach(() => {
  table = new MemoryTable();
  now = Date.UTC(2026, 0, 15);
});

/** Called with each write before it is made, and with its number from 1. */
type Watch = (writes: readonly Write[], number: number) => void | Promise<void>;

function portsOf(watch: Watch = () => undefined) {
  let number = 0;
  const watched: Table = {
    get: (keys) => table.get(keys),
    query: (query) => table.query(query),
    write: async (writes) => {
      number += 1;
      await watch(writes, number);
      await table.write(writes);
    },
  };
  return { table: watched, blobs, clock: { now: () => now, uuid: () => 'u', secret: () => 's' } };
}

/** Ends a process at its second write: it has reserved the id and not recorded the event. */
const endsInBetween: Watch = (_, number) => {
  if (number === 2) throw new Error('ended');
};

const dueOf = async (from: number) =>
  (await events.dueSince(portsOf(), { home: HOME, type: 'paid', from }, () => true)).map(({ event, due }) => [
    event.data,
    due,
  ]);

describe('recording an event', () => {
  test('is two writes of one item, and a second event with the id is rejected', async () => {
    const sizes: number[] = [];
    await events.record(
      portsOf((writes) => void sizes.push(writes.length)),
      HOME,
      EVENT,
    );
    expect(sizes).toEqual([1, 1]);
    await expect(events.record(portsOf(), HOME, { ...EVENT, data: 2 })).rejects.toMatchObject({ code: 'exists' });
    expect(await dueOf(now)).toEqual([[1, now]]);
  });

  test('that ended after it had reserved the id is made again, with the present time', async () => {
    await expect(events.record(portsOf(endsInBetween), HOME, EVENT)).rejects.toThrow('ended');
    expect(await areRecorded(portsOf(), HOME.id, ['e', 'other'], 's')).toEqual([false, false]);
    await expect(events.need(portsOf(), HOME.id, 'e')).rejects.toMatchObject({ code: 'not-found' });
    const first = now;
    now += 5000;
    await events.record(portsOf(), HOME, EVENT);
    expect(await dueOf(first)).toEqual([[1, now]]);
    expect((await events.need(portsOf(), HOME.id, 'e')).due).toBe(now);
    const newest = await events.newestOfType(portsOf(), { home: HOME, type: 'paid', from: first }, 10);
    expect(newest.map(({ due }) => due)).toEqual([now]);
    expect(await areRecorded(portsOf(), HOME.id, ['e', 'other'], 's')).toEqual([true, false]);
  });

  test.each([1, 2, 3, 4])('is made once also if write %i of the one that takes over is its last', async (last) => {
    await expect(events.record(portsOf(endsInBetween), HOME, EVENT)).rejects.toThrow('ended');
    const first = now;
    now += 5000;
    const ends: Watch = (_, number) => {
      if (number > last) throw new Error('ended');
    };
    await events.record(portsOf(ends), HOME, EVENT).catch(() => undefined);
    now += 5000;
    await events
      .record(portsOf(), HOME, EVENT)
      .catch((error: unknown) => expect(error).toMatchObject({ code: 'exists' }));
    expect((await dueOf(first)).map(([data]) => data)).toEqual([1]);
  });

  test('by a process that is late is rejected when another one has taken the id over', async () => {
    const first = now;
    const late = portsOf(async (_, number) => {
      if (number !== 2) return;
      now += 5000;
      await events.record(portsOf(), HOME, { ...EVENT, data: 2 });
    });
    await expect(events.record(late, HOME, EVENT)).rejects.toMatchObject({ code: 'exists' });
    expect(await dueOf(first)).toEqual([[2, now]]);
  });

  test('succeeds when the client of the database repeats a write whose response was lost', async () => {
    const repeating = portsOf((writes) => table.write(writes));
    await events.record(repeating, HOME, EVENT);
    expect(await dueOf(now)).toEqual([[1, now]]);
  });

  test('succeeds when the record of an earlier event with the id has expired before the item for its id', async () => {
    const { key } = await events.record(portsOf(), HOME, EVENT);
    await table.write([{ do: 'delete', key }]);
    now += 5000;
    await events.record(portsOf(), HOME, { ...EVENT, data: 2 });
    expect(await dueOf(now)).toEqual([[2, now]]);
  });
});

describe('events of two sources with the same id', () => {
  const OTHER = { ...EVENT, source: 'other', data: 2 };

  test('are both recorded, also at the same time, and each once', async () => {
    await events.record(portsOf(), HOME, EVENT);
    await events.record(portsOf(), HOME, OTHER);
    now += 1;
    for (const again of [EVENT, OTHER])
      await expect(events.record(portsOf(), HOME, again)).rejects.toMatchObject({ code: 'exists' });
    expect((await dueOf(now - 1)).map(([data]) => data).toSorted()).toEqual([1, 2]);
  });

  test('are found by the id, and by the id with the source', async () => {
    const first = await events.record(portsOf(), HOME, EVENT);
    const second = await events.record(portsOf(), HOME, OTHER);
    expect([nameOf(first), nameOf(second)]).toEqual(['e', 'e other']);
    expect((await events.need(portsOf(), HOME.id, 'e')).event.source).toBe('s');
    expect((await events.need(portsOf(), HOME.id, 'e other')).event.source).toBe('other');
    expect((await events.need(portsOf(), HOME.id, 'e s')).event.source).toBe('s');
    await expect(events.need(portsOf(), HOME.id, 'e third')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('are known as recorded by their source', async () => {
    await events.record(portsOf(), HOME, EVENT);
    expect(await areRecorded(portsOf(), HOME.id, ['e', 'f'], 'other')).toEqual([false, false]);
    await events.record(portsOf(), HOME, OTHER);
    expect(await areRecorded(portsOf(), HOME.id, ['e', 'f'], 'other')).toEqual([true, false]);
  });

  test('have one id where an older version recorded the first: its pointer has no source', async () => {
    await events.record(portsOf(), HOME, EVENT);
    const { pk, sk } = eventId(HOME.id, 'e');
    const [pointer] = await table.get([{ table: 'journal', pk, sk }]);
    const { source: _, ...old } = pointer ?? { pk, sk };
    await table.write([{ do: 'put', table: 'journal', item: old }]);
    now += 1;
    for (const again of [EVENT, OTHER])
      await expect(events.record(portsOf(), HOME, again)).rejects.toMatchObject({ code: 'exists' });
    expect(await areRecorded(portsOf(), HOME.id, ['e'], 's')).toEqual([true]);
    expect((await events.needSame(portsOf(), HOME.id, EVENT)).event).toEqual(EVENT);
  });

  test('cost no more writes than events with ids of their own, unless the id is taken', async () => {
    const sizes: number[] = [];
    const counted = portsOf((writes) => void sizes.push(writes.length));
    await events.record(counted, HOME, EVENT);
    expect(sizes).toEqual([1, 1]);
    await events.record(counted, HOME, OTHER);
    expect(sizes).toEqual([1, 1, 1, 1, 1]);
  });
});
