import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { rerunMany } from '../../../lib/engine/start/bulk-rerun.ts';
import { type Rerun, rerun } from '../../../lib/engine/start/rerun.ts';
import { json, ProgrammedWeb } from '../../contract/programmed-web.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
let world: World;
beforeAll(async () => {
  database = await openDatabase();
});
afterEach(() => world.close());
afterAll(() => database.close());

const WHOLE: Rerun = { from: '', revision: 'pinned', patch: [], repeat: 'failed' };

const CALL = "functions: [{id: f, type: http, url: 'https://api.test'}]\n";
/** Sends a request, computes, and waits. */
const SENDS_FIRST = `${CALL}states:
- {id: send, type: action, action: {function: f}, transition: count}
- {id: count, type: noop, transform: 'jq({n: ((.n // 0) + 1)})', transition: nap}
- {id: nap, type: delay, duration: PT2S, transition: last}
- {id: last, type: noop, transform: 'jq({n: (.n + 1)})'}
`;

const stored = async ({ id }: runs.Run): Promise<runs.Run> => {
  const run = await runs.find(world.reliable, id);
  if (run === undefined) throw new Error(`no run ${id}`);
  return run;
};

/** A run of the workflow that has ended. */
async function ended(source: string): Promise<runs.Run> {
  world = new World(database, { web: new ProgrammedWeb(() => json({})) });
  await world.store({ main: source });
  const run = await world.execute('main', '{}');
  await world.pass();
  world.started.clear();
  return stored(run);
}

const repeat = async (run: runs.Run, from = ''): Promise<runs.Run> =>
  (await rerun(world.ports, run, { ...WHOLE, from })).run;

describe('a repetition of a run', () => {
  test('that does not wait has ended when the request is answered, after one commit and without an execution', async () => {
    const run = await repeat(await ended('states: [{id: a, type: noop, transform: {done: true}}]\n'));
    expect(run).toMatchObject({ status: 'complete', data: { done: true }, seq: 1, machine: '' });
    expect(world.started.size).toBe(0);
  });

  test('from a state is stored once at its first wait, where its execution begins', async () => {
    const run = await repeat(await ended(SENDS_FIRST), 'count');
    expect(run).toMatchObject({ status: 'pending', at: 'nap', seq: 1, executions: 1 });
    expect([...world.started.keys()]).toEqual([run.id]);
    await world.pass();
    expect(await stored(run)).toMatchObject({ status: 'complete', data: { n: 2 }, executions: 1 });
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('from its last state has no execution, although the workflow waits and its first state sends a request', async () => {
    const run = await repeat(await ended(SENDS_FIRST), 'last');
    expect(run).toMatchObject({ status: 'complete', data: { n: 2 }, seq: 1, machine: '' });
    expect(world.started.size).toBe(0);
  });

  test('from a state that sends a request begins in a machine', async () => {
    const run = await repeat(
      await ended(SENDS_FIRST.replace('states:\n', 'states:\n- {id: a, type: noop, transition: send}\n')),
      'send',
    );
    expect(run).toMatchObject({ status: 'pending', step: 0 });
    expect(world.started.size).toBe(1);
    await world.pass();
    expect(await stored(run)).toMatchObject({ status: 'complete', data: { n: 2 } });
  });
});

test('a request that repeats many runs leaves the later ones to machines, when it has run states for some seconds', async () => {
  world = new World(database, { msPerRead: 100 });
  await world.store({ main: 'states: [{id: a, type: noop}]\n' });
  for (let n = 0; n < 20; n += 1) await world.execute('main', '{}');
  world.started.clear();
  const filter = [{ field: 'STATUS', type: 'MATCH', val: 'complete' }];
  const at = world.time.clock.now();
  const request = { limit: 0, offset: 0, order: [], filter };
  const { instances } = await rerunMany(world.ports, world.namespace, {
    ...WHOLE,
    request,
    at,
    dryRun: false,
    limit: 20,
    after: '',
  });
  const ids = instances.map(({ rerun: id = '' }) => id);
  const isStarted = ids.map((id) => world.started.has(id));
  // Those at the front have none, those behind them one.
  expect(isStarted).toEqual([...isStarted].sort());
  expect(new Set(isStarted)).toEqual(new Set([false, true]));
  await world.pass();
  expect((await runs.findMany(world.reliable, ids)).map((run) => run?.status)).toEqual(ids.map(() => 'complete'));
});
