import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import { tableSchemas } from '../../../lib/adapters/portable/schema.ts';
import { LAST_VERSION } from '../../../lib/domain/migrations/index.ts';
import type { Migration } from '../../../lib/domain/migrations/migration.ts';
import { initialize, migrate, schemaVersionOf } from '../../../lib/domain/migrations/upgrade.ts';
import type { Item, Table, TableName } from '../../../lib/ports/table.ts';

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
  expect((await itemsOf('catalog')).map(({ pk, n, version }) => [pk, n ?? version])).toEqual([
    ['schema', 2],
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
    expect(await schemaVersionOf(found)).toBe(LAST_VERSION);
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
    expect({ version: LAST_VERSION, indexes }).toEqual({
      version: 1,
      indexes: [
        'runs by-namespace: nsBucket, order',
        'runs by-end: endBucket, endOrder',
        'journal by-time: timeBucket, time',
      ],
    });
  });
});
