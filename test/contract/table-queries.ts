import { expect, test } from 'vitest';
import type { Item, Query, Table, Where } from '../../lib/ports/table.ts';
import { fill, fresh, keyOf, put, sortsOf, type TableOf } from './table-items.ts';

export function queryLaws(table: TableOf): void {
  test('reads one partition, in ascending or descending order of the sort key', async () => {
    const [pk, other] = [fresh(), fresh()];
    await fill(table(), other, ['x']);
    await fill(table(), pk, ['b', 'c', 'a']);
    expect(sortsOf((await table().query({ table: 'catalog', pk })).items)).toEqual(['a', 'b', 'c']);
    const backwards = await table().query({ table: 'catalog', pk, descending: true });
    expect(sortsOf(backwards.items)).toEqual(['c', 'b', 'a']);
  });

  test('is consistent with preceding writes', async () => {
    const pk = fresh();
    for (let written = 1; written <= 5; written++) {
      await fill(table(), pk, [String(written)]);
      expect((await table().query({ table: 'catalog', pk })).count).toBe(written);
    }
  });

  test('orders text by its UTF-8 bytes', async () => {
    const pk = fresh();
    const sorts = ['Z', 'a', 'é', '\u{FFFD}', '\u{1F600}'];
    await fill(table(), pk, [...sorts].reverse());
    expect(sortsOf((await table().query({ table: 'catalog', pk })).items)).toEqual(sorts);
  });

  test('reads the requested attributes, and always the keys', async () => {
    const pk = fresh();
    await table().write([put({ pk, sk: 'a', status: 1, name: 2, text: 3 })]);
    const { items } = await table().query({ table: 'catalog', pk, only: ['status', 'missing', 'pk'] });
    expect(items).toEqual([{ pk, sk: 'a', status: 1 }]);
  });

  test('counts without reading', async () => {
    const pk = fresh();
    await fill(table(), pk, ['a', 'b', 'c']);
    expect(await table().query({ table: 'catalog', pk, count: true, from: 'b' })).toEqual({ items: [], count: 2 });
  });

  test('ignores optional parts that are undefined', async () => {
    const pk = fresh();
    await fill(table(), pk, ['a', 'b']);
    const none = { index: undefined, from: undefined, to: undefined, prefix: undefined, next: undefined };
    const query = { table: 'catalog', pk, ...none, descending: undefined, limit: undefined } as const;
    const { items } = await table().query({ ...query, only: undefined, count: undefined });
    expect(items).toEqual([
      { pk, sk: 'a' },
      { pk, sk: 'b' },
    ]);
  });

  test('of an empty partition is an empty page without a next', async () => {
    expect(await table().query({ table: 'catalog', pk: fresh() })).toEqual({ items: [], count: 0 });
  });
}

export function rangeLaws(table: TableOf): void {
  const SORTS = ['a', 'ab', 'abc', 'b', 'ba', 'c'];
  test.each<[object, string[]]>([
    [{ prefix: 'ab' }, ['ab', 'abc']],
    [{ prefix: '' }, SORTS],
    [{ prefix: 'x' }, []],
    [{ from: 'abc' }, ['abc', 'b', 'ba', 'c']],
    [{ to: 'abc' }, ['a', 'ab', 'abc']],
    [{ from: 'ab', to: 'b' }, ['ab', 'abc', 'b']],
    [{ from: 'b', to: 'ab' }, []],
    [{ from: '' }, SORTS],
    [{ to: '' }, []],
    [{ prefix: 'a', from: 'ab' }, ['ab', 'abc']],
    [{ prefix: 'a', to: 'ab' }, ['a', 'ab']],
    [{ prefix: 'b', from: 'a', to: 'c' }, ['b', 'ba']],
    [{ prefix: 'b', from: 'c' }, []],
  ])('%o gives %o in both directions', async (range, expected) => {
    const pk = fresh();
    await fill(table(), pk, SORTS);
    expect(sortsOf((await table().query({ table: 'catalog', pk, ...range })).items)).toEqual(expected);
    const backwards = await table().query({ table: 'catalog', pk, ...range, descending: true });
    expect(sortsOf(backwards.items)).toEqual(expected.toReversed());
  });
}

async function walk(table: Table, query: Query): Promise<{ sorts: string[]; pages: number }> {
  const sorts: string[] = [];
  let pages = 0;
  for (let next: string | undefined; ; ) {
    const page = await table.query(next === undefined ? query : { ...query, next });
    expect(page.count).toBe(page.items.length);
    sorts.push(...sortsOf(page.items));
    pages++;
    next = page.next;
    if (next === undefined) return { sorts, pages };
  }
}

export function pageLaws(table: TableOf): void {
  const SORTS = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1'];
  test.each([false, true])('have no gaps or overlaps (descending: %s)', async (descending) => {
    const pk = fresh();
    await fill(table(), pk, SORTS);
    const { sorts, pages } = await walk(table(), { table: 'catalog', pk, limit: 2, prefix: 'a', descending });
    expect(sorts).toEqual(descending ? SORTS.slice(0, 5).reverse() : SORTS.slice(0, 5));
    expect(pages).toBe(3);
  });

  test('continue after an item that was deleted', async () => {
    const pk = fresh();
    await fill(table(), pk, SORTS);
    const first = await table().query({ table: 'catalog', pk, limit: 2 });
    await table().write([{ do: 'delete', key: keyOf(pk, 'a2') }]);
    const second = await table().query({ table: 'catalog', pk, limit: 2, next: first.next ?? '' });
    expect(sortsOf(second.items)).toEqual(['a3', 'a4']);
  });

  test('contain all items of a partition that is larger than a page', async () => {
    const pk = fresh();
    const sorts = Array.from({ length: 6 }, (_, index) => String(index));
    await fill(table(), pk, sorts, { text: 'x'.repeat(300_000) });
    const { sorts: found, pages } = await walk(table(), { table: 'catalog', pk });
    expect(found).toEqual(sorts);
    expect(pages).toBeGreaterThan(1);
  });

  test.each(['', 'rubbish', 'bnVsbA', 'e30'])('the malformed cursor %j is rejected', async (next) => {
    await expect(table().query({ table: 'catalog', pk: fresh(), next })).rejects.toThrow('cursor');
  });

  test('the cursor of one partition is rejected in another', async () => {
    const [pk, other] = [fresh(), fresh()];
    await fill(table(), pk, SORTS);
    const { next = '' } = await table().query({ table: 'catalog', pk, limit: 1 });
    await expect(table().query({ table: 'catalog', pk: other, next })).rejects.toThrow('does not continue');
  });
}

