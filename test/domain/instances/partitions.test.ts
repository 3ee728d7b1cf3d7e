import { beforeAll, describe, expect, test } from 'vitest';
import * as instances from '../../../lib/domain/instances/instances.ts';
import { readAfter } from '../../../lib/domain/logs/cursor-reader.ts';
import { openLog } from '../../../lib/domain/logs/pages.ts';
import * as metrics from '../../../lib/domain/metrics/metrics.ts';
import type { Namespace } from '../../../lib/domain/namespaces/namespaces.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import type { Spread } from '../../../lib/domain/storage/spread.ts';
import { CountedRuns } from '../metrics/counted-runs.ts';

const RUNS = 240;
const MINUTE = 60_000;
const FIRST = Date.UTC(2026, 0, 15, 20);
/** The rows of the first hours are in one partition; then there are three, and on the next day seven. */
const SPREAD: Spread = [
  { from: FIRST + 60 * MINUTE, partitions: 3 },
  { from: FIRST + 400 * MINUTE, partitions: 7 },
];

const world = new CountedRuns();
const homes: Record<'one' | 'several', Namespace> = {} as never;
/** The number of a run by its id. */
const numbers = new Map<string, number>();

async function fill(name: 'one' | 'several', spread: Spread | undefined): Promise<void> {
  world.now = FIRST - MINUTE;
  const created = await world.namespace(name);
  const home = { ...created, spread };
  homes[name] = home;
  if (spread !== undefined) {
    const set = { spread: JSON.stringify(spread) };
    await world.needs.table.write([{ do: 'update', key: { table: 'catalog', pk: 'namespaces', sk: name }, set }]);
  }
  for (let n = 0; n < RUNS; n += 1) {
    world.now = FIRST + n * 2 * MINUTE;
    const blank = world.newRun(home, n % 3 === 0 ? 'third' : 'other');
    const settings = { ...blank.settings, ...(spread && { spread }) };
    const labels = n % 5 === 0 ? { labels: { tier: String(n % 2) } } : {};
    const run: Run = { ...blank, settings, as: n % 3 === 0 ? '/third' : '/other', ...labels };
    numbers.set(run.id, n);
    if (n % 2 === 0) await world.end(run, n % 20 === 0 ? 'failed' : 'complete');
    else {
      const begun = await world.begin(run);
      world.now += MINUTE;
      if (n % 3 !== 0) await world.end(begun, 'complete');
    }
  }
}

beforeAll(async () => {
  await fill('one', undefined);
  await fill('several', SPREAD);
  world.now = FIRST + 10 * 60 * MINUTE;
});

async function ask(name: 'one' | 'several', query: Readonly<Record<string, readonly string[]>>) {
  const list = await instances.list(world.needs, name, toListRequest(query));
  const found = list.results.map(({ id }) => numbers.get(id));
  return { found, info: { ...list.pageInfo, startCursor: '', endCursor: '' }, end: list.pageInfo.endCursor };
}

const filter = (field: string, type: string, val: string) => ({
  'filter.field': [field],
  'filter.type': [type],
  'filter.val': [val],
});

const REQUESTS: readonly (readonly [string, Readonly<Record<string, readonly string[]>>])[] = [
  ['all', {}],
  ['a page', { limit: ['10'], offset: ['37'] }],
  ['a late page, which is read from its nearer end', { limit: ['10'], offset: ['215'] }],
  ['the oldest first', { 'order.field': ['CREATED'], 'order.direction': ['ASC'], limit: ['25'], offset: ['11'] }],
  ['by id', { 'order.field': ['ID'], 'order.direction': ['ASC'], limit: ['25'] }],
  ['by status', { ...filter('STATUS', 'MATCH', 'failed') }],
  ['by workflow', { ...filter('AS', 'CONTAINS', 'third'), limit: ['7'], offset: ['3'] }],
  ['by time', { ...filter('CREATED', 'AFTER', new Date(FIRST + 150 * MINUTE).toISOString()), limit: ['20'] }],
  ['a search by duration', { ...filter('DURATION', 'LONGER', 'PT30S'), limit: ['9'] }],
  ['a search by label', { ...filter('LABEL', 'MATCH', 'tier=0'), limit: ['9'] }],
];

describe('a namespace with several partitions a day', () => {
  test.each(REQUESTS)('has the list of one with one: %s', async (_what, query) => {
    const [one, several] = [await ask('one', query), await ask('several', query)];
    expect(several.found).toEqual(one.found);
    expect(several.info).toEqual(one.info);
    expect(one.found.length).toBeGreaterThan(0);
  });

  test.each([
    ['a list', { first: ['17'] }],
    ['a search', { ...filter('DURATION', 'LONGER', 'PT30S'), first: ['17'] }],
  ] as const)('is read to its end by cursors: %s', async (_what, query) => {
    const pages = async (name: 'one' | 'several') => {
      const all: (number | undefined)[] = [];
      for (let after: readonly string[] | undefined; ; ) {
        const page = await ask(name, after === undefined ? query : { ...query, after });
        all.push(...page.found);
        if (!page.info.hasNextPage) return all;
        after = [page.end];
      }
    };
    const all = await pages('several');
    expect(all).toEqual(await pages('one'));
    expect(new Set(all).size).toBe(all.length);
  });

  test('has its metrics, before and after the rows are rolled up', async () => {
    const ofWorkflows = async (name: 'one' | 'several', metric: 'invoked' | 'successful') => {
      const naming = { brand: 'service', namespace: name };
      const { results } = await metrics.ofNamespace(world.needs, naming, metric);
      return results.map(({ value }) => value[1]);
    };
    for (const isRolledUp of [false, true]) {
      if (isRolledUp) for (const home of Object.values(homes)) await metrics.rollUp(world.needs, home);
      for (const metric of ['invoked', 'successful'] as const) {
        expect(await ofWorkflows('several', metric)).toEqual(await ofWorkflows('one', metric));
      }
    }
  });

  test('has its log lines in their order', async () => {
    const linesOf = async (name: 'one' | 'several') => {
      const ports = { ...world.needs, settings: {} };
      const log = openLog(ports, { scope: 'namespace', namespace: homes[name] });
      const { list } = await readAfter(ports, log, toListRequest({}));
      return list.results.map(({ t, msg }) => [t, msg.replace(/[0-9a-f-]{36}/, '')]);
    };
    const lines = await linesOf('several');
    expect(lines.map(([, text]) => text)).toEqual((await linesOf('one')).map(([, text]) => text));
    expect(lines).toHaveLength(RUNS);
  });
});
