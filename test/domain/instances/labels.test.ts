import { beforeAll, describe, expect, test } from 'vitest';
import { matching } from '../../../lib/domain/instances/finding.ts';
import * as instances from '../../../lib/domain/instances/instances.ts';
import * as metrics from '../../../lib/domain/metrics/metrics.ts';
import type { Namespace } from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import type { Item, Table } from '../../../lib/ports/table.ts';
import { MemoryTable } from '../../contract/memory-table.ts';
import { CountedRuns } from '../metrics/counted-runs.ts';

const RUNS = 10_000;
const RARE = 4_711;
const DAY = 86_400_000;
/** DynamoDB charges half a unit for each 4 KB of a query, and of each item that is read by its key. */
const UNIT_BYTES = 4096;

const unitsOf = (items: readonly (Item | undefined)[]): number =>
  Math.max(1, Math.ceil(Buffer.byteLength(JSON.stringify(items)) / UNIT_BYTES)) / 2;

/** A table that counts the read units of DynamoDB, and the requests. */
class MeteredTable implements Table {
  readonly #table = new MemoryTable();
  units = 0;
  requests = 0;

  async get(...call: Parameters<Table['get']>) {
    const items = await this.#table.get(...call);
    this.requests += 1;
    for (const item of items) this.units += unitsOf([item]);
    return items;
  }

  async query(query: Parameters<Table['query']>[0]) {
    const page = await this.#table.query(query);
    this.requests += 1;
    this.units += unitsOf(page.items);
    return page;
  }

  write(...call: Parameters<Table['write']>) {
    return this.#table.write(...call);
  }
}

const table = new MeteredTable();
const world = new CountedRuns(table);
let namespace: Namespace;
const ids: string[] = [];

beforeAll(async () => {
  namespace = await world.namespace();
  const first = world.now;
  for (let n = 0; n < RUNS; n += 1) {
    world.now = first + Math.floor((n * DAY) / RUNS);
    const labels = { team: n % 2 === 0 ? 'shop' : 'bank', ...(n === RARE ? { order: 'o-1' } : {}) };
    const run = { ...world.newRun(namespace, 'w'), labels };
    ids.push(run.id);
    await world.end(run, n % 10 === 0 ? 'failed' : 'complete');
  }
  world.now += DAY / 24;
  // As the reconciler does every 15 minutes.
  await metrics.rollUp(world.needs, namespace);
});

type Filter = readonly [field: string, type: string, value: string];

const filters = (...given: Filter[]) => ({
  'filter.field': given.map(([field]) => field),
  'filter.type': given.map(([, type]) => type),
  'filter.val': given.map(([, , value]) => value),
});

/** Reads pages until the list ends or has a row; also returns the number of pages, read units and requests. */
async function find(...given: Filter[]) {
  const [units, requests] = [table.units, table.requests];
  let after: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const more = after === undefined ? {} : { after: [after] };
    const { results, pageInfo } = await instances.list(
      world.needs,
      'demo',
      toListRequest({ ...filters(...given), first: ['10'], ...more }),
    );
    const found = results.map(({ id }) => ids.indexOf(id));
    if (found.length > 0 || !pageInfo.hasNextPage) {
      return { found, pages, units: table.units - units, requests: table.requests - requests };
    }
    after = pageInfo.endCursor;
  }
}

describe('among 10,000 runs', () => {
  test('a page of a rare label is a page; without the index it is a search', async () => {
    const byValue = await find(['LABEL', 'MATCH', 'order=o-1']);
    const byName = await find(['LABEL', 'MATCH', 'order']);
    expect([byValue.found, byName.found]).toEqual([[RARE], [RARE]]);
    console.log(`read units of a rare label: ${JSON.stringify(byValue)}, by its name alone ${JSON.stringify(byName)}`);
    expect(byValue.pages).toBe(1);
    expect(byValue.units).toBeLessThanOrEqual(5);
    expect(byName.units).toBeGreaterThan(100 * byValue.units);
  });

  test('a page of a frequent label reads no more than a page, also with a further filter', async () => {
    const shop = await find(['LABEL', 'MATCH', 'team=shop']);
    expect(shop.found).toEqual(Array.from({ length: 10 }, (_, index) => RUNS - 2 - 2 * index));
    expect(shop.units).toBeLessThan(70);
    const failed = await find(['LABEL', 'MATCH', 'team=shop'], ['STATUS', 'MATCH', 'failed']);
    expect(failed.found).toEqual(Array.from({ length: 10 }, (_, index) => RUNS - 10 - 10 * index));
    expect((await find(['LABEL', 'MATCH', 'team=shop'], ['LABEL', 'MATCH', 'order=o-2'])).found).toEqual([]);
  });

  test('all runs of a label are found by cursors, each once, also while others begin', async () => {
    const request = filters(['LABEL', 'MATCH', 'team=bank']);
    const seen: number[] = [];
    for (let after: string | undefined; ; ) {
      const more = after === undefined ? {} : { after: [after] };
      const page = await instances.list(world.needs, 'demo', toListRequest({ ...request, first: ['999'], ...more }));
      seen.push(...page.results.map(({ id }) => ids.indexOf(id)));
      if (after === undefined) await world.begin({ ...world.newRun(namespace, 'w'), labels: { team: 'bank' } });
      if (!page.pageInfo.hasNextPage) break;
      after = page.pageInfo.endCursor;
    }
    expect(seen).toEqual(Array.from({ length: RUNS / 2 }, (_, index) => RUNS - 1 - 2 * index));
    const oldest = matching(world.needs, 'demo', toListRequest(filters(['LABEL', 'MATCH', 'team=bank'])));
    expect(ids.indexOf((await oldest.next()).value?.id ?? '')).toBe(1);
  });
});

test('a note of a run that was not committed, or has another value, is passed over', async () => {
  const run = { ...world.newRun(namespace, 'w'), labels: { order: 'lost' } };
  await runs.noteLabels(world.needs, run);
  expect((await find(['LABEL', 'MATCH', 'order=lost'])).found).toEqual([]);
  await world.begin({ ...run, labels: { order: 'kept' } });
  expect((await find(['LABEL', 'MATCH', 'order=lost'])).found).toEqual([]);
  expect((await find(['LABEL', 'MATCH', 'order=kept'])).found).toHaveLength(1);
});