function runOf(namespace: string, id: string): Item {
  const head = { id, order: id, nsBucket: namespace, n: 'ns', wf: 'w', as: '/w', status: 'pending' };
  const rest = { created: 1, updated: 2, invoker: 'api', code: '', message: '', revision: 'r' };
  return { pk: `run#${id}`, sk: '.', ...head, ...rest, data: 'not in the index' };
}

export function indexLaws(table: TableOf): void {
  test('lists the runs of a namespace in the order of their beginning, with the attributes of lists', async () => {
    const [namespace, other] = [fresh(), fresh()];
    const idsOf = async (pk: string, descending: boolean) => {
      const { items } = await table().query({ table: 'runs', index: 'by-namespace', pk, descending });
      return items.map((item) => item['id']);
    };
    for (const id of ['2', '1', '3']) await table().write([put(runOf(namespace, `${namespace}-${id}`), 'runs')]);
    await table().write([put(runOf(other, `${other}-1`), 'runs')]);
    expect(await idsOf(namespace, false)).toEqual(['1', '2', '3'].map((id) => `${namespace}-${id}`));
    expect(await idsOf(namespace, true)).toEqual(['3', '2', '1'].map((id) => `${namespace}-${id}`));
    const { items } = await table().query({ table: 'runs', index: 'by-namespace', pk: other });
    const { data: _data, ...head } = runOf(other, `${other}-1`);
    expect(items).toEqual([head]);
  });

  test('reflects the change and the deletion of a run', async () => {
    const namespace = fresh();
    const key = keyOf(`run#${namespace}`, '.', 'runs');
    const statuses = async (): Promise<unknown[]> => {
      const { items } = await table().query({ table: 'runs', index: 'by-namespace', pk: namespace });
      return items.map((item) => item['status']);
    };
    await table().write([put(runOf(namespace, namespace), 'runs')]);
    await table().write([{ do: 'update', key, set: { status: 'complete' } }]);
    await expect.poll(statuses).toEqual(['complete']);
    await table().write([{ do: 'delete', key }]);
    await expect.poll(statuses).toEqual([]);
  });

  test('is read page by page, also by prefix and range', async () => {
    const namespace = fresh();
    const ids = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${namespace}-${letter}`);
    await table().write(ids.map((id) => put(runOf(namespace, id), 'runs')));
    const query = { table: 'runs', index: 'by-namespace', pk: namespace, limit: 2, from: ids[1] ?? '' } as const;
    const { sorts, pages } = await walk(table(), { ...query, prefix: namespace });
    expect(sorts).toHaveLength(4);
    expect(pages).toBeGreaterThanOrEqual(2);
    expect((await table().query({ ...query, count: true, limit: 10 })).count).toBe(4);
  });

  test('is filtered by conditions on texts', async () => {
    const namespace = fresh();
    const statuses = ['pending', 'failed', 'complete', 'failed'];
    const all = statuses.map((status, n) => ({ ...runOf(namespace, `${namespace}-${n}`), status, as: `/flow-${n}` }));
    await table().write(all.map((item) => put(item, 'runs')));
    const query = { table: 'runs', index: 'by-namespace', pk: namespace } as const;
    const found = async (where: Where) => {
      const { items } = await table().query({ ...query, where });
      expect((await table().query({ ...query, where, count: true })).count).toBe(items.length);
      return items.map((item) => item['as']);
    };
    await expect.poll(() => found([])).toHaveLength(4);
    const failed = { attribute: 'status', is: 'equal to', text: 'failed' } as const;
    const second = { attribute: 'as', is: 'containing', text: 'w-1' } as const;
    expect(await found([[failed]])).toEqual(['/flow-1', '/flow-3']);
    expect(await found([[failed], [second]])).toEqual(['/flow-1']);
    expect(await found([[{ ...failed, is: 'beginning with', text: 'p' }, second]])).toEqual(['/flow-0', '/flow-1']);
    expect(await found([[{ ...failed, is: 'beginning with', text: 'ailed' }]])).toEqual([]);
    expect(await found([[{ ...failed, attribute: 'created' }]])).toEqual([]);
    const { sorts } = await walk(table(), { ...query, where: [[failed]], limit: 1, descending: true });
    expect(sorts).toHaveLength(2);
  });

  test('does not contain items without its keys', async () => {
    const namespace = fresh();
    await table().write([put({ pk: 'bare', sk: namespace, nsBucket: namespace }, 'runs')]);
    const page = await table().query({ table: 'runs', index: 'by-namespace', pk: namespace });
    expect(page).toEqual({ items: [], count: 0 });
  });

  test('that the table does not have is rejected by name', async () => {
    const query = { table: 'catalog', index: 'by-namespace', pk: 'x' } as const;
    await expect(table().query(query)).rejects.toThrow('the table catalog has no index by-namespace');
  });
}
