import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Item, Table, Value, Write } from '../../lib/ports/table.ts';
import type { Opened } from './table.ts';
import { conflictOf, fill, fresh, keyOf, put, sortsOf } from './table-items.ts';

const MAX_ITEM_BYTES = 400 * 1024;

/** A list in a list in a list … around a number. */
const nested = (levels: number): Value => (levels === 0 ? 1 : [nested(levels - 1)]);

/** Sizes of values as DynamoDB counts them, bytes. */
const SIZES: readonly [string, Value, number][] = [
  ['a digit', 1, 2],
  ['two digits', 12, 2],
  ['three digits', 123, 3],
  ['zeros at the end', 100, 2],
  ['zero', 0, 1],
  ['a minus', -1, 3],
  ['a tenth', 0.1, 2],
  ['a time', 1_795_290_213_184, 8],
  ['a truth', true, 1],
  ['null', null, 1],
  ['an empty list', [], 3],
  ['a list', [1], 6],
  ['an empty map', {}, 3],
  ['a map', { a: 1 }, 7],
  ['bytes', Uint8Array.of(1, 2, 3), 3],
  ['an empty text', '', 0],
  ['letters of two bytes', 'éé', 4],
];

const REFUSED: readonly [string, Item][] = [
  ['an empty partition key', { pk: '', sk: 'a' }],
  ['an empty sort key', { pk: 'a', sk: '' }],
  ['a partition key above 2048 bytes', { pk: 'é'.repeat(1025), sk: 'a' }],
  ['a sort key above 1024 bytes', { pk: 'a', sk: 'é'.repeat(513) }],
  ['an empty key of an index', { pk: 'a', sk: 'a', nsBucket: '', order: 'a' }],
  ['a key of an index that is a number', { pk: 'a', sk: 'a', nsBucket: 'a', order: 1 }],
  ['a partition key of an index above 2048 bytes', { pk: 'a', sk: 'a', nsBucket: 'x'.repeat(2049), order: 'a' }],
  ['a sort key of an index above 1024 bytes', { pk: 'a', sk: 'a', order: 'x'.repeat(1025) }],
  ['a number of 1e126', { pk: 'a', sk: 'a', n: 1e126 }],
  ['a number of 1e-131', { pk: 'a', sk: 'a', n: 1e-131 }],
  ['lists in each other, 32 deep', { pk: 'a', sk: 'a', list: nested(32) }],
  ['an attribute without a name', { pk: 'a', sk: 'a', '': 1 }],
  ['a name of nothing in a map', { pk: 'a', sk: 'a', map: { '': 1 } }],
  ['an attribute whose name has 65536 bytes', { pk: 'a', sk: 'a', ['n'.repeat(65_536)]: 1 }],
];

/**
 * The limits of DynamoDB, which a table keeps so that DynamoDB accepts its items, too. `differs` are the titles of laws
 * that an emulator is known to break.
 */
