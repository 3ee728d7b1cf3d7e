import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import * as metrics from '../../lib/domain/metrics/metrics.ts';
import type { Run } from '../../lib/domain/runs/runs.ts';
import { cancel } from '../../lib/engine/delivery/deliver.ts';
import { cases } from '../effort.ts';
import { type Specimen, specimens } from './world/corpus.ts';
import { type Crash, CrashedError } from './world/crashing-ports.ts';
import { openDatabase, World } from './world/engine-world.ts';
import { runsOf } from './world/snapshot.ts';

/** Runs that end in place, wait, call, fail, retry and are retried, and need more than one commit. */
const CHOSEN = [
  'two-states-chain',
  'catch-loop-back',
  'delay-one-second',
  'action-child-error-propagates',
  'retries of a child that waits',
  'a foreach of which some wait and one fails',
  'a parallel or with a winner while the other runs on',
];
const chosen = specimens.filter(({ name }) => CHOSEN.includes(name));

const LANES = 3;
/** The most crash points that are tried, evenly spread; test/engine/crash.test.ts tries all. */
const MAX_CRASHES = cases(8, 16);
const databases: LocalTable[] = [];
const totals = { worlds: 0, runs: 0 };

beforeAll(async () => {
  databases.push(...(await Promise.all(Array.from({ length: LANES }, openDatabase))));
});
afterAll(async () => {
  console.log(`worlds: ${totals.worlds}, runs counted: ${totals.runs}`);
  await Promise.all(databases.map((database) => database.close()));
});

const byPath = (runs: readonly Run[], isCounted: (run: Run) => boolean): Record<string, string> => {
  const counts: Record<string, number> = {};
  for (const run of runs.filter(isCounted)) counts[run.path] = (counts[run.path] ?? 0) + 1;
  return Object.fromEntries(
    Object.entries(counts)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, n]) => [path, String(n)]),
  );
};

async function reported(world: World, metric: metrics.MetricName): Promise<Record<string, string>> {
  const naming = { brand: 'service', namespace: world.namespace };
  const { results } = await metrics.ofNamespace(world.reliable, naming, metric);
  return Object.fromEntries(results.map((one) => [one.metric['service_workflow'] ?? '', one.value[1]]));
}

/** Compares the metrics with the runs. */
async function compare(world: World): Promise<void> {
  const found = await runsOf(world);
  totals.runs += found.length;
  expect(await reported(world, 'invoked')).toEqual(byPath(found, () => true));
  expect(await reported(world, 'successful')).toEqual(byPath(found, ({ status }) => status === 'complete'));
  const isFailed = ({ status }: Run) => status === 'failed' || status === 'crashed';
  expect(await reported(world, 'failed')).toEqual(byPath(found, isFailed));
  const naming = { brand: 'service', namespace: world.namespace };
  for (const path of new Set(found.map((run) => run.path))) {
    const own = found.filter((run) => run.path === path && run.status !== 'pending');
    const flow = await metrics.flowOf(world.reliable, naming, { path, ref: '', since: undefined });
    expect(flow.totalInstancesRun).toBe(own.length);
    expect(flow.totalInstanceMilliseconds).toBe(own.reduce((sum, run) => sum + run.updated - run.created, 0));
    // Every state that was entered was left: to another one, or with the run.
    for (const state of flow.states) {
      const entered = Object.values(state.invokers).reduce((sum, count) => sum + count, 0);
      expect(state.totalExecutions, `${path} ${state.name}`).toBe(entered);
    }
    const starts = flow.states.reduce((sum, { invokers }) => sum + (invokers['start'] ?? 0), 0);
    expect(starts).toBe(own.length);
  }
}

async function runOnce(world: World, { sources, input }: Specimen): Promise<void> {
  await world.store(sources);
  await world.execute('main', input).catch(ignoreCrash);
  await world.pass();
  if (world.process.hasCrashed) {
    await world.restart();
    if ((await runsOf(world)).length === 0) await world.execute('main', input);
    await world.pass();
  }
  for (let sweeps = 0; sweeps < 2; sweeps += 1) await reconcile(world);
}

/** Lets the reconciler visit the runs. A process of fewer operations than another one with the same work crashes only now. */
async function reconcile(world: World): Promise<void> {
  await world.reconcileLater().catch(ignoreCrash);
  if (world.process.hasCrashed) await world.restart();
  await world.pass();
}

function ignoreCrash(error: unknown): void {
  if (!(error instanceof CrashedError)) throw error;
}

async function within(database: LocalTable, crash: Crash | undefined, work: (world: World) => Promise<void>) {
  const world = new World(database, { crash });
  totals.worlds += 1;
  try {
    await work(world);
    return world.process.operations;
  } finally {
    await world.close();
  }
}

