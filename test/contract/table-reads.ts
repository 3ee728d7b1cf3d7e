import { expect, test } from 'vitest';
import type { Item } from '../../lib/ports/table.ts';
import { fill, fresh, keyOf, put, type TableOf } from './table-items.ts';

export function valueLaws(table: TableOf): void {
  test.each<[string, Item[string]]>([
    ['text', 'Grüße, 世界 \u0000 \u{1F600}'],
    ['empty text', ''],
    ['whole numbers', -9007199254740991],
    ['fractions', 0.1],
    ['very large numbers', 1.5e100],
    ['truth', true],
    ['falsehood', false],
    ['null', null],
    ['bytes', new Uint8Array([0, 1, 255])],
    ['no bytes', new Uint8Array()],
    ['lists', ['a', 1, [null, { b: false }]]],
    ['an empty list', []],
    ['maps', { a: { b: ['c'], d: 2 } }],
    ['an empty map', {}],
    [
      'a map with the member __proto__',
      JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as { [name: string]: string },
    ],
  ])('stores %s unchanged', async (_name, value) => {
    const pk = fresh();
    await table().write([put({ pk, sk: 'a', value })]);
    const [item] = await table().get([keyOf(pk, 'a')]);
    expect(item).toEqual({ pk, sk: 'a', value });
  });

  test('an attribute that is undefined is not stored', async () => {
    const pk = fresh();
    await table().write([put({ pk, sk: 'a', gone: undefined })]);
    const [item] = await table().get([keyOf(pk, 'a')]);
    expect(Object.keys(item ?? {}).sort()).toEqual(['pk', 'sk']);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('%d is rejected, and nothing is written', async (value) => {
    const pk = fresh();
    await expect(table().write([put({ pk, sk: 'a', value })])).rejects.toThrow('cannot hold the number');
    expect(await table().get([keyOf(pk, 'a')])).toEqual([undefined]);
  });

  test('an item above the size limit is rejected by its key', async () => {
    const pk = fresh();
    const large = put({ pk, sk: 'a', text: 'x'.repeat(410_000) });
    await expect(table().write([large])).rejects.toThrow(`${pk} a is above`);
    await expect(table().write([put({ pk, sk: 'b' }), large])).rejects.toThrow();
    expect(await table().get([keyOf(pk, 'b')])).toEqual([undefined]);
  });
}

export function getLaws(table: TableOf): void {
  test('returns no items for no keys', async () => {
    expect(await table().get([])).toEqual([]);
  });

  test('returns items in the order of the keys, undefined where there is none', async () => {
    const pk = fresh();
    await fill(table(), pk, ['a', 'b']);
    const items = await table().get([keyOf(pk, 'b'), keyOf(pk, 'none'), keyOf(pk, 'a'), keyOf(pk, 'b')]);
    expect(items.map((item) => item?.sk)).toEqual(['b', undefined, 'a', 'b']);
  });

  test('returns an item twice for a repeated key', async () => {
    const pk = fresh();
    await fill(table(), pk, ['a']);
    const items = await table().get([keyOf(pk, 'a'), keyOf(pk, 'a')]);
    expect(items.map((item) => item?.sk)).toEqual(['a', 'a']);
  });

  test('reads from several tables in one call, also with equal keys', async () => {
    const pk = fresh();
    await table().write([put({ pk, sk: 'a', from: 'catalog' }), put({ pk, sk: 'a', from: 'runs' }, 'runs')]);
    const items = await table().get([keyOf(pk, 'a', 'runs'), keyOf(pk, 'a'), keyOf(pk, 'a', 'journal')]);
    expect(items.map((item) => item?.['from'])).toEqual(['runs', 'catalog', undefined]);
  });

  test('distinguishes keys whose parts are equal when joined', async () => {
    const pk = fresh();
    await table().write([put({ pk, sk: 'a b', at: 1 }), put({ pk: `${pk} a`, sk: 'b', at: 2 })]);
    const items = await table().get([keyOf(`${pk} a`, 'b'), keyOf(pk, 'a b')]);
    expect(items.map((item) => item?.['at'])).toEqual([2, 1]);
  });

  test('accepts a hundred keys and rejects more', async () => {
    const pk = fresh();
    const keys = Array.from({ length: 101 }, (_, index) => keyOf(pk, String(index)));
    await table().write(keys.slice(0, 100).map(({ sk }) => put({ pk, sk })));
    expect((await table().get(keys.slice(0, 100))).map((item) => item?.sk)).toEqual(
      keys.slice(0, 100).map((k) => k.sk),
    );
    await expect(table().get(keys)).rejects.toThrow('at most 100');
  });

  test('returns all items, also when they are larger than one response of the database', async () => {
    const pk = fresh();
    const sorts = Array.from({ length: 50 }, (_, index) => String(index));
    await fill(table(), pk, sorts, { text: 'x'.repeat(380_000) });
    const items = await table().get(sorts.map((sk) => keyOf(pk, sk)));
    expect(items.map((item) => item?.sk)).toEqual(sorts);
  });
}
