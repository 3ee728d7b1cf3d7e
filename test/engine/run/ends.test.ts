import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
let world: World;
beforeAll(async () => {
  database = await openDatabase();
});
beforeEach(() => {
  world = new World(database);
});
afterEach(() => world.close());
afterAll(() => database.close());

const KID = 'functions: [{id: kid, type: subflow, workflow: kid}]\n';
const NAP = 'states: [{id: nap, type: delay, duration: PT10S}]\n';
const CALL = `${KID}states:
- {id: go, type: action, action: {function: kid}, catch: [{error: 'service.internal.error', transition: caught}]}
- {id: caught, type: noop}
`;

const soon = (): number => world.time.clock.now() + 2000;

async function of(path: string): Promise<runs.Run> {
  const found = (await runsOf(world)).find((run) => run.path === path);
  if (found === undefined) throw new Error(`there is no run of ${path}`);
  return found;
}

async function stop(run: runs.Run): Promise<void> {
  await world.executions.stop(run.machine, runs.executionOf(run), 'Operator', 'stopped by hand');
}

async function expectNothingLeft(): Promise<void> {
  const found = await runsOf(world);
  expect(found.filter(({ status }) => status === 'pending')).toEqual([]);
  expect(unfinishedOf(world)).toEqual([]);
}

describe('an execution that is stopped by hand', () => {
  test('crashes its instance, and the caller gets the error', async () => {
    await world.store({ kid: NAP, main: CALL });
    await world.execute('main', '{}');
    await world.pass(soon());
    await stop(await of('/kid'));
    await world.pass();
    expect(await of('/kid')).toMatchObject({ status: 'crashed', code: 'service.internal.error' });
    expect(await of('/main')).toMatchObject({
      status: 'complete',
      data: { error: { code: 'service.internal.error' } },
    });
    await expectNothingLeft();
  });

  test('cancels the children that its instance waits for', async () => {
    const mid = `functions: [{id: leaf, type: subflow, workflow: leaf}]
states: [{id: go, type: foreach, array: 'jq([{a: 1}, {a: 2}])', action: {function: leaf}}]
`;
    await world.store({ leaf: NAP, kid: mid, main: CALL });
    await world.execute('main', '{}');
    await world.pass(soon());
    await stop(await of('/kid'));
    await world.pass(soon());
    const leaves = (await runsOf(world)).filter(({ path }) => path === '/leaf');
    expect(leaves.map(({ code }) => code)).toEqual(['service.cancels.parent', 'service.cancels.parent']);
    expect(await of('/main')).toMatchObject({ status: 'complete' });
    await expectNothingLeft();
  });

  test('ends its instance once', async () => {
    await world.store({ main: NAP });
    const run = await world.execute('main', '{}');
    await world.pass(soon());
    await stop(await of('/main'));
    await world.pass();
    expect(world.endings.get(run.id)).toBe(1);
    expect(await of('/main')).toMatchObject({ status: 'crashed' });
  });
});

describe('subflows that call themselves', () => {
  test('are stopped at a depth, and every caller ends', async () => {
    await world.store({
      main: 'functions: [{id: me, type: subflow, workflow: /main}]\nstates: [{id: go, type: action, action: {function: me}}]\n',
    });
    await world.execute('main', '{}');
    await world.pass();
    const found = await runsOf(world);
    expect(found.length).toBe(26);
    expect(new Set(found.map(({ code }) => code))).toEqual(new Set(['service.workflow.invoke']));
    await expectNothingLeft();
  });

  test('are stopped at a depth when each waits first', async () => {
    await world.store({
      main: `functions: [{id: me, type: subflow, workflow: /main}]
states:
- {id: nap, type: delay, duration: PT1S, transition: go}
- {id: go, type: action, action: {function: me}}
`,
    });
    await world.execute('main', '{}');
    await world.pass();
    expect((await runsOf(world)).length).toBe(26);
    await expectNothingLeft();
  });

  test('are stopped at a depth when they are called asynchronously', async () => {
    await world.store({
      main: `functions: [{id: me, type: subflow, workflow: /main}]
states: [{id: go, type: action, async: true, action: {function: me}}]
`,
    });
    await world.execute('main', '{}');
    await world.pass();
    expect((await runsOf(world)).length).toBe(26);
    await expectNothingLeft();
  });
});

test('a child that is being started when its caller times out is cancelled', async () => {
  const main = `${KID}timeouts: {interrupt: PT30S}
states: [{id: go, type: foreach, array: 'jq([range(4) | {n: .}])', action: {function: kid}}]
`;
  const kid = 'timeouts: {interrupt: PT10H}\nstates: [{id: nap, type: delay, duration: PT9H}]\n';
  for (let at = 1; at <= 60; at += 1) {
    const one = new World(database);
    await one.store({ kid, main });
    let calls = 0;
    one.process.onCall = async () => {
      calls += 1;
      // The caller times out during this call.
      if (calls === at) one.time.advance(30_000);
    };
    await one.execute('main', '{}');
    await one.pass();
    const found = await runsOf(one);
    expect(found.filter(({ status }) => status === 'pending').map(({ path, seq }) => ({ at, path, seq }))).toEqual([]);
    expect(unfinishedOf(one)).toEqual([]);
    expect(found.find(({ path }) => path === '/main')?.code).toBe('service.cancels.timeout.soft');
    await one.close();
  }
});

describe('a run whose process crashed after it was stored', () => {
  test('is cancelled by the reconciler after its caller has ended, and not before', async () => {
    await world.store({ kid: NAP, main: CALL });
    await world.execute('main', '{}');
    await world.pass(soon());
    const [main, kid] = [await of('/main'), await of('/kid')];
    const { wait: _, ...rest } = kid;
    const orphan = { ...rest, seq: 1, machine: '', step: 0 };
    const [own, other] = ['019bc186-de00-7000-8000-00000000000a', '019bc186-de00-7000-8000-00000000000b'];
    const parent = { i: 0, k: 0, mode: 'and', until: 0, token: '' } as const;
    await runs.commit(world.reliable, { ...orphan, id: own, parent: { ...parent, id: main.id } });
    await runs.commit(world.reliable, { ...orphan, id: other, parent: { ...parent, id: 'nobody' } });
    world.time.advance(-1000);
    await world.reconcileLater();
    expect(await runs.find(world.reliable, own)).toMatchObject({ status: 'pending' });
    expect(await runs.find(world.reliable, other)).toMatchObject({ status: 'failed', code: 'service.cancels.parent' });
    await world.pass();
    await world.reconcileLater();
    expect(await runs.find(world.reliable, own)).toMatchObject({ status: 'failed', code: 'service.cancels.parent' });
    await expectNothingLeft();
  });

  test('is continued in a machine when a request began it', async () => {
    await world.store({ main: NAP });
    await world.execute('main', '{}');
    await world.pass();
    const { wait: _, ...done } = await of('/main');
    const id = '019bc186-de00-7000-8000-00000000000c';
    await runs.commit(world.reliable, { ...done, id, status: 'pending', seq: 1, machine: '', executions: 0 });
    await world.reconcileLater();
    await world.pass();
    expect(await runs.find(world.reliable, id)).toMatchObject({ status: 'complete' });
    await expectNothingLeft();
  });
});