describe('a run that crashes before or after a durable operation is counted once', () => {
  test.each(chosen.map((specimen) => [specimen.name, specimen] as const))('%s', async (_name, specimen) => {
    const [database] = databases;
    if (database === undefined) throw new Error('there is no database');
    let operations = 0;
    await within(database, undefined, async (world) => {
      await runOnce(world, specimen);
      await compare(world);
    });
    await within(database, undefined, async (world) => {
      await world.store(specimen.sources);
      await world.execute('main', specimen.input);
      await world.pass();
      operations = world.process.operations;
    });
    const all = Array.from({ length: operations }, (_, index): Crash[] => [
      { at: index + 1, when: 'before' },
      { at: index + 1, when: 'after' },
    ]).flat();
    const step = Math.max(all.length / MAX_CRASHES, 1);
    const crashes = all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
    const lanes = databases.map(async (one) => {
      for (let crash = crashes.pop(); crash !== undefined; crash = crashes.pop()) {
        await within(one, crash, async (world) => {
          await runOnce(world, specimen);
          await compare(world);
          await reconcile(world);
          await compare(world);
        });
      }
    });
    await Promise.all(lanes);
  });
});

describe('the metrics of a workflow', () => {
  const flowOf = async (world: World, path = '/main') =>
    metrics.flowOf(
      world.reliable,
      { brand: 'service', namespace: world.namespace },
      { path, ref: '', since: undefined },
    );

  const inWorld = (work: (world: World) => Promise<void>) => {
    const [database] = databases;
    if (database === undefined) throw new Error('there is no database');
    return within(database, undefined, work);
  };

  test('show in which state a cancelled run was, and how long', () =>
    inWorld(async (world) => {
      const rest = 'states:\n- {id: first, type: noop, transition: rest}\n- {id: rest, type: delay, duration: PT10M}\n';
      await world.store({ main: rest });
      const run = await world.execute('main', '{}');
      await world.pass(world.time.clock.now() + 1000);
      world.time.advance(60_000);
      const [waiting] = (await runsOf(world)).filter(({ id }) => id === run.id);
      if (waiting === undefined) throw new Error('there is no run');
      await cancel(world.ports, waiting);
      await world.pass();
      await compare(world);
      const { states, errorCodes, failedExecutions } = await flowOf(world);
      expect([failedExecutions, errorCodes]).toEqual([1, { 'service.cancels.api': 1 }]);
      expect(states[0]).toMatchObject({
        name: 'first',
        invokers: { start: 1 },
        outcomes: { transitions: { rest: 1 } },
      });
      const own = { name: 'rest', totalFailures: 1, unhandledErrors: { 'service.cancels.api': 1 } };
      expect(states[1]).toMatchObject({ ...own, invokers: { first: 1 } });
      expect(states[1]?.totalMilliseconds).toBeGreaterThanOrEqual(60_000);
    }));

  test('show how often calls were retried, and what was caught', () =>
    inWorld(async (world) => {
      const main = `functions:
- {id: f, type: subflow, workflow: no}
states:
- id: call
  type: action
  action: {function: f, retries: {max_attempts: 2, delay: PT1S, codes: ['*']}}
  catch: [{error: '*', transition: end}]
- {id: end, type: noop}
`;
      await world.store({ main, no: 'states:\n- {id: no, type: error, error: my.no, message: no}\n' });
      await world.execute('main', '{}');
      await world.pass();
      await compare(world);
      const { states, successfulExecutions, errorCodes } = await flowOf(world);
      expect([successfulExecutions, errorCodes]).toEqual([1, {}]);
      expect(states[0]).toMatchObject({ name: 'call', totalRetries: 2, outcomes: { transitions: { end: 1 } } });
      expect(states[0]?.totalMilliseconds).toBeGreaterThanOrEqual(2000);
      const child = await flowOf(world, '/no');
      expect([child.failedExecutions, child.errorCodes]).toEqual([3, { 'my.no': 3 }]);
    }));

  test('count each state of a loop as often as it was entered', () =>
    inWorld(async (world) => {
      const main = `states:
- id: count
  type: noop
  transform: 'jq(.n += 1)'
  transition: again
- id: again
  type: switch
  conditions: [{condition: 'jq(.n < 500)', transition: count}]
`;
      await world.store({ main });
      await world.execute('main', '{"n":0}');
      await world.pass();
      await compare(world);
      const { states } = await flowOf(world);
      expect(states.map(({ name, totalExecutions }) => [name, totalExecutions])).toEqual([
        ['count', 500],
        ['again', 500],
      ]);
      expect(states[0]).toMatchObject({ invokers: { start: 1, again: 499 } });
      expect(states[1]).toMatchObject({ outcomes: { success: 1, failure: 0, transitions: { count: 499 } } });
    }));

  test('count a run with too many states as a whole', () =>
    inWorld(async (world) => {
      const name = (index: number) => `state-with-a-rather-long-name-${index}`;
      const states = Array.from({ length: 200 }, (_, index) => {
        const next = index < 199 ? `, transition: ${name(index + 1)}` : '';
        return `- {id: ${name(index)}, type: noop${next}}`;
      });
      await world.store({ main: `states:\n${states.join('\n')}\n` });
      await world.execute('main', '{}');
      await world.pass();
      expect(await flowOf(world)).toMatchObject({
        totalInstancesRun: 1,
        successfulExecutions: 1,
        sampleSize: 0,
        states: [],
      });
      expect(await reported(world, 'successful')).toEqual({ '/main': '1' });
    }));
});
