import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { execute, executeAndWait } from '../../../lib/engine/requests/start/start.ts';
import { ProgrammedWeb } from '../../contract/programmed-web.ts';
import { CrashedError } from '../world/crashing-ports.ts';
import { openDatabase, World, type WorldOptions } from '../world/engine-world.ts';
import { unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
const worlds: World[] = [];

beforeAll(async () => {
  database = await openDatabase();
});
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});
afterAll(() => database.close());

async function worldOf(sources: Readonly<Record<string, string>>, options: WorldOptions = {}): Promise<World> {
  const world = new World(database, options);
  worlds.push(world);
  await world.store(sources);
  return world;
}

const NOOP = 'states: [{id: a, type: noop, transform: {done: true}}]\n';
const NAP = `states:
- {id: a, type: noop, transition: nap}
- {id: nap, type: delay, duration: PT1S, transition: z}
- {id: z, type: noop}
`;
const COUNT = `states:
- {id: a, type: noop, transform: 'jq(.n += 1)', transition: b}
- {id: b, type: switch, conditions: [{condition: 'jq(.n < 200)', transition: a}]}
`;
/** A state with many queries: together they may take any time. */
const SLOW = `states:
- id: a
  type: switch
  conditions:
${Array.from({ length: 400 }, (_, n) => `  - {condition: 'jq(.n == ${n})', transition: b}\n`).join('')}  defaultTransition: b
- {id: b, type: noop}
`;
/** The same after a delay that a timer ends. */
const LATE = SLOW.replace('states:\n', 'states:\n- {id: nap, type: delay, duration: PT2M, transition: a}\n');
const CALL_KID = `functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: go, type: action, action: {function: kid}}]
`;
const CALL = `functions: [{id: f, type: http, url: 'https://api.test'}]
states:
- {id: a, type: noop, transition: call}
- {id: call, type: action, action: {function: f}}
`;

const stored = async (world: World, { id }: runs.Run): Promise<runs.Run> => {
  const run = await runs.find(world.reliable, id);
  if (run === undefined) throw new Error(`no run ${id}`);
  return run;
};

