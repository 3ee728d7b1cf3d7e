import { expect, test } from 'vitest';
import { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';
import { Generations } from '../../../../lib/adapters/local/table/generations.ts';
import { toStored } from '../../../../lib/adapters/local/table/items.ts';
import { Rows } from '../../../../lib/adapters/local/table/rows.ts';
import { databaseTable } from '../../../../lib/adapters/local/table/table.ts';
import type { Item, Write } from '../../../../lib/ports/table.ts';

const KEY = { table: 'catalog', pk: 'p', sk: 's' } as const;

const put = (item: Omit<Item, 'pk' | 'sk'>): Write => ({
  do: 'put',
  table: 'catalog',
  item: { pk: KEY.pk, sk: KEY.sk, ...item },
});

function openTable() {
  const database = new LocalDatabase({ file: ':memory:' });
  return { database, ...databaseTable(database) };
}

test('an item that was read is read again after each kind of write', async () => {
  const { database, table } = openTable();
  const read = async () => (await table.get([KEY]))[0]?.['n'];
  await table.write([put({ n: 1 })]);
  expect(await read()).toBe(1);
  await table.write([put({ n: 2 })]);
  expect(await read()).toBe(2);
  await table.write([{ do: 'update', key: KEY, add: { n: 1 } }]);
  expect(await read()).toBe(3);
  await table.write([{ do: 'delete', key: KEY }]);
  expect(await read()).toBeUndefined();
  await database.close();
});

test('an item that expires is not read any more', async () => {
  const { database, table, expire } = openTable();
  await table.write([put({ ttl: 1 })]);
  expect(await table.get([KEY])).toHaveLength(1);
  expire(5000, 10, () => ({ partitions: [], remove: () => undefined }));
  expect(await table.get([KEY])).toEqual([undefined]);
  await database.close();
});

test('what a write that is undone has read is not kept', async () => {
  const database = new LocalDatabase({ file: ':memory:' });
  const { table } = databaseTable(database);
  const rows = new Rows(database, 'catalog', new Generations());
  const changed = { pk: KEY.pk, sk: KEY.sk, n: 2 };
  await table.write([put({ n: 1 })]);
  const write = () => {
    rows.put(changed, toStored(changed), rows.get(KEY));
    expect(rows.get(KEY)?.['n']).toBe(2);
    throw new Error('undone');
  };
  expect(() => database.write(write)).toThrow('undone');
  expect(rows.get(KEY)?.['n']).toBe(1);
  await database.close();
});

test('a reader cannot change an item for other readers', async () => {
  const { database, table } = openTable();
  await table.write([put({ list: ['a'] })]);
  const [item] = await table.get([KEY]);
  expect(() => ((item as Item)['list'] as string[]).push('b')).toThrow(TypeError);
  expect(() => Object.assign(item as Item, { list: [] })).toThrow(TypeError);
  expect((await table.get([KEY]))[0]?.['list']).toEqual(['a']);
  await database.close();
});
