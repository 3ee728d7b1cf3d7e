import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as events from '../../../lib/domain/events/events.ts';
import * as history from '../../../lib/domain/events/history.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { type ListRequest, toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import type { Query, Table } from '../../../lib/ports/table.ts';

const MANY = 20_000;
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 15, 12);
/** The time between two events, over five days. */
const STEP = (5 * DAY) / MANY;
const TOGETHER = 100;

let database: LocalTable;
let namespace: namespaces.Namespace;
const blobs = memoryBlobs();
const clock: Clock = { now: () => NOW, uuid: () => '01980000-0000-7000-8000-000000000001', secret: () => 's' };

/** The calls to the database of a list. */
interface Asked {
  counts: number;
  pages: number;
  gets: number;
  /** The number of rows of the index, and of events, that were read. */
  rows: number;
  events: number;
}
let asked: Asked;

const counting = (table: Table): Table => ({
  ...table,
  get: (keys) => {
    asked.gets += 1;
    asked.events += keys.length;
    return table.get(keys);
  },
  query: async (query: Query) => {
    const page = await table.query(query);
    asked[query.count ? 'counts' : 'pages'] += 1;
    asked.rows += page.items.length;
    return page;
  },
});

const idOf = (number: number): string => `e${String(number).padStart(6, '0')}`;
const SETTINGS = { brand: 'service', version: 'v0' };
const typeOf = (number: number): string => (number % 1000 === 7 ? 'order.placed' : `other.${number % 10}`);
const receivedOf = (number: number): number => NOW - 5 * DAY + Math.round(number * STEP);

beforeAll(async () => {
  database = await openLocalTable();
  const ports = { table: database.table, clock: { ...clock, now: () => NOW - 10 * DAY }, settings: SETTINGS };
  namespace = await namespaces.create(ports, 'history');
  for (let from = 0; from < MANY; from += TOGETHER) {
    const some = Array.from({ length: TOGETHER }, async (_, index) => {
      const number = from + index;
      const event = { specversion: '1.0', id: idOf(number), source: 's', type: typeOf(number), data: `d${number}` };
      const { writes } = await events.toWrites({ blobs }, namespace, event, { received: receivedOf(number) });
      return writes[1];
    });
    await database.table.write(await Promise.all(some));
  }
});

afterAll(() => database.close());

type Query_ = Readonly<Record<string, readonly string[]>>;

async function list(query: Query_) {
  asked = { counts: 0, pages: 0, gets: 0, rows: 0, events: 0 };
  const request: ListRequest = toListRequest(query);
  const { pageInfo, results } = await history.list(
    { table: counting(database.table), blobs, clock },
    namespace,
    request,
  );
  return { total: pageInfo.total, ids: results.map(({ id }) => id), pageInfo };
}

const filter = (field: string, type: string, val: string) => ({
  'filter.field': [field],
  'filter.type': [type],
  'filter.val': [val],
});
const newest = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => idOf(MANY - 1 - from - index));