export function limitContract(open: () => Promise<Opened>, differs: readonly string[] = []): void {
  let opened: Opened;
  const table = (): Table => opened.table;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());
  const law = (title: string, check: () => Promise<void>) =>
    (differs.includes(title) ? test.fails : test)(title, check);

  for (const [title, item] of REFUSED) {
    law(`${title} is refused, alone and among others`, async () => {
      const pk = fresh();
      await expect(table().write([put(item, 'runs')])).rejects.toThrow();
      await expect(table().write([put({ pk, sk: 'a' }), put(item, 'runs')])).rejects.toThrow();
      expect(await table().get([keyOf(pk, 'a')])).toEqual([undefined]);
    });
  }

  law('the largest keys, numbers and depths are kept', async () => {
    const [pk, sk] = [fresh().padEnd(2048, 'x'), 'é'.repeat(512)];
    const item = { pk, sk, most: 9.9e125, least: 1e-130, list: nested(31), nsBucket: pk, order: sk };
    await table().write([put(item, 'runs')]);
    expect(await table().get([keyOf(pk, sk, 'runs')])).toEqual([item]);
  });

  law('a read or a query with an empty key is refused', async () => {
    await expect(table().get([keyOf('', 'a')])).rejects.toThrow();
    await expect(table().query({ table: 'runs', pk: '' })).rejects.toThrow();
    await expect(table().query({ table: 'runs', index: 'by-end', pk: '' })).rejects.toThrow();
  });

  for (const [title, value, size] of SIZES) {
    law(`an item may have 400 KB to the byte, of which ${title} takes ${size}`, async () => {
      const pk = fresh();
      const rest = MAX_ITEM_BYTES - ('pk'.length + pk.length + 'sk'.length + 1 + 'v'.length + size + 't'.length);
      const item = (length: number): Item => ({ pk, sk: 'a', v: value, t: 'x'.repeat(length) });
      await table().write([put(item(rest))]);
      await expect(table().write([put(item(rest + 1))])).rejects.toThrow(`${pk} a is above`);
    });
  }

  law('an update may not make an item too large', async () => {
    const pk = fresh();
    await table().write([put({ pk, sk: 'a', t: 'x'.repeat(300_000) })]);
    const grow: Write = { do: 'update', key: keyOf(pk, 'a'), set: { u: 'x'.repeat(200_000) } };
    await expect(table().write([grow])).rejects.toThrow(`${pk} a is above`);
  });

  law('several writes have at most 4 MB', async () => {
    const pk = fresh();
    const some = (count: number) =>
      Array.from({ length: count }, (_, n) => put({ pk, sk: String(n), t: 'x'.repeat(400_000) }));
    await table().write(some(10));
    await expect(table().write(some(11))).rejects.toThrow();
    expect((await table().get([keyOf(pk, '10')]))[0]).toBeUndefined();
  });

  law('fractions are added in decimal', async () => {
    const key = keyOf(fresh(), 'a');
    for (const by of [0.1, 0.2, -1.05, 1e20])
      await table().write([{ do: 'update', key, add: { n: by, [`n${by}`]: by } }]);
    await table().write([{ do: 'update', key, add: { m: 0.1 } }]);
    await table().write([{ do: 'update', key, add: { m: 0.2 } }]);
    expect((await table().get([key]))[0]).toMatchObject({ m: 0.3, n: 1e20 });
  });

  law('nothing is added to a text, unless a condition fails first', async () => {
    const pk = fresh();
    await table().write([put({ pk, sk: 'a', t: 'text' })]);
    const update: Write = { do: 'update', key: keyOf(pk, 'a'), add: { t: 1 } };
    await expect(table().write([update])).rejects.toThrow();
    expect(await conflictOf(table().write([{ ...update, when: { equals: { t: 'other' } } }]))).toEqual([0]);
  });

  law('an update changes no key, empties no key of an index, and names nothing twice', async () => {
    const pk = fresh();
    const key = keyOf(pk, 'a', 'runs');
    await table().write([put({ pk, sk: 'a', nsBucket: pk, order: 'a' }, 'runs')]);
    for (const change of [{ set: { pk: 'other' } }, { set: { order: '' } }, { set: { n: 1 }, add: { n: 1 } }]) {
      await expect(table().write([{ do: 'update', key, ...change }])).rejects.toThrow();
    }
    expect(await table().get([key])).toEqual([{ pk, sk: 'a', nsBucket: pk, order: 'a' }]);
  });

  law('a page that reaches its limit has a next, also when nothing follows', async () => {
    const pk = fresh();
    await fill(table(), pk, ['a', 'b']);
    const first = await table().query({ table: 'catalog', pk, limit: 2 });
    expect(sortsOf(first.items)).toEqual(['a', 'b']);
    const rest = await table().query({ table: 'catalog', pk, limit: 2, next: first.next ?? '' });
    expect(rest).toEqual({ items: [], count: 0 });
    expect(await table().query({ table: 'catalog', pk, limit: 3, count: true })).toEqual({ items: [], count: 2 });
  });

  law('a query for no item is refused', async () => {
    await expect(table().query({ table: 'catalog', pk: fresh(), limit: 0 })).rejects.toThrow();
  });

  law('two writes of one item are refused, also when one is a check', async () => {
    const pk = fresh();
    const check: Write = { do: 'check', key: keyOf(pk, 'a'), when: { absent: true } };
    await expect(table().write([put({ pk, sk: 'a' }), check])).rejects.toThrow();
    expect(await table().get([keyOf(pk, 'a')])).toEqual([undefined]);
  });
}
