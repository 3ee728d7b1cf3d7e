import { afterAll, describe, expect, test } from 'vitest';
import * as aggregates from '../../../lib/domain/metrics/aggregates.ts';
import * as metrics from '../../../lib/domain/metrics/metrics.ts';
import { begun, counterNames, ended, HOURS_KEPT_DAYS } from '../../../lib/domain/metrics/run-counts.ts';
import { numberAt, type Sums } from '../../../lib/domain/metrics/sums.ts';
import type { Namespace } from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import { ACTIVATION_MS } from '../../../lib/domain/storage/spread.ts';
import type { Table } from '../../../lib/ports/table.ts';
import { DAY_MS, DAY_SECONDS, HOUR_MS } from '../../../lib/time/units.ts';
import { MemoryTable } from '../../contract/memory-table.ts';
import { SEED } from '../../effort.ts';
import fc from '../../fast-check.ts';
import { CountedRuns, delayed, type End } from './counted-runs.ts';

type Needs = Parameters<typeof aggregates.read>[0];

async function countsOf(needs: Needs, home: Namespace, workflow: string) {
  const prefix = counterNames.ofWorkflow(workflow);
  const [before, after] = await Promise.all([
    aggregates.read(needs, home, begun, { prefix }),
    aggregates.read(needs, home, ended, { prefix }),
  ]);
  const at = (sums: Map<string, Sums>, name: string) => numberAt(sums.get(prefix) ?? {}, name);
  return { runs: at(before, 'runs'), done: at(after, 'done'), failed: at(after, 'failed'), ms: at(after, 'ms') };
}

/** Counts the calls to a table, and the rows that they read. */
function counting(table: Table) {
  const seen = { calls: 0, rows: 0, read: 0, writes: 0 };
  const counted: Table = {
    get: (all) => {
      seen.calls += 1;
      return table.get(all);
    },
    query: async (query) => {
      seen.calls += 1;
      const page = await table.query(query);
      seen.rows += page.count;
      seen.read += page.items.length;
      return page;
    },
    write: (writes) => {
      seen.writes += 1;
      return table.write(writes);
    },
  };
  return { table: counted, seen };
}

async function crowd(world: CountedRuns, home: Namespace, count: number, workflows: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const run = world.newRun(home, `w${n % workflows}`);
    await world.end(run, n % 3 === 0 ? 'failed' : 'complete');
    if (n % 10 === 0) world.now += 1000;
  }
}