describe(`a history of ${MANY} events`, () => {
  test('reads the requested page only, and counts the rest', async () => {
    const { total, ids, pageInfo } = await list({ limit: ['10'] });
    expect([total, ids]).toEqual([MANY, newest(0, 10)]);
    expect([pageInfo.hasNextPage, pageInfo.hasPreviousPage]).toEqual([true, false]);
    expect(asked).toMatchObject({ rows: 10, events: 10, gets: 1 });
    console.log('a page:', JSON.stringify(asked));
    expect(asked.counts + asked.pages).toBeLessThan(100);
  });

  test('goes far back without reading what it passes', async () => {
    const { total, ids } = await list({ limit: ['10'], offset: ['12000'] });
    expect([total, ids]).toEqual([MANY, newest(12_000, 10)]);
    expect(asked).toMatchObject({ rows: 10, events: 10, gets: 1 });
    expect(asked.counts + asked.pages).toBeLessThan(100);
    expect(await list({ limit: ['5'], offset: [String(MANY - 2)] })).toMatchObject({ ids: [idOf(1), idOf(0)] });
    expect((await list({ offset: [String(2 * MANY)] })).ids).toEqual([]);
  });

  test('has pages without overlaps or gaps, also across days', async () => {
    const perDay = MANY / 5;
    const pages = [];
    for (const offset of [0, 7, 14].map((more) => perDay / 2 - 10 + more)) {
      pages.push(...(await list({ limit: ['7'], offset: [String(offset)] })).ids);
    }
    expect(pages).toEqual(newest(perDay / 2 - 10, 21));
  });

  test('is read from its end for the oldest events first', async () => {
    const { ids, total } = await list({ limit: ['3'], 'order.field': ['RECEIVED'], 'order.direction': ['ASC'] });
    expect([ids, total]).toEqual([[idOf(0), idOf(1), idOf(2)], MANY]);
    expect(asked).toMatchObject({ rows: 3, events: 3 });
  });

  test('is filtered by type without reading events outside the page', async () => {
    const { ids, total } = await list({ limit: ['3'], ...filter('TYPE', 'CONTAINS', 'placed') });
    expect([ids, total]).toEqual([[19_007, 18_007, 17_007].map(idOf), MANY / 1000]);
    expect(asked).toMatchObject({ rows: MANY, events: 3, gets: 1 });
    console.log('by type:', JSON.stringify(asked));
  });

  test('is filtered by time without reading rows outside the period', async () => {
    const at = (number: number) => new Date(receivedOf(number)).toISOString();
    const between = {
      'filter.field': ['CREATED', 'CREATED'],
      'filter.type': ['AFTER', 'BEFORE'],
      'filter.val': [at(10_000), at(10_004)],
    };
    const { ids, total } = await list(between);
    expect([ids, total]).toEqual([[10_004, 10_003, 10_002, 10_001, 10_000].map(idOf), 5]);
    expect(asked.rows + asked.counts).toBeLessThan(15);
  });

  test('is searched for a text page by page', async () => {
    const { ids, total } = await list({ limit: ['1'], ...filter('TEXT', 'CONTAINS', '"data":"d4217"') });
    expect([ids, total]).toEqual([[idOf(4217)], 1]);
    console.log('by text:', JSON.stringify(asked));
    expect(asked.gets).toBeLessThan(MANY / 100 + 200);
  });

  test('lists at most a thousand events, and their total number', async () => {
    for (const query of [{}, { limit: ['5000'] }]) {
      const { ids, total, pageInfo } = await list(query);
      expect([ids.length, ids.at(-1), total, pageInfo.hasNextPage]).toEqual([1000, newest(999, 1)[0], MANY, true]);
    }
  });

  test('is ordered by id', async () => {
    const byId = await list({ limit: ['2'], 'order.field': ['ID'], 'order.direction': ['DESC'] });
    expect([byId.ids, byId.total]).toEqual([newest(0, 2), MANY]);
  });

  test('is paged by the cursors of older clients, and reads the rows of the page only', async () => {
    const first = await list({ first: ['2'] });
    expect(first.ids).toEqual(newest(0, 2));
    const second = await list({ first: ['2'], after: [first.pageInfo.endCursor] });
    expect(second.ids).toEqual(newest(2, 2));
    expect(second.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: true, total: MANY });
    expect(asked).toMatchObject({ rows: 2, events: 2 });
    expect((await list({ last: ['2'], before: [second.pageInfo.endCursor] })).ids).toEqual(newest(1, 2));
    expect(asked).toMatchObject({ rows: 2, events: 2 });
    expect((await list({ last: ['2'] })).ids).toEqual([1, 0].map(idOf));
    expect(asked).toMatchObject({ rows: 2, events: 2 });
  });

  test('ignores a malformed cursor', async () => {
    for (const text of ['no cursor', JSON.stringify({ id: idOf(MANY - 2) })]) {
      const cursor = Buffer.from(text).toString('base64');
      expect((await list({ first: ['2'], after: [cursor] })).ids).toEqual(newest(0, 2));
    }
  });
});

describe('a history of large events', () => {
  test('has as many of them on a page as fit into a reply, and the others on the next one', async () => {
    const uuid = () => '01980000-0000-7000-8000-000000000002';
    const ports = { table: database.table, clock: { ...clock, uuid, now: () => NOW - 10 * DAY }, settings: SETTINGS };
    const large = await namespaces.create(ports, 'large');
    const data = 'x'.repeat(4_000_000);
    for (let number = 0; number < 12; number += 1) {
      const event = { specversion: '1.0', id: idOf(number), source: 's', type: 't', data };
      const received = NOW - DAY + number;
      await database.table.write((await events.toWrites({ blobs }, large, event, { received, due: received })).writes);
    }
    const needs = { table: database.table, blobs, clock };
    const page = (query: Query_) => history.list(needs, large, toListRequest(query));
    const first = await page({});
    expect(first.results.map(({ id }) => id)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3].map(idOf));
    expect(first.pageInfo).toMatchObject({ total: 12, hasNextPage: true });
    const rest = await page({ offset: [String(first.results.length)] });
    expect(rest.results.map(({ id }) => id)).toEqual([2, 1, 0].map(idOf));
    const after = await page({ first: ['1000'], after: [first.pageInfo.endCursor] });
    expect(after.results.map(({ id }) => id)).toEqual([2, 1, 0].map(idOf));
  });
});
