import { expect, test } from 'vitest';
import type { Write } from '../../lib/ports/table.ts';
import { conflictOf, fill, fresh, keyOf, put, type TableOf } from './table-items.ts';

export function singleWriteLaws(table: TableOf): void {
  test('a call without writes has no effect', async () => {
    await expect(table().write([])).resolves.toBeUndefined();
  });

  test('a put replaces the whole item', async () => {
    const pk = fresh();
    await table().write([put({ pk, sk: 'a', old: 1 })]);
    await table().write([put({ pk, sk: 'a', new: 2 })]);
    expect(await table().get([keyOf(pk, 'a')])).toEqual([{ pk, sk: 'a', new: 2 }]);
  });

  test('a put when absent succeeds once', async () => {
    const pk = fresh();
    const write: Write = { do: 'put', table: 'catalog', item: { pk, sk: 'a', by: 'first' }, when: { absent: true } };
    await table().write([write]);
    expect(await conflictOf(table().write([write]))).toEqual([0]);
  });

  test('of concurrent puts when absent exactly one succeeds', async () => {
    const pk = fresh();
    const tries = Array.from({ length: 8 }, (_, by) =>
      table().write([{ do: 'put', table: 'catalog', item: { pk, sk: 'a', by }, when: { absent: true } }]),
    );
    const done = (await Promise.allSettled(tries)).flatMap((result, by) => (result.status === 'fulfilled' ? [by] : []));
    expect(done).toHaveLength(1);
    expect(await table().get([keyOf(pk, 'a')])).toEqual([{ pk, sk: 'a', by: done[0] }]);
  });

  test('a put when equal succeeds only if every attribute is equal', async () => {
    const pk = fresh();
    const replace = (equals: Record<string, string | number>): Promise<void> =>
      table().write([{ do: 'put', table: 'catalog', item: { pk, sk: 'a', seq: 2 }, when: { equals } }]);
    await table().write([put({ pk, sk: 'a', seq: 1, status: 'pending' })]);
    expect(await conflictOf(replace({ seq: 1, status: 'done' }))).toEqual([0]);
    expect(await conflictOf(replace({ seq: 1, missing: 'x' }))).toEqual([0]);
    expect((await table().get([keyOf(pk, 'a')]))[0]?.['seq']).toBe(1);
    await replace({ seq: 1, status: 'pending' });
    expect(await table().get([keyOf(pk, 'a')])).toEqual([{ pk, sk: 'a', seq: 2 }]);
  });

  test('a write whose condition is undefined is unconditional', async () => {
    const [pk, when] = [fresh(), undefined];
    const key = keyOf(pk, 'a');
    await table().write([{ do: 'put', table: 'catalog', item: { pk, sk: 'a' }, when }]);
    await table().write([{ do: 'update', key, set: { n: 1 }, when }]);
    expect(await table().get([key])).toEqual([{ pk, sk: 'a', n: 1 }]);
    await table().write([{ do: 'delete', key, when }]);
    expect(await table().get([key])).toEqual([undefined]);
  });

  test('a condition on a missing item does not hold', async () => {
    const pk = fresh();
    const write: Write = { do: 'put', table: 'catalog', item: { pk, sk: 'a' }, when: { equals: { seq: 1 } } };
    expect(await conflictOf(table().write([write]))).toEqual([0]);
  });

  test('a delete removes the item, and has no effect without one', async () => {
    const pk = fresh();
    await fill(table(), pk, ['a']);
    await table().write([{ do: 'delete', key: keyOf(pk, 'a') }]);
    await table().write([{ do: 'delete', key: keyOf(pk, 'a') }]);
    expect(await table().get([keyOf(pk, 'a')])).toEqual([undefined]);
  });

  test('a delete when present fails without an item', async () => {
    const pk = fresh();
    const write: Write = { do: 'delete', key: keyOf(pk, 'a'), when: { present: true } };
    expect(await conflictOf(table().write([write]))).toEqual([0]);
    await fill(table(), pk, ['a']);
    await table().write([write]);
    expect(await table().get([keyOf(pk, 'a')])).toEqual([undefined]);
  });

  test('a single check writes nothing, and fails unless it holds', async () => {
    const pk = fresh();
    const write: Write = { do: 'check', key: keyOf(pk, 'a'), when: { present: true } };
    expect(await conflictOf(table().write([write]))).toEqual([0]);
    await fill(table(), pk, ['a']);
    await expect(table().write([write])).resolves.toBeUndefined();
  });
}