describe('a run that is executed', () => {
  test('and does not wait has ended when the request is answered, after one commit and without an execution', async () => {
    const world = await worldOf({ main: NOOP });
    const run = await world.execute('main', '{}');
    expect(run).toMatchObject({ status: 'complete', data: { done: true }, seq: 1, machine: '' });
    expect(world.started.size).toBe(0);
  });

  test('and waits is stored once, and its execution begins at the wait', async () => {
    const world = await worldOf({ main: NAP });
    const run = await world.execute('main', '{}');
    expect(run).toMatchObject({ status: 'pending', at: 'nap', step: 2, seq: 1, entryWait: 1 });
    const execution = world.executions.describe(run.machine, runs.executionOf(run));
    const step = { run: run.id, resume: 1, with: {}, execution: run.id };
    expect(execution?.input).toEqual({ seconds: 1, step });
    await world.pass();
    const ended = await stored(world, run);
    expect(ended).toMatchObject({ status: 'complete', seq: 2, executions: 1 });
    expect(ended.updated - ended.created).toBeGreaterThanOrEqual(1000);
  });

  test('and computes longer than its budget is continued by a machine where it stands', async () => {
    const world = await worldOf({ main: COUNT }, { msPerRead: 1 });
    const run = await world.execute('main', '{"n": 0}');
    expect(run.status).toBe('pending');
    expect(run.step).toBeGreaterThan(0);
    expect(run.machine).not.toBe('');
    await world.pass();
    expect(await stored(world, run)).toMatchObject({ status: 'complete', data: { n: 200 }, step: 400 });
  });

  test('and whose queries take too long is left to a machine, which has more time', async () => {
    const world = await worldOf({ main: SLOW, kid: SLOW, call: CALL_KID, late: LATE }, { msPerRead: 10 });
    const run = await world.execute('main', '{}');
    expect(run).toMatchObject({ status: 'pending', step: 0, seq: 1 });
    expect(run.machine).not.toBe('');
    const caller = await world.execute('call', '{}');
    const late = await world.execute('late', '{}');
    await world.pass();
    for (const one of [run, caller, late]) expect(await stored(world, one)).toMatchObject({ status: 'complete' });
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('sends no request before it is answered', async () => {
    const web = new ProgrammedWeb();
    const world = await worldOf({ main: CALL }, { web });
    const { requests } = web;
    const during: number[] = [];
    world.process.onCall = (name) => {
      if (name === 'executions.start') during.push(requests.length);
    };
    const run = await world.execute('main', '{}');
    expect([run.status, run.at, run.step, during]).toEqual(['pending', 'call', 2, [0]]);
  });

  test('begins in a machine if the budget is 0', async () => {
    const world = await worldOf({ main: NOOP });
    const settings = { ...world.ports.settings, startBudgetMs: 0 };
    const invocation = { namespace: world.namespace, path: '/main', ref: '', input: Buffer.from('{}') };
    const { run } = await execute({ ...world.ports, settings }, invocation);
    expect(run).toMatchObject({ status: 'pending', step: 0 });
    await world.pass();
    expect(await stored(world, run)).toMatchObject({ status: 'complete' });
  });

  test('is started by the repeated request if the first one crashed before it did so', async () => {
    const world = await worldOf({ main: NAP });
    const invocation = { namespace: world.namespace, path: '/main', ref: '', input: Buffer.from('{}'), key: 'k' };
    world.process.onCall = (name) => {
      if (name === 'executions.start') throw new CrashedError('before the execution is started');
    };
    await expect(execute(world.ports, invocation)).rejects.toThrow(CrashedError);
    expect(world.started.size).toBe(1);
    world.process.onCall = undefined;
    const { run, existing } = await execute(world.ports, invocation);
    expect([run.status, run.step, existing]).toEqual(['pending', 2, true]);
    await world.pass();
    expect(await stored(world, run)).toMatchObject({ status: 'complete', seq: 2 });
  });

  test('and has left its first wait is not begun again by the reconciler', async () => {
    const main = `states:
- {id: nap, type: delay, duration: PT1S, transition: wait}
- {id: wait, type: consumeEvent, event: {type: never}, timeout: PT12H}
`;
    const world = await worldOf({ main });
    const run = await world.execute('main', '{}');
    await world.pass(world.time.clock.now() + 5_000);
    expect(await stored(world, run)).toMatchObject({ status: 'pending', at: 'wait' });
    await world.reconcileLater();
    // A short delay has an execution of its own.
    expect(await stored(world, run)).toMatchObject({ executions: 2 });
    expect([...world.started.keys()]).toEqual([run.id, `${run.id}-2`]);
  });
});

describe('a request that waits for the end of a run', () => {
  test('does not read large data before that', async () => {
    const world = await worldOf({ main: NAP });
    const input = Buffer.from(JSON.stringify({ text: 'x'.repeat(500_000) }));
    const { blobs } = world.ports;
    const reads: string[] = [];
    const ports = {
      ...world.ports,
      blobs: {
        ...blobs,
        get: (key: string) => {
          reads.push(key);
          return blobs.get(key);
        },
      },
    };
    const waiting = executeAndWait(ports, { namespace: world.namespace, path: '/main', ref: '', input });
    // The run is polled several times.
    await sleep(500);
    expect(reads).toEqual([]);
    await world.pass();
    const { run } = await waiting;
    expect(run).toMatchObject({ status: 'complete', data: { text: expect.stringContaining('xxx') } });
    expect(reads.length).toBeGreaterThan(0);
  });
});

describe('a child that waits', () => {
  test('is stored before it is called and at its wait, and has one execution that begins there', async () => {
    const kid = 'states: [{id: nap, type: delay, duration: PT1S}]\n';
    const main = `functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: go, type: action, action: {function: kid}}]
`;
    const world = await worldOf({ kid, main });
    const run = await world.execute('main', '{}');
    await world.pass();
    expect(await stored(world, run)).toMatchObject({ status: 'complete', executions: 1 });
    const child = [...world.started.keys()].find((name) => name !== run.id) ?? '';
    const found = await runs.find(world.reliable, child);
    expect(found).toMatchObject({ status: 'complete', seq: 3, entryWait: 1 });
  });
});