describe('a counter', () => {
  test('counts runs before and after a roll-up, after which few rows are read', async () => {
    const world = new CountedRuns();
    const home = await world.namespace();
    await crowd(world, home, 1200, 3);
    expect(await countsOf(world.needs, home, 'w1')).toEqual(world.truth('w1'));
    world.now += HOUR_MS;
    expect(await countsOf(world.needs, home, 'w1')).toEqual(world.truth('w1'));
    const { table, seen } = counting(world.needs.table);
    expect(await countsOf({ ...world.needs, table }, home, 'w1')).toEqual(world.truth('w1'));
    expect(seen.writes).toBe(0);
    // The mark, the rows after it and the counters, for each of the two aggregates.
    expect(seen.calls).toBe(6);
    expect(seen.rows).toBeLessThan(400);
  });

  test('of many recent runs reads them once in a process, and those of one second again when one is stored late', async () => {
    const world = new CountedRuns();
    const home = await world.namespace();
    const { table, seen } = counting(world.needs.table);
    const needs = { ...world.needs, table: { ...table, generation: () => 1 } };
    const check = async () => {
      expect(await countsOf(needs, home, 'w1')).toEqual(world.truth('w1'));
      const { read } = seen;
      seen.read = 0;
      return read;
    };
    // 120 seconds.
    await crowd(world, home, 1200, 3);
    expect(await check()).toBeGreaterThan(2400);
    // The first page of both indexes, and the last second.
    expect(await check()).toBeLessThan(1050);
    for (const late of [30_000, 500, 100_000]) {
      world.now -= late;
      await world.end(world.newRun(home, 'w1'), 'failed');
      world.now += late;
      expect(await check()).toBeLessThan(1100);
      expect(await check()).toBeLessThan(1050);
    }
    // A clock that is set back, and then right again.
    world.now -= 10_000;
    await check();
    world.now += 10_000;
    expect(await check()).toBeLessThan(1050);
    world.now += 120_000;
    await crowd(world, home, 900, 3);
    await check();
    expect(await check()).toBeLessThan(1300);
  });

  test('of a namespace with many workflows takes several transactions and counts every run', async () => {
    const world = new CountedRuns();
    const home = await world.namespace();
    await crowd(world, home, 400, 200);
    world.now += HOUR_MS;
    await metrics.rollUp(world.needs, home);
    for (const workflow of ['w0', 'w99', 'w199']) {
      expect(await countsOf(world.needs, home, workflow)).toEqual(world.truth(workflow));
    }
  });

  test('is rolled up only as far as the partitions are known which the namespace had when it was read', async () => {
    const world = new CountedRuns();
    const [old, readAt] = [await world.namespace(), world.now];
    const spread = [{ from: readAt + ACTIVATION_MS, partitions: 4 }];
    world.now += ACTIVATION_MS;
    for (let n = 0; n < 20; n += 1) {
      const run = world.newRun(old, 'w');
      await world.end({ ...run, settings: { ...run.settings, spread } }, 'complete');
    }
    world.now += HOUR_MS;
    await metrics.rollUp(world.needs, old, readAt);
    expect(await countsOf(world.needs, { ...old, spread }, 'w')).toEqual(world.truth('w'));
  });

  test('is rolled up over days without runs, which are not queried twice', async () => {
    const world = new CountedRuns();
    const home = await world.namespace();
    await world.end(world.newRun(home, 'w'), 'complete');
    world.now += 20 * DAY_MS;
    expect(await countsOf(world.needs, home, 'w')).toEqual(world.truth('w'));
    const { table, seen } = counting(world.needs.table);
    await countsOf({ ...world.needs, table }, home, 'w');
    expect(seen.calls).toBe(6);
  });

  test('of a day counts the runs that were stored on that day', async () => {
    const world = new CountedRuns();
    const home = await world.namespace();
    world.now = Date.UTC(2026, 0, 15, 23, 59, 59, 999);
    const before = await world.begin(world.newRun(home, 'w'));
    world.now += 1;
    await world.end(world.newRun(home, 'w'), 'complete');
    await world.end(before, 'failed');
    for (const later of [0, 60_000, aggregates.LAG_MS, 10 * 60_000, DAY_MS]) {
      world.now += later;
      expect(await countsOf(world.needs, home, 'w')).toEqual(world.truth('w'));
      const days = await aggregates.read(world.needs, home, begun, { prefix: counterNames.ofDay('') });
      expect([...days].map(([day, sums]) => [day, numberAt(sums, 'runs')])).toEqual([
        ['day#2026-01-15', 1],
        ['day#2026-01-16', 1],
      ]);
    }
  });

  test('counts a late run, because its time is that of its commit', async () => {
    const world = new CountedRuns();
    const home = await world.namespace();
    const slow = world.newRun(home, 'w');
    world.now += HOUR_MS;
    await world.end(world.newRun(home, 'w'), 'complete');
    world.now += aggregates.LAG_MS + 1;
    await metrics.rollUp(world.needs, home);
    const late = await world.end({ ...slow, updated: slow.created }, 'complete');
    expect([late.created, late.updated]).toEqual([world.now, world.now]);
    expect(await countsOf(world.needs, home, 'w')).toEqual({ ...world.truth('w'), runs: 2, done: 2 });
    const begun = await world.begin(world.newRun(home, 'w'));
    const finished = { ...begun, seq: 2, status: 'complete' } as const;
    world.now += HOUR_MS;
    await metrics.rollUp(world.needs, home);
    expect((await runs.commit(world.needs, finished)).updated).toBe(world.now);
    expect(await countsOf(world.needs, home, 'w')).toMatchObject({ runs: 3, done: 3 });
    const quick = world.newRun(home, 'w');
    world.now += runs.MAX_FIRST_COMMIT_MS;
    expect((await world.begin(quick)).created).toBe(quick.created);
  });

  test('counts each run once with concurrent roll-ups and readers', async () => {
    const world = new CountedRuns(delayed(new MemoryTable()));
    const home = await world.namespace();
    await crowd(world, home, 700, 2);
    world.now += HOUR_MS;
    const readers = Array.from({ length: 6 }, () => countsOf(world.needs, home, 'w0'));
    const rollers = Array.from({ length: 6 }, () => metrics.rollUp(world.needs, home));
    await Promise.all(rollers);
    for (const found of await Promise.all(readers)) expect(found).toEqual(world.truth('w0'));
    expect(await countsOf(world.needs, home, 'w1')).toEqual(world.truth('w1'));
  });

  test('counts each run once for a reader during a roll-up', async () => {
    const world = new CountedRuns();
    const home = await world.namespace();
    await crowd(world, home, 100, 1);
    world.now += HOUR_MS;
    const { table } = world.needs;
    let others = 0;
    const overtaken: Table = {
      get: (all) => table.get(all),
      write: (writes) => table.write(writes),
      query: async (query) => {
        // Between the reads of the mark and of the counters.
        if (query.table === 'journal' && others++ < 3) await metrics.rollUp(world.needs, home);
        return table.query(query);
      },
    };
    expect(await countsOf({ ...world.needs, table: overtaken }, home, 'w0')).toEqual(world.truth('w0'));
    expect(others).toBeGreaterThan(2);
  });

  test('is complete after a roll-up that crashed before or after any write', async () => {
    for (let at = 1; at <= 6; at += 1) {
      for (const when of ['before', 'after'] as const) {
        const world = new CountedRuns();
        const home = await world.namespace();
        await crowd(world, home, 620, 60);
        world.now += 2 * DAY_MS;
        let writes = 0;
        const { table } = world.needs;
        const crashing: Table = {
          ...table,
          get: (all) => table.get(all),
          query: (query) => table.query(query),
          write: async (all) => {
            writes += 1;
            if (writes === at && when === 'before') throw new Error('crashed');
            await table.write(all);
            if (writes === at) throw new Error('crashed');
          },
        };
        await metrics.rollUp({ ...world.needs, table: crashing }, home).catch(() => undefined);
        await metrics.rollUp(world.needs, home);
        for (const workflow of ['w0', 'w7', 'w59']) {
          expect(await countsOf(world.needs, home, workflow)).toEqual(world.truth(workflow));
        }
      }
    }
  });

  test('of a deleted workflow stays in the metrics of its namespace, without those of its states', async () => {
    const world = new CountedRuns();
    const home = await world.namespace();
    await crowd(world, home, 10, 2);
    world.now += HOUR_MS;
    await metrics.rollUp(world.needs, home);
    await metrics.keepOf(world.needs, { id: 'w0', namespaceId: home.id, path: '/gone' });
    const late = world.newRun(home, 'w0');
    await world.end(late, 'complete');
    const vectorOf = async (name: metrics.MetricName) => {
      const { results } = await metrics.ofNamespace(world.needs, { brand: 'service', namespace: home.name }, name);
      return results.map(({ metric, value }) => [metric['service_workflow'], value[1]]);
    };
    expect(await vectorOf('invoked')).toEqual([['/gone', '6']]);
    const { done, failed } = world.truth('w0');
    expect(await vectorOf('successful')).toEqual([['/gone', String(done)]]);
    expect(await vectorOf('failed')).toEqual([['/gone', String(failed)]]);
    const { items } = await world.needs.table.query(keys.counters(home.id));
    expect(items.filter(({ sk }) => sk.startsWith('ended#flow#w0'))).toEqual([]);
    expect(items.filter(({ sk }) => sk.includes('w1'))).toHaveLength(4);
  });
});

