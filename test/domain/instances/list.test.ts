import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as instances from '../../../lib/domain/instances/instances.ts';
import * as metrics from '../../../lib/domain/metrics/metrics.ts';
import type * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runItems from '../../../lib/domain/runs/items.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import type { Item, Table } from '../../../lib/ports/table.ts';
import { CountedRuns } from '../metrics/counted-runs.ts';

/** More than a list may read, and than a query to the database counts at once. */
const MANY = 20_000;
const DAY = 86_400_000;
/** The list covers one whole day and twelve hours of the next. */
const FIRST = Date.UTC(2026, 5, 14);
const NOW = FIRST + 1.5 * DAY;
const ON_FIRST_DAY = 12_000;
const TOGETHER = 100;

let database: LocalTable;
let world: CountedRuns;
let home: namespaces.Namespace;
/** The oldest first. */
const created: number[] = [];
const idOf = (n: number): string => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** The calls to the database of a list. */
interface Asked {
  calls: number;
  /** The number of rows that were counted and not read. */
  counted: number;
  rows: number;
}
let asked: Asked;

const counting = (table: Table): Table => ({
  write: (writes) => table.write(writes),
  get: (all) => {
    asked.calls += 1;
    return table.get(all);
  },
  query: async (query) => {
    asked.calls += 1;
    const page = await table.query(query);
    if (query.table === 'runs') asked[query.count === true ? 'counted' : 'rows'] += page.count;
    return page;
  },
});

const timeOf = (n: number): number =>
  n < ON_FIRST_DAY
    ? FIRST + Math.floor((n * DAY) / ON_FIRST_DAY)
    : FIRST + DAY + Math.floor(((n - ON_FIRST_DAY) * DAY) / 2 / (MANY - ON_FIRST_DAY));

function runOf(n: number): Run {
  const time = timeOf(n);
  const status = n % 1000 === 7 ? 'failed' : 'complete';
  const as = n % 2 === 0 ? '/even' : '/odd';
  const run = world.newRun(home, n % 2 === 0 ? 'even' : 'odd');
  return { ...run, id: idOf(n), as, status, seq: 1, created: time, updated: time };
}

/** Without the attributes that the index does not have, the items are written faster. */
function shown({
  data: _,
  input: _i,
  flow: _f,
  place: _p,
  endBucket: _b,
  endOrder: _o,
  tail: _t,
  ...item
}: Item): Item {
  return item as Item;
}

beforeAll(async () => {
  database = await openLocalTable();
  world = new CountedRuns(database.table);
  world.now = FIRST - DAY;
  home = await world.namespace();
  world.now = NOW;
  created.push(...Array.from({ length: MANY }, (_, n) => timeOf(n)));
  const parts = await runItems.storeParts(memoryBlobs(), runOf(0));
  let next = 0;
  const lane = async () => {
    for (let first = next; first < MANY; first = next) {
      next += TOGETHER;
      const items = Array.from({ length: TOGETHER }, (_, index) => shown(runItems.toItem(runOf(first + index), parts)));
      await database.table.write(items.map((item) => ({ do: 'put', table: 'runs', item })));
    }
  };
  await Promise.all([lane(), lane()]);
  await metrics.rollUp(world.needs, home);
});

afterAll(() => database.close());

async function ask(what: string, query: Readonly<Record<string, string | readonly string[]>>) {
  asked = { calls: 0, counted: 0, rows: 0 };
  const values = Object.entries(query).map(([name, value]) => [name, [value].flat()] as const);
  const needs = { ...world.needs, table: counting(database.table) };
  const list = await instances.list(needs, home.name, toListRequest(Object.fromEntries(values)));
  console.log(`${what}: ${asked.calls} calls, ${asked.counted} rows counted, ${asked.rows} read`);
  const { total, hasNextPage, hasPreviousPage } = list.pageInfo;
  return {
    numbers: list.results.map(({ id }) => Number.parseInt(id.slice(-12), 16)),
    total,
    ends: [hasPreviousPage, hasNextPage],
    list,
  };
}

const filter = (...filters: readonly (readonly [field: string, type: string, val: string])[]) => ({
  'filter.field': filters.map(([field]) => field),
  'filter.type': filters.map(([, type]) => type),
  'filter.val': filters.map(([, , val]) => val),
});
const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.abs(from - to) }, (_, index) => (from > to ? from - index : from + index));
const at = (ms: number): string => new Date(ms).toISOString();

/** The number of rows after the high-water mark, which every list reads: those of the last three minutes. */
const afterMark = () => created.filter((ms) => ms >= NOW - 180_000).length;