export function updateLaws(table: TableOf): void {
  test('sets, removes and adds attributes, and keeps the others', async () => {
    const pk = fresh();
    await table().write([put({ pk, sk: 'a', keep: 1, drop: 1, count: 5 })]);
    const key = keyOf(pk, 'a');
    await table().write([
      { do: 'update', key, set: { name: 'n', not: undefined }, remove: ['drop'], add: { count: -2 } },
    ]);
    expect(await table().get([key])).toEqual([{ pk, sk: 'a', keep: 1, name: 'n', count: 3 }]);
  });

  test('creates a missing item, and adds to zero', async () => {
    const key = keyOf(fresh(), 'a');
    await table().write([{ do: 'update', key, add: { count: 2 } }]);
    expect(await table().get([key])).toEqual([{ pk: key.pk, sk: 'a', count: 2 }]);
  });

  test('does not create an item when present is required', async () => {
    const key = keyOf(fresh(), 'a');
    const write: Write = { do: 'update', key, set: { x: 1 }, when: { present: true } };
    expect(await conflictOf(table().write([write]))).toEqual([0]);
    expect(await table().get([key])).toEqual([undefined]);
  });

  test('loses no concurrent addition', async () => {
    const key = keyOf(fresh(), 'a');
    await Promise.all(Array.from({ length: 20 }, () => table().write([{ do: 'update', key, add: { count: 1 } }])));
    expect((await table().get([key]))[0]?.['count']).toBe(20);
  });

  test('accepts reserved attribute names, and names with dots', async () => {
    const key = keyOf(fresh(), 'a');
    const set = { status: 1, name: 2, 'a.b': 3, '#x': 4, ':y': 5, size: 6 };
    await table().write([{ do: 'update', key, set }]);
    await table().write([{ do: 'update', key, set: { status: 7 }, when: { equals: { 'a.b': 3, '#x': 4 } } }]);
    expect(await table().get([key])).toEqual([{ pk: key.pk, sk: 'a', ...set, status: 7 }]);
  });

  test('that changes nothing is rejected', async () => {
    const write: Write = { do: 'update', key: keyOf(fresh(), 'a'), set: { x: undefined } };
    await expect(table().write([write])).rejects.toThrow('changes nothing');
  });
}

export function severalWriteLaws(table: TableOf): void {
  test('are all done, in several tables', async () => {
    const pk = fresh();
    await fill(table(), pk, ['old']);
    await table().write([
      put({ pk, sk: 'a' }),
      put({ pk, sk: 'a' }, 'journal'),
      { do: 'update', key: keyOf(pk, 'b', 'runs'), set: { x: 1 } },
      { do: 'delete', key: keyOf(pk, 'old') },
    ]);
    const items = await table().get([
      keyOf(pk, 'a'),
      keyOf(pk, 'a', 'journal'),
      keyOf(pk, 'b', 'runs'),
      keyOf(pk, 'old'),
    ]);
    expect(items.map((item) => item?.sk)).toEqual(['a', 'a', 'b', undefined]);
  });

  test('are not done at all when a condition fails, and the error has the indexes of the failed ones', async () => {
    const pk = fresh();
    await fill(table(), pk, ['there']);
    const failed = await conflictOf(
      table().write([
        put({ pk, sk: 'a' }),
        { do: 'put', table: 'catalog', item: { pk, sk: 'there' }, when: { absent: true } },
        { do: 'update', key: keyOf(pk, 'b', 'runs'), set: { x: 1 } },
        { do: 'check', key: keyOf(pk, 'missing'), when: { present: true } },
        { do: 'check', key: keyOf(pk, 'absent'), when: { absent: true } },
      ]),
    );
    expect(failed).toEqual([1, 3]);
    expect(await table().get([keyOf(pk, 'a'), keyOf(pk, 'b', 'runs')])).toEqual([undefined, undefined]);
  });

  test('include a check, which the others depend on', async () => {
    const pk = fresh();
    const guarded = (seq: number): Promise<void> =>
      table().write([
        { do: 'check', key: keyOf(pk, 'guard'), when: { equals: { seq } } },
        put({ pk, sk: `after-${seq}` }),
      ]);
    await table().write([put({ pk, sk: 'guard', seq: 1 })]);
    await guarded(1);
    expect(await conflictOf(guarded(2))).toEqual([0]);
    const items = await table().get([keyOf(pk, 'after-1'), keyOf(pk, 'after-2')]);
    expect(items.map((item) => item?.sk)).toEqual(['after-1', undefined]);
  });

  test('that are concurrent on the same items are isolated', async () => {
    const pk = fresh();
    const both = (): Promise<void> =>
      table().write([
        { do: 'update', key: keyOf(pk, 'a'), add: { count: 1 } },
        { do: 'update', key: keyOf(pk, 'b', 'runs'), add: { count: 1 } },
      ]);
    await Promise.all(Array.from({ length: 10 }, both));
    const items = await table().get([keyOf(pk, 'a'), keyOf(pk, 'b', 'runs')]);
    expect(items.map((item) => item?.['count'])).toEqual([10, 10]);
  });

  test('are at most a hundred', async () => {
    const pk = fresh();
    const writes = Array.from({ length: 101 }, (_, index) => put({ pk, sk: String(index) }));
    await table().write(writes.slice(0, 100));
    expect((await table().query({ table: 'catalog', pk, count: true })).count).toBe(100);
    await expect(table().write(writes)).rejects.toThrow('at most 100');
  });

  test('of one item twice are rejected', async () => {
    const pk = fresh();
    await expect(table().write([put({ pk, sk: 'a' }), put({ pk, sk: 'a', x: 1 })])).rejects.toThrow();
    expect(await table().get([keyOf(pk, 'a')])).toEqual([undefined]);
  });
}