describe('the metrics of states', () => {
  const flowOf = async (world: CountedRuns, home: Namespace, prefix: string): Promise<Sums> =>
    [...(await aggregates.read(world.needs, home, ended, { prefix })).values()][0] ?? {};

  test('are summed by revision, in total and by the hour', async () => {
    const world = new CountedRuns();
    const home = await world.namespace();
    await world.end(world.newRun(home, 'w', 'r1'), 'complete');
    await world.end(world.newRun(home, 'w', 'r1'), 'failed');
    await world.end(world.newRun(home, 'w', 'r2'), 'complete');
    const expected = {
      done: 1,
      failed: 1,
      ms: 0,
      told: 2,
      codes: { 'service.no': 1 },
      start: { a: 2 },
      states: {
        a: { ms: 10, retries: 2, to: { b: 2 } },
        b: { ms: 14, retries: 0, to: {}, done: 1, failed: 1, codes: { 'service.no': 1 } },
      },
    };
    for (const later of [0, HOUR_MS, DAY_MS]) {
      world.now += later;
      if (later > 0) await metrics.rollUp(world.needs, home);
      expect(await flowOf(world, home, counterNames.ofRevision('w', 'r1'))).toEqual(expected);
      expect(await flowOf(world, home, counterNames.ofHour('w', '2026-01-15T12', 'r1'))).toEqual(expected);
      expect(await flowOf(world, home, counterNames.ofRevision('w', 'r2'))).toMatchObject({ done: 1 });
    }
    const { items } = await world.needs.table.query(keys.counters(home.id));
    const hours = items.filter(({ sk }) => sk.includes('#2026-01-15T12#'));
    expect(hours).toHaveLength(2);
    const kept = HOURS_KEPT_DAYS * DAY_SECONDS;
    for (const { ttl } of hours) expect(ttl).toBe(Date.UTC(2026, 0, 15, 12) / 1000 + kept);
  });

  test('can have any names', async () => {
    const world = new CountedRuns();
    const home = await world.namespace();
    const odd = '__proto__';
    const run = world.newRun(home, 'w');
    const tally = [[odd, 3, 0, [['constructor', 2]]] as const];
    for (const _ of [1, 2]) {
      const one = { ...run, id: world.clock.uuid(), seq: 1, at: 'constructor', status: 'failed', code: odd } as const;
      await runs.commit(world.needs, { ...one, tally });
    }
    world.now += HOUR_MS;
    await metrics.rollUp(world.needs, home);
    const flow = await flowOf(world, home, counterNames.ofRevision('w', 'r1'));
    const states = JSON.parse(JSON.stringify(flow))['states'];
    expect(Object.entries(states)).toEqual([
      [odd, { ms: 6, retries: 0, to: { constructor: 4 } }],
      ['constructor', { ms: 0, failed: 2, codes: Object.fromEntries([[odd, 2]]) }],
    ]);
  });

  test('do not include a run with too many states, which is counted nevertheless', async () => {
    const world = new CountedRuns();
    const home = await world.namespace();
    await world.end(world.newRun(home, 'w'), 'complete');
    const whole = { ...world.newRun(home, 'w'), seq: 1, status: 'failed', code: 'x' } as const;
    await runs.commit(world.needs, { ...whole, tally: undefined });
    const flow = await flowOf(world, home, counterNames.ofRevision('w', 'r1'));
    expect(flow).toMatchObject({ done: 1, failed: 1, told: 1, codes: { x: 1 } });
  });
});

