import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import { tableSchemas } from '../../../lib/adapters/portable/schema.ts';
import { candidatesOf } from '../../../lib/domain/events/candidates.ts';
import * as listenerList from '../../../lib/domain/events/listener-list.ts';
import * as listeners from '../../../lib/domain/events/listeners.ts';
import { MIGRATIONS } from '../../../lib/domain/migrations/index.ts';
import { listenersByValue } from '../../../lib/domain/migrations/listeners-by-value.ts';
import type { Migration } from '../../../lib/domain/migrations/migration.ts';
import { runsByTime } from '../../../lib/domain/migrations/runs-by-time.ts';
import { initialize, migrate, schemaVersionOf } from '../../../lib/domain/migrations/upgrade.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import type { Item, Table, TableName } from '../../../lib/ports/table.ts';
import { DAY_MS } from '../../../lib/time/units.ts';

const NO_DEADLINE = Number.POSITIVE_INFINITY;
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

/** Renames an attribute of runs and moves odd ones, removes an item, and splits items of the journal. */
const EXAMPLE: Migration = {
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

/** Two items a page, so that there are many writes at which a migration can be interrupted. */
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

/** A table that crashes at a write, before or after it. */
function crashing(at: number, isDone: boolean): Table {
  let writes = 0;
  return {
    ...found.table,
    async write(some) {
      writes += 1;
      if (writes > at || (writes === at && !isDone)) throw new Error('crashed');
      await found.table.write(some);
      if (writes === at) throw new Error('crashed');
    },
  };
}

describe('tables of an older schema version', () => {
  test('are migrated to the current one: items are changed, moved, split and removed', async () => {
    await putOld();
    expect(await schemaVersionOf(found, [EXAMPLE])).toBe(1);
    expect(await migrate({ ...found, clock }, NO_DEADLINE, [EXAMPLE])).toBe(true);
    await expectNew();
  });

  test('are migrated although a migration was interrupted at any write', async () => {
    for (let at = 1; ; at += 1) {
      for (const isDone of [false, true]) {
        await putOld();
        const needs = { table: crashing(at, isDone), inventory: inParts, clock };
        const end = await migrate(needs, NO_DEADLINE, [EXAMPLE]).catch((error: Error) => error.message);
        if (end === 'crashed') await migrate({ table: found.table, inventory: inParts, clock }, NO_DEADLINE, [EXAMPLE]);
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

  test('are migrated by several processes at the same time', async () => {
    await putOld();
    const needs = { table: found.table, inventory: inParts, clock };
    expect(await Promise.all([1, 2, 3].map(() => migrate(needs, NO_DEADLINE, [EXAMPLE])))).toEqual([true, true, true]);
    await expectNew();
  });

  test('are migrated in part until the deadline, and the next call continues there', async () => {
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
    expect(await migrate(needs, 2, [EXAMPLE])).toBe(false);
    expect(pages).toBe(2);
    expect(await migrate(needs, NO_DEADLINE, [EXAMPLE])).toBe(true);
    await expectNew();
    // Moved items are scanned again.
    expect(pages).toBeLessThan(14);
  });

  test('keep a change that is written during the migration', async () => {
    await put('runs', [{ pk: 'run-2', sk: '.', n: 2, seq: 1 }]);
    const inventory = {
      async page(name: TableName, next?: string) {
        const page = await found.inventory.page(name, next);
        if (name === 'runs') await put('runs', [{ pk: 'run-2', sk: '.', n: 2, seq: 2 }]);
        return page;
      },
    };
    await migrate({ table: found.table, inventory, clock }, NO_DEADLINE, [EXAMPLE]);
    expect(await itemsOf('runs')).toEqual([{ pk: 'run-2', sk: '.', number: 2, seq: 2 }]);
  });

  test('with an item at the new key of another keep both, and the error contains the key', async () => {
    await put('runs', [
      { pk: 'run-1', sk: '.', n: 1 },
      { pk: 'odd-run-1', sk: '.', number: 5 },
    ]);
    const lost = migrate({ ...found, clock }, NO_DEADLINE, [EXAMPLE]);
    await expect(lost).rejects.toThrow('cannot migrate the item run-1 . of the table runs');
    expect(await itemsOf('runs')).toHaveLength(2);
  });

  test('run all migrations from their version on', async () => {
    const doubling: Migration = {
      changes: { runs: (item) => ('twice' in item ? [item] : [{ ...item, twice: Number(item['number']) * 2 }]) },
    };
    await put('runs', [{ pk: 'run-2', sk: '.', n: 2 }]);
    await migrate({ ...found, clock }, NO_DEADLINE, [EXAMPLE, doubling]);
    expect(await itemsOf('runs')).toEqual([{ pk: 'run-2', sk: '.', number: 2, twice: 4 }]);
    expect(await schemaVersionOf(found, [EXAMPLE, doubling])).toBe(3);
  });
});

describe('tables of the current schema version', () => {
  test('store it from the beginning', async () => {
    await initialize(found);
    expect(await schemaVersionOf(found)).toBe(1 + MIGRATIONS.length);
  });

  test('that is newer than this version of Weft are rejected and not changed', async () => {
    await putOld();
    await initialize(found, [EXAMPLE, EXAMPLE]);
    const refusal = 'the tables have schema version 3, but this version of Weft supports versions up to 2';
    await expect(schemaVersionOf(found, [EXAMPLE])).rejects.toThrow(refusal);
    await expect(migrate({ ...found, clock }, NO_DEADLINE, [EXAMPLE])).rejects.toThrow(refusal);
    expect(await itemsOf('runs')).toHaveLength(10);
  });

  test('have these indexes; a change of them needs a migration', () => {
    const indexes = Object.entries(tableSchemas).flatMap(([table, schema]) =>
      Object.entries<{ hash: string; range: string }>(schema.indexes).map(
        ([name, { hash, range }]) => `${table} ${name}: ${hash}, ${range}`,
      ),
    );
    expect({ layout: 1 + MIGRATIONS.length, indexes }).toEqual({
      layout: 4,
      indexes: [
        'runs by-namespace: nsBucket, order',
        'runs by-end: endBucket, endOrder',
        'journal by-time: timeBucket, time',
      ],
    });
  });
});

describe('the migration to runs by time', () => {
  const change = (item: Item) => runsByTime.changes.runs?.(item);
  const TODAY = Date.parse('2026-01-15');
  const pending = {
    pk: 'run#i',
    sk: '.',
    id: 'i',
    n: 'ns',
    nsBucket: 'ns#2026-01-15',
    status: 'pending',
    created: TODAY,
  };
  const begun = { ...pending, order: '001768435200000#i' };

  test.each<[string, Item, Item]>([
    ['a pending run is ordered by its beginning', pending, begun],
    [
      'a run that ended is ordered by its end too',
      { ...pending, status: 'failed', updated: TODAY + DAY_MS + 1 },
      {
        ...begun,
        status: 'failed',
        updated: TODAY + DAY_MS + 1,
        endBucket: 'ns#2026-01-16',
        endOrder: '001768521600001#i',
      },
    ],
    [
      'the order of a listener is stored in another attribute',
      { pk: 'listeners#ns#paid', sk: 'wait#i#000', nsBucket: 'ns#listeners', id: 'wait#i#000', owner: 'i' },
      { pk: 'listeners#ns#paid', sk: 'wait#i#000', nsBucket: 'ns#listeners', order: 'wait#i#000', owner: 'i' },
    ],
    ['a call of a container is in no index', { ...pending, nsBucket: undefined }, { ...pending, nsBucket: undefined }],
    [
      'a variable of a run is not changed',
      { pk: 'variables#instance#i', sk: 'x', id: 'y' },
      { pk: 'variables#instance#i', sk: 'x', id: 'y' },
    ],
  ])('%s', (_title, item, expected) => {
    expect(change(item)).toEqual([expected]);
  });

  test('does not change items that it migrated', () => {
    for (const item of [begun, { pk: 'listeners#ns#paid', sk: 'a', order: 'a' }, { pk: 'claim#w', sk: '.' }]) {
      expect(change(item)?.[0]).toBe(item);
    }
  });
});

describe('the migration to listeners by value', () => {
  const listenerOf = (owner: string, context: object, slot = 0): Item => ({
    pk: 'listeners#ns#paid',
    sk: `wait#${owner}#00${slot}`,
    nsBucket: 'ns#listeners',
    order: `wait#${owner}#00${slot}`,
    kind: 'wait',
    owner,
    slot,
    filter: JSON.stringify({ type: 'paid', context }),
    pause: 2,
    mode: 'simple',
    path: '/w',
    created: 1_768_435_200_000,
  });

  test('puts a listener where an event finds it, and stays there when it is repeated', async () => {
    const old = [
      listenerOf('a', { order: '17', source: 'a-long-name-of-a-shop' }),
      listenerOf('b', { order: '17' }),
      listenerOf('c', { order: '18' }),
      listenerOf('d', { order: '1*' }),
      listenerOf('e', {}),
    ];
    await put('runs', old);
    await found.table.write([{ do: 'put', table: 'catalog', item: { pk: 'layout', sk: '.', layout: 2 } }]);
    expect(await migrate({ ...found, clock }, NO_DEADLINE)).toBe(true);
    const event = { specversion: '1.0', id: '1', source: 's', type: 'paid', order: '17' } as CloudEvent;
    const owners: string[] = [];
    for await (const { matching } of candidatesOf(found, 'ns', event)) owners.push(...matching.map((one) => one.owner));
    expect(owners.sort()).toEqual(['b', 'd', 'e']);
    const { results } = await listenerList.list(found, { id: 'ns', spread: undefined }, toListRequest({}));
    expect(results.map(({ instance }) => instance)).toEqual(['a', 'b', 'c', 'd', 'e']);
    // The version of the code stores and deletes them under the same keys.
    for (const item of await itemsOf('runs')) {
      expect(listenersByValue.changes.runs?.(item)).toEqual([item]);
      if (item['filter'] === undefined) continue;
      const { kind, owner, filter, slot } = listeners.fromItem(item);
      const keys = listeners.keysOf({ namespaceId: 'ns', kind, id: owner }, [filter]);
      expect(keys).toEqual([{ table: 'runs', pk: item.pk, sk: item.sk }]);
      expect(slot).toBe(0);
    }
    await listenerList.removeAll(found, { id: 'ns', spread: undefined });
    expect(await itemsOf('runs')).toEqual([]);
  });
});