describe(`a list of ${MANY} instances`, () => {
  test('reads its first page without counting rows', async () => {
    const { numbers, total, ends } = await ask('first page', { limit: '20' });
    expect(numbers).toEqual(range(MANY - 1, MANY - 21));
    expect([total, ...ends]).toEqual([MANY, false, true]);
    expect(asked).toEqual({ calls: 5, counted: 0, rows: 20 + afterMark() });
  });

  test('reads its last page from the end of the index', async () => {
    const { numbers, ends } = await ask('last page', { limit: '20', offset: String(MANY - 20) });
    expect(numbers).toEqual(range(19, -1));
    expect(ends).toEqual([true, false]);
    expect(asked).toEqual({ calls: 5, counted: 0, rows: 20 + afterMark() });
  });

  test('counts the rows before a page without reading them', async () => {
    const { numbers } = await ask('page at 1000', { limit: '20', offset: '1000' });
    expect(numbers).toEqual(range(MANY - 1001, MANY - 1021));
    expect(asked).toEqual({ calls: 6, counted: 1000, rows: 20 + afterMark() });
  });

  test('reads a page across two days', async () => {
    const { numbers } = await ask('page over midnight', { limit: '20', offset: String(MANY - ON_FIRST_DAY - 10) });
    expect(numbers).toEqual(range(ON_FIRST_DAY + 9, ON_FIRST_DAY - 11));
    expect(asked).toEqual({ calls: 6, counted: 0, rows: 20 + afterMark() });
  });

  test('is ordered by time, the oldest first', async () => {
    const order = { 'order.field': 'CREATED', 'order.direction': 'ASC' };
    const { numbers } = await ask('oldest first', { limit: '20', offset: '5', ...order });
    expect(numbers).toEqual(range(5, 25));
    expect(asked).toEqual({ calls: 6, counted: 5, rows: 20 + afterMark() });
  });

  test('counts only the rows of the requested period', async () => {
    const from = created[14_000] ?? 0;
    const to = created[14_999] ?? 0;
    const time = filter(['CREATED', 'AFTER', at(from)], ['CREATED', 'BEFORE', at(to)]);
    const { numbers, total } = await ask('a time within a day', { limit: '20', ...time });
    expect(numbers).toEqual(range(14_999, 14_979));
    expect(total).toBe(1000);
    expect(asked).toEqual({ calls: 6, counted: 1000, rows: 20 + afterMark() });
    const whole = filter(['CREATED', 'BEFORE', at(FIRST + DAY - 1)]);
    expect((await ask('the day before', { limit: '20', ...whole })).total).toBe(ON_FIRST_DAY);
    expect(asked).toEqual({ calls: 5, counted: 0, rows: 20 + afterMark() });
  });

  test.each([
    ['STATUS', 'MATCH', 'failed', [19_007, 18_007, 17_007], 20],
    ['AS', 'WORKFLOW', 'odd', [19_999, 19_997, 19_995], 10_000],
  ])('filtered by %s/%s reads or counts each row that passes, once', async (field, type, value, first, count) => {
    const { numbers, total } = await ask(`${field}/${type}`, { limit: '3', ...filter([field, type, value]) });
    expect([numbers, total]).toEqual([first, count]);
    expect(asked.counted + asked.rows).toBe(count + afterMark());
  });

  test('filtered within a period reads only the rows of the period that pass', async () => {
    const [from, to] = [created[10_000] ?? 0, created[11_999] ?? 0];
    const time = [['CREATED', 'AFTER', at(from)] as const, ['CREATED', 'BEFORE', at(to)] as const];
    const { numbers, total } = await ask('STATUS in a time', {
      limit: '3',
      ...filter(['STATUS', 'MATCH', 'failed'], ...time),
    });
    expect([numbers, total]).toEqual([[11_007, 10_007], 2]);
    expect(asked.rows).toBe(2 + afterMark());
  });

  test('follows the cursors of older clients without reading the rows between', async () => {
    const start = await ask('first 5', { first: '5' });
    expect(start.numbers).toEqual(range(MANY - 1, MANY - 6));
    const { endCursor } = start.list.pageInfo;
    const after = await ask('5 after a cursor', { first: '5', after: endCursor });
    expect(after.numbers).toEqual(range(MANY - 6, MANY - 11));
    expect(after.ends).toEqual([true, true]);
    expect(asked.rows).toBe(5 + afterMark());
    const before = await ask('the last 3 before a cursor', { last: '3', before: after.list.pageInfo.startCursor });
    expect(before.numbers).toEqual(range(MANY - 3, MANY - 6));
    expect((await ask('after nobody', { first: '2', after: 'bnVsbA==' })).numbers).toEqual([MANY - 1, MANY - 2]);
    const odd = { first: '2', after: Buffer.from(JSON.stringify({ id: 'x'.repeat(5000) })).toString('base64') };
    expect((await ask('after nonsense', odd)).numbers).toEqual([MANY - 1, MANY - 2]);
  });

  test('counts the rows of days on which some may have expired', async () => {
    world.now = FIRST + 30 * DAY + DAY / 2;
    await database.table.write([{ do: 'delete', key: keys.run(idOf(3)) }]);
    const { total } = await ask('after a month', { limit: '20' });
    expect(total).toBe(MANY - 1);
    expect(asked.counted).toBe(ON_FIRST_DAY - 1);
    world.now = FIRST + 62 * DAY + DAY / 2;
    expect((await ask('after two months', { limit: '20' })).total).toBe(0);
    world.now = NOW;
  });
});