const totals = { seeds: new Set<number>(), checks: 0, runs: 0 };
afterAll(() => console.log(`seed ${[...totals.seeds].join()}: ${totals.runs} runs, ${totals.checks} comparisons`));

type Move =
  | { readonly do: 'begin' | 'place'; readonly workflow: number; readonly end: End }
  | { readonly do: 'end'; readonly which: number; readonly end: End }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'roll up' | 'read' };

const ends = fc.constantFrom<End>('complete', 'failed', 'crashed');
const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('begin', 'place'), workflow: fc.nat(2), end: ends }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('end'), which: fc.nat(), end: ends }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait'),
      ms: fc.oneof(fc.nat(5), fc.nat(aggregates.LAG_MS * 2), fc.nat(2 * DAY_MS)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('roll up', 'read') }) },
);

/** Runs begin and end during roll-ups and readings; afterwards all counts are equal. */
async function live(script: readonly Move[], atOnce: number): Promise<void> {
  const world = new CountedRuns(new MemoryTable(), true);
  const home = await world.namespace();
  const pending: runs.Run[] = [];
  const open = new Set<Promise<unknown>>();
  const act = async (one: Move): Promise<void> => {
    if (one.do === 'wait') return;
    if (one.do === 'begin') pending.push(await world.begin(world.newRun(home, `w${one.workflow}`)));
    else if (one.do === 'place') await world.end(world.newRun(home, `w${one.workflow}`), one.end);
    else if (one.do === 'end') {
      const [run] = pending.length === 0 ? [] : pending.splice(one.which % pending.length, 1);
      if (run !== undefined) await world.end(run, one.end);
    } else if (one.do === 'roll up') await metrics.rollUp(world.needs, home);
    else await countsOf(world.needs, home, 'w0');
  };
  for (const one of script) {
    // A write takes no longer than the lag after which rows are counted.
    if (one.do === 'wait') {
      await Promise.all(open);
      world.now += one.ms;
    }
    const acting = act(one).finally(() => open.delete(acting));
    open.add(acting);
    if (open.size >= atOnce) await Promise.race(open);
  }
  await Promise.all(open);
  for (const workflow of ['w0', 'w1', 'w2']) {
    expect(await countsOf(world.needs, home, workflow)).toEqual(world.truth(workflow));
    totals.checks += 1;
  }
  world.now += DAY_MS;
  await Promise.all([metrics.rollUp(world.needs, home), metrics.rollUp(world.needs, home)]);
  for (const workflow of ['w0', 'w1', 'w2']) {
    expect(await countsOf(world.needs, home, workflow)).toEqual(world.truth(workflow));
    totals.checks += 1;
  }
  totals.runs += world.stored.size;
}

test('after any sequence of runs, roll-ups and readings the metrics equal a plain count of the runs', async () => {
  totals.seeds.add(SEED);
  const script = fc.array(moves, { minLength: 10, maxLength: 120 });
  await fc.assert(
    fc.asyncProperty(script, fc.integer({ min: 1, max: 8 }), (all, atOnce) => live(all, atOnce)),
    { seed: SEED, numRuns: 150 },
  );
});
