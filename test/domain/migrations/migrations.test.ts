import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import { tableSchemas } from '../../../lib/adapters/portable/schema.ts';
import { STEPS } from '../../../lib/domain/migrations/index.ts';
import type { Step } from '../../../lib/domain/migrations/migration.ts';
import { runsByTime } from '../../../lib/domain/migrations/runs-by-time.ts';
import { begin, layoutOf, lead } from '../../../lib/domain/migrations/upgrade.ts';
import type { Item, Table, TableName } from '../../../lib/ports/table.ts';

const FOR_EVER = Number.POSITIVE_INFINITY;
const clock = { now: () => 0 };

let found: LocalTable;
beforeAll(async () => {
  found = await openLocalTable();
});
afterAll(() => found.close());

const NAMES: readonly TableName[] = ['catalog', 'runs', 'journal'];

async function itemsOf(name: TableName): Promise<Item[]> {
  const items: Item[] = [];
  let next: string | undefined;
  do {
    const page = await found.inventory.page(name, next);
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  return items.sort((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1));
}

beforeEach(async () => {
  for (const table of NAMES) {
    const items = await itemsOf(table);
    await Promise.all(items.map(({ pk, sk }) => found.table.write([{ do: 'delete', key: { table, pk, sk } }])));
  }
});

const put = (table: TableName, items: readonly Item[]) =>
  Promise.all(items.map((item) => found.table.write([{ do: 'put', table, item }])));

/** Runs are renamed, odd ones move and even ones of the journal part in two; a third kind goes. */
const MADE_UP: Step = {
  changes: {
    runs: (item) => {
      if (item.pk === 'gone') return [];
      if (item['n'] === undefined) return [item];
      const { n, ...rest } = item;
      return [{ ...rest, pk: Number(n) % 2 === 1 ? `odd-${item.pk}` : item.pk, sk: item.sk, number: n }];
    },
    journal: (item) =>
      item['whole'] === undefined
        ? [item]
        : ['left', 'right'].map((half) => ({ pk: item.pk, sk: half, half: `${half} ${item['whole']}` })),
  },
};

const OLD_RUNS = Array.from({ length: 9 }, (_, n): Item => ({ pk: `run-${n}`, sk: '.', n, bytes: Uint8Array.of(n) }));
const OLD_LINES = Array.from({ length: 3 }, (_, n): Item => ({ pk: `log-${n}`, sk: 'both', whole: n }));
const NEW_RUNS = OLD_RUNS.map(({ pk, n, bytes }) => ({ pk: `${Number(n) % 2 === 1 ? 'odd-' : ''}${pk}`, n, bytes }));

async function putOld(): Promise<void> {
  await put('runs', [...OLD_RUNS, { pk: 'gone', sk: '.' }]);
  await put('journal', OLD_LINES);
  await put('catalog', [{ pk: 'untouched', sk: '.', n: 1 }]);
}

async function expectNew(): Promise<void> {
  const runs = (await itemsOf('runs')).map(({ pk, number, bytes }) => ({ pk, n: number, bytes }));
  expect(runs).toEqual(NEW_RUNS.toSorted((a, b) => (a.pk < b.pk ? -1 : 1)));
  const lines = (await itemsOf('journal')).map(({ pk, half }) => `${pk} ${half}`);
  expect(lines).toEqual([0, 1, 2].flatMap((n) => [`log-${n} left ${n}`, `log-${n} right ${n}`]));
  expect((await itemsOf('catalog')).map(({ pk, n, layout }) => [pk, n ?? layout])).toEqual([
    ['layout', 2],
    ['untouched', 1],
  ]);
}

/** Two items a page, so that there are many places to be cut short at. */
const inParts = {
  async page(name: TableName, next?: string) {
    const all = await itemsOf(name);
    const from = next === undefined ? 0 : all.findIndex(({ pk, sk }) => `${pk} ${sk}` > next);
    const items = from < 0 ? [] : all.slice(from, from + 2);
    const last = items.at(-1);
    const more = last === undefined || last === all.at(-1) ? {} : { next: `${last.pk} ${last.sk}` };
    return { items, count: items.length, ...more };
  },
};

/** Dies at a write: before it, or when it is done. */
function dying(at: number, isDone: boolean): Table {
  let writes = 0;
  return {
    ...found.table,
    async write(some) {
      writes += 1;
      if (writes > at || (writes === at && !isDone)) throw new Error('died');
      await found.table.write(some);
      if (writes === at) throw new Error('died');
    },
  };
}

describe('tables of an older layout', () => {
  test('are led to the present one, items changed, moved, parted and removed', async () => {
    await putOld();
    expect(await layoutOf(found, [MADE_UP])).toBe(1);
    expect(await lead({ ...found, clock }, FOR_EVER, [MADE_UP])).toBe(true);
    await expectNew();
  });

  test('get there wherever the way is cut short', async () => {
    for (let at = 1; ; at += 1) {
      for (const isDone of [false, true]) {
        await putOld();
        const needs = { table: dying(at, isDone), inventory: inParts, clock };
        const end = await lead(needs, FOR_EVER, [MADE_UP]).catch((error: Error) => error.message);
        if (end === 'died') await lead({ table: found.table, inventory: inParts, clock }, FOR_EVER, [MADE_UP]);
        await expectNew();
        for (const table of NAMES) {
          const all = await itemsOf(table);
          await Promise.all(all.map(({ pk, sk }) => found.table.write([{ do: 'delete', key: { table, pk, sk } }])));
        }
        if (end === true) {
          expect(at).toBeGreaterThan(20);
          return;
        }
      }
    }
  });

  test('get there also when two lead them at once', async () => {
    await putOld();
    const needs = { table: found.table, inventory: inParts, clock };
    expect(await Promise.all([1, 2, 3].map(() => lead(needs, FOR_EVER, [MADE_UP])))).toEqual([true, true, true]);
    await expectNew();
  });

  test('are left in the middle when the time is up, and gone on with there', async () => {
    await putOld();
    let now = 0;
    let pages = 0;
    const counting = {
      page: (name: TableName, next?: string) => {
        pages += 1;
        return inParts.page(name, next);
      },
    };
    const needs = { table: found.table, inventory: counting, clock: { now: () => now++ } };
    expect(await lead(needs, 2, [MADE_UP])).toBe(false);
    expect(pages).toBe(2);
    expect(await lead(needs, FOR_EVER, [MADE_UP])).toBe(true);
    await expectNew();
    // Moved items are met again behind the place they had.
    expect(pages).toBeLessThan(14);
  });

  test('keep what somebody writes at the same time', async () => {
    await put('runs', [{ pk: 'run-2', sk: '.', n: 2, seq: 1 }]);
    const inventory = {
      async page(name: TableName, next?: string) {
        const page = await found.inventory.page(name, next);
        if (name === 'runs') await put('runs', [{ pk: 'run-2', sk: '.', n: 2, seq: 2 }]);
        return page;
      },
    };
    await lead({ table: found.table, inventory, clock }, FOR_EVER, [MADE_UP]);
    expect(await itemsOf('runs')).toEqual([{ pk: 'run-2', sk: '.', number: 2, seq: 2 }]);
  });

  test('whose item has its new place taken are left with both, and the place is told', async () => {
    await put('runs', [
      { pk: 'run-1', sk: '.', n: 1 },
      { pk: 'odd-run-1', sk: '.', number: 5 },
    ]);
    const lost = lead({ ...found, clock }, FOR_EVER, [MADE_UP]);
    await expect(lost).rejects.toThrow('run-1 . of the table runs cannot be changed');
    expect(await itemsOf('runs')).toHaveLength(2);
  });

  test('go all steps from theirs on', async () => {
    const doubling: Step = {
      changes: { runs: (item) => ('twice' in item ? [item] : [{ ...item, twice: Number(item['number']) * 2 }]) },
    };
    await put('runs', [{ pk: 'run-2', sk: '.', n: 2 }]);
    await lead({ ...found, clock }, FOR_EVER, [MADE_UP, doubling]);
    expect(await itemsOf('runs')).toEqual([{ pk: 'run-2', sk: '.', number: 2, twice: 4 }]);
    expect(await layoutOf(found, [MADE_UP, doubling])).toBe(3);
  });
});

describe('tables of the present layout', () => {
  test('say so from the beginning', async () => {
    await begin(found);
    expect(await layoutOf(found)).toBe(1 + STEPS.length);
  });

  test('that this version does not know are refused and left alone', async () => {
    await putOld();
    await begin(found, [MADE_UP, MADE_UP]);
    const refusal = 'written by a newer version of Weft: they have layout 3, and this version knows layouts up to 2';
    await expect(layoutOf(found, [MADE_UP])).rejects.toThrow(refusal);
    await expect(lead({ ...found, clock }, FOR_EVER, [MADE_UP])).rejects.toThrow(refusal);
    expect(await itemsOf('runs')).toHaveLength(10);
  });

  test('have these indexes; whoever changes them adds a step that writes what they need', () => {
    const indexes = Object.entries(tableSchemas).flatMap(([table, schema]) =>
      Object.entries<{ hash: string; range: string }>(schema.indexes).map(
        ([name, { hash, range }]) => `${table} ${name}: ${hash}, ${range}`,
      ),
    );
    expect({ layout: 1 + STEPS.length, indexes }).toEqual({
      layout: 2,
      indexes: [
        'runs by-namespace: nsBucket, order',
        'runs by-end: endBucket, endOrder',
        'journal by-time: timeBucket, time',
      ],
    });
  });
});

describe('the step to runs by time', () => {
  const change = (item: Item) => runsByTime.changes.runs?.(item);
  const DAY = Date.parse('2026-01-15');
  const pending = {
    pk: 'run#i',
    sk: '.',
    id: 'i',
    n: 'ns',
    nsBucket: 'ns#2026-01-15',
    status: 'pending',
    created: DAY,
  };
  const begun = { ...pending, order: '001768435200000#i' };

  test.each<[string, Item, Item]>([
    ['a run that waits gets its place by its beginning', pending, begun],
    [
      'a run that ended gets one by its end too',
      { ...pending, status: 'failed', updated: DAY + 86_400_001 },
      {
        ...begun,
        status: 'failed',
        updated: DAY + 86_400_001,
        endBucket: 'ns#2026-01-16',
        endOrder: '001768521600001#i',
      },
    ],
    [
      'a listener keeps its place under another name',
      { pk: 'listeners#ns#paid', sk: 'wait#i#000', nsBucket: 'ns#listeners', id: 'wait#i#000', owner: 'i' },
      { pk: 'listeners#ns#paid', sk: 'wait#i#000', nsBucket: 'ns#listeners', order: 'wait#i#000', owner: 'i' },
    ],
    [
      'a call of a container stays out of all lists',
      { ...pending, nsBucket: undefined },
      { ...pending, nsBucket: undefined },
    ],
    [
      'a variable of a run stays',
      { pk: 'variables#instance#i', sk: 'x', id: 'y' },
      { pk: 'variables#instance#i', sk: 'x', id: 'y' },
    ],
  ])('%s', (_title, item, expected) => {
    expect(change(item)).toEqual([expected]);
  });

  test('changes nothing that it made', () => {
    for (const item of [begun, { pk: 'listeners#ns#paid', sk: 'a', order: 'a' }, { pk: 'claim#w', sk: '.' }]) {
      expect(change(item)?.[0]).toBe(item);
    }
  });
});
