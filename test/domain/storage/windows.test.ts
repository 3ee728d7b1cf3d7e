import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import type { Range } from '../../../lib/domain/storage/queries.ts';
import { type Cut, readCut } from '../../../lib/domain/storage/windows.ts';
import type { Table } from '../../../lib/ports/table.ts';

const ROWS = 12;
const orderOf = (number: number): string => String(number).padStart(3, '0');
/** Rows are in two ranges, as days are; in the second test the rows of a range are in three partitions. */
const rangeOf = (number: number): string => (number < ROWS / 2 ? 'early' : 'late');

let database: LocalTable;
beforeAll(async () => {
  database = await openLocalTable();
  for (let number = 0; number < ROWS; number += 1) {
    const range = rangeOf(number);
    const time = orderOf(number);
    const one = { pk: `one ${number}`, sk: '.', timeBucket: range, time };
    const spread = { pk: `spread ${number}`, sk: '.', timeBucket: `${range}#${number % 3}`, time };
    await database.table.write([one, spread].map((item) => ({ do: 'put', table: 'journal', item })));
  }
});
afterAll(() => database.close());

const INDEX = { table: 'journal', index: 'by-time' } as const;
const LAYOUTS: Readonly<Record<string, (range: string) => Range>> = {
  'one partition': (pk) => ({ ...INDEX, pk }),
  'three partitions': (range) => ({ ...INDEX, order: 'time', pks: [0, 1, 2].map((number) => `${range}#${number}`) }),
};

/** The expected page of the list of all rows, by the rules of the original (rest-api reference, 2.4). */
function expected(isDescending: boolean, { after, before, rows, isFromEnd }: Cut) {
  const all = Array.from({ length: ROWS }, (_, number) => orderOf(number));
  const [list, sign] = isDescending ? [all.toReversed(), -1] : [all, 1];
  const isBeyond = (one: string, other: string): boolean => (one < other ? -1 : one > other ? 1 : 0) * sign > 0;
  const inside = list.filter((one) => {
    return (after === undefined || isBeyond(one, after)) && (before === undefined || isBeyond(before, one));
  });
  const shown = isFromEnd ? inside.slice(Math.max(inside.length - rows, 0)) : inside.slice(0, rows);
  const ahead = after === undefined ? 0 : list.filter((one) => !isBeyond(one, after)).length;
  const from = shown[0] === undefined ? undefined : list.indexOf(shown[0]);
  return { shown, from: from ?? ahead + (isFromEnd ? inside.length : 0), total: ROWS };
}

/** Positions: none, ends of the list, ends of a range, in the middle, and one whose row was deleted. */
const POSITIONS = [undefined, '000', '004', '005', '006', '0065', '011', '999'];

describe.each(Object.entries(LAYOUTS))('a cut of a list in %s', (_name, layout) => {
  test.each([false, true])('is what cursors name, whatever they are; descending: %s', async (isDescending) => {
    const days = ['early', 'late'].map((range) => ({ ...layout(range), descending: isDescending }));
    const ranges = isDescending ? days.toReversed() : days;
    for (const after of POSITIONS) {
      for (const before of POSITIONS) {
        for (const [rows, isFromEnd] of [
          [0, false],
          [3, false],
          [3, true],
          [100, false],
          [100, true],
        ] as const) {
          const cut = { after, before, rows, isFromEnd };
          const { items, from, total } = await readCut(database.table, ranges, cut);
          const found = { shown: items.map(({ time }) => time), from, total };
          expect(found, JSON.stringify(cut)).toEqual(expected(isDescending, cut));
        }
      }
    }
  });

  test('reads its rows only', async () => {
    let read = 0;
    const counting: Table = {
      ...database.table,
      query: async (query) => {
        const page = await database.table.query(query);
        if (query.only === undefined) read += page.items.length;
        return page;
      },
    };
    await readCut(counting, [layout('early'), layout('late')], { after: '001', rows: 2, isFromEnd: false });
    expect(read).toBeLessThanOrEqual(2 + 2 * 3);
  });
});
