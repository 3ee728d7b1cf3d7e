import { expect, test } from 'vitest';
import { putAt } from '../../../lib/domain/storage/batches.ts';
import { countAll, pagesAfter, type Range, readAll, readPage } from '../../../lib/domain/storage/queries.ts';
import { readWindow } from '../../../lib/domain/storage/windows.ts';
import type { Item, Page, Table } from '../../../lib/ports/table.ts';
import { MemoryTable } from '../../contract/memory-table.ts';

const PARTITIONS = 5;
const ROWS = 300;

const orderOf = (n: number): string => `${String(n % 90).padStart(4, '0')}#${n}`;

/** Rows in one partition, and the same rows in several: some partitions have few, one has none. */
async function filled(): Promise<{ table: Table; one: Range; several: Range }> {
  const table = new MemoryTable();
  for (let n = 0; n < ROWS; n += 1) {
    const partition = n % 7 === 0 ? 3 : (n * n) % (PARTITIONS - 1);
    for (const nsBucket of ['one', `several#${partition}`]) {
      const attributes = { nsBucket, order: orderOf(n), status: n % 11 === 0 ? 'failed' : 'complete', id: String(n) };
      await table.write([putAt({ table: 'runs', pk: `${nsBucket}-${n}`, sk: '.' }, attributes)]);
    }
  }
  const index = { table: 'runs', index: 'by-namespace' } as const;
  const pks = Array.from({ length: PARTITIONS }, (_, partition) => `several#${partition}`);
  return { table, one: { ...index, pk: 'one' }, several: { ...index, pks, order: 'order' } };
}

const { table, one, several } = await filled();
const idsOf = (items: readonly Item[]): string[] => items.map(({ id }) => String(id));

const EXTRACTS: readonly (readonly [string, Omit<Range, 'table' | 'index' | 'pk' | 'pks' | 'order'>])[] = [
  ['all', {}],
  ['descending', { descending: true }],
  ['between two keys', { from: orderOf(12), to: orderOf(65) }],
  ['between two keys, descending', { from: orderOf(12), to: orderOf(65), descending: true }],
  ['with a condition', { where: [[{ attribute: 'status', is: 'equal to', text: 'failed' }]] }],
  ['with a condition that nothing meets', { where: [[{ attribute: 'status', is: 'equal to', text: 'none' }]] }],
  ['of some attributes', { only: ['id'] }],
];

test.each(EXTRACTS)('several partitions are read as one: %s', async (_what, extract) => {
  const expected = idsOf(await readAll(table, { ...one, ...extract }));
  expect(idsOf(await readAll(table, { ...several, ...extract }))).toEqual(expected);
  expect(await countAll(table, { ...several, ...extract })).toBe(expected.length);
  for (const limit of [1, 7, 64]) {
    expect(idsOf(await readAll(table, { ...several, ...extract, limit }))).toEqual(expected);
  }
});

test.each(EXTRACTS)('a window of several partitions is that of one: %s', async (_what, extract) => {
  for (const [from, to] of [
    [0, 10],
    [35, 90],
    [290, 400],
  ] as const) {
    const expected = await readWindow(table, [{ ...one, ...extract }], { from, to });
    const found = await readWindow(table, [{ ...several, ...extract }], { from, to });
    expect(idsOf(found.items)).toEqual(idsOf(expected.items));
    expect(found.total).toBe(expected.total);
  }
});

test.each(EXTRACTS)('rows are skipped as in one partition: %s', async (_what, extract) => {
  const all = idsOf(await readAll(table, { ...one, ...extract }));
  for (const skipped of [1, 23, ROWS]) {
    const found: string[] = [];
    for await (const items of pagesAfter(table, { ...several, ...extract }, skipped)) found.push(...idsOf(items));
    expect(found).toEqual(all.slice(skipped));
  }
});

test('a cursor stays valid while rows before and after it are added and deleted', async () => {
  const { table: changing, several: range } = await filled();
  const first = await readPage(changing, range, { limit: 40 });
  const last = String(first.items.at(-1)?.['order']);
  const add = (name: string, order: string) =>
    putAt({ table: 'runs', pk: name, sk: '.' }, { nsBucket: 'several#2', order, status: 'complete', id: name });
  await changing.write([add('before', '0000#'), add('after', '9999#')]);
  const lastPk = first.items.at(-1)?.pk ?? '';
  await changing.write([{ do: 'delete', key: { table: 'runs', pk: lastPk, sk: '.' } }]);
  const rest: string[] = [];
  for (let page: Page = first; page.next !== undefined; ) {
    page = await readPage(changing, range, { limit: 40, next: page.next });
    rest.push(...idsOf(page.items));
  }
  const expected = idsOf(await readAll(table, one)).filter((id) => orderOf(Number(id)) > last);
  expect(rest).toEqual([...expected.sort((a, b) => (orderOf(Number(a)) < orderOf(Number(b)) ? -1 : 1)), 'after']);
});

test('one partition costs one query a page', async () => {
  let queries = 0;
  const counted: Table = {
    get: (keys) => table.get(keys),
    write: (writes) => table.write(writes),
    query: (query) => {
      queries += 1;
      return table.query(query);
    },
  };
  const range = { table: 'runs', index: 'by-namespace', pks: ['one'], order: 'order' } as const;
  const page = await readPage(counted, range, { limit: 50 });
  expect([page.items.length, queries]).toEqual([50, 1]);
  await readPage(counted, several, { limit: 50 });
  expect(queries).toBe(1 + PARTITIONS);
});
