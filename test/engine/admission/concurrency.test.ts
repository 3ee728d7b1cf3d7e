import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../lib/domain/errors.ts';
import { list } from '../../../lib/domain/instances/instances.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { deleteNode, updateWorkflow } from '../../../lib/engine/changes/publishing.ts';
import { cancel, deliver } from '../../../lib/engine/delivery/deliver.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { toWaiting } from '../../../lib/engine/inspection/waiting.ts';
import { continueAsNew } from '../../../lib/engine/machines/continue-as-new.ts';
import { executeAndWait } from '../../../lib/engine/requests/start/start.ts';
import { CrashedError } from '../world/crashing-ports.ts';
import type { World } from '../world/engine-world.ts';
import { runsOf } from '../world/snapshot.ts';
import { openWorlds } from '../world/worlds.ts';
import { rowsOf, shown } from './admission-world.ts';

const worldWith = openWorlds();

const nap = (concurrency: string, more = ''): string =>
  `concurrency: ${concurrency}\n${more}states: [{id: nap, type: delay, duration: PT10S}]\n`;

/** Starts a run a millisecond after the one before: runs of one time have no order. */
async function start(world: World, input: object, path = 'main'): Promise<string> {
  world.time.advance(1);
  return (await world.execute(path, JSON.stringify(input))).id;
}

const seconds = (world: World, count: number): Promise<void> => world.pass(world.time.clock.now() + count * 1000);

async function need(world: World, id: string): Promise<runs.Run> {
  const run = await runs.find(world.reliable, id);
  if (run === undefined) throw new Error(`no run ${id}`);
  return run;
}

const refusalOf = (starting: Promise<unknown>): Promise<unknown> =>
  starting.then(
    () => 'started',
    (error: unknown) => (error instanceof ServiceError ? [error.code, error.details] : error),
  );

describe('a workflow with a limit', () => {
  test('runs as many as may be and queues the others, which begin in their order', async () => {
    const world = await worldWith({ main: nap('{limit: 2, key: jq(.k)}') });
    for (const [n, k] of ['a', 'a', 'a', 'b', 'a'].entries()) await start(world, { k, n });
    expect(await shown(world)).toEqual(['0 pending', '1 pending', '2 queued', '3 pending', '4 queued']);
    await seconds(world, 11);
    expect(await shown(world)).toEqual(['0 complete', '1 complete', '2 pending', '3 complete', '4 pending']);
    await world.pass();
    expect(await shown(world)).toEqual(['0', '1', '2', '3', '4'].map((n) => `${n} complete`));
    expect(await rowsOf(world)).toEqual([]);
  });

  test('begins queued runs of a higher priority first', async () => {
    const world = await worldWith({ main: nap('{limit: 1}', 'priority: jq(.p // 0)\n') });
    for (const [n, p] of [0, 0, 5, -1, 5].entries()) await start(world, { n, p });
    const order: string[][] = [];
    for (let round = 0; round < 4; round += 1) {
      await seconds(world, 11);
      order.push((await shown(world)).filter((text) => text.endsWith('pending')));
    }
    expect(order.flat()).toEqual(['2 pending', '4 pending', '1 pending', '3 pending']);
  });

  test('counts the time of a run from when it leaves the queue', async () => {
    const world = await worldWith({ main: nap('{limit: 1}', 'timeouts: {kill: PT15S}\n') });
    for (let n = 0; n < 3; n += 1) await start(world, { n });
    await world.pass();
    expect(await shown(world)).toEqual(['0 complete', '1 complete', '2 complete']);
  });

  test('gives the place of a run that is cancelled, and forgets a queued run that is', async () => {
    const world = await worldWith({ main: nap('{limit: 1}') });
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push(await start(world, { n }));
    const [first = '', second = ''] = ids;
    await world.process.work(async () => cancel(world.ports, await need(world, second)));
    expect(await shown(world)).toEqual(['0 pending', '1 failed', '2 queued']);
    await world.process.work(async () => cancel(world.ports, await need(world, first)));
    expect(await shown(world)).toEqual(['0 failed', '1 failed', '2 pending']);
    await world.pass();
    expect(await rowsOf(world)).toEqual([]);
  });

  test('gives a place once, however often the end of a run is delivered', async () => {
    const world = await worldWith({ main: nap('{limit: 1}') });
    const first = await start(world, { n: 0 });
    for (let n = 1; n < 4; n += 1) await start(world, { n });
    await world.process.work(async () => cancel(world.ports, await need(world, first)));
    const ended = await need(world, first);
    await world.process.work(() => Promise.all([1, 2, 3].map(() => deliver(world.ports, ended))));
    expect(await shown(world)).toEqual(['0 failed', '1 pending', '2 queued', '3 queued']);
  });

  test('says the place of a queued run and who has the places', async () => {
    const world = await worldWith({ main: nap('{limit: 1, key: jq(.k)}') });
    const holder = await start(world, { n: 0, k: { a: 1 } });
    await start(world, { n: 1, k: { a: 1 } });
    const queued = await need(world, await start(world, { n: 2, k: { a: 1 } }));
    expect(await toWaiting(world.reliable, queued)).toMatchObject({
      instance: { status: 'pending', queued: true },
      concurrency: { workflow: '/main', key: '{"a":1}', place: 2, heldBy: [holder] },
    });
  });

  test('lists queued runs by their status, and as pending ones', async () => {
    const world = await worldWith({ main: nap('{limit: 1}') });
    for (let n = 0; n < 3; n += 1) await start(world, { n });
    const countOf = async (val: string) => {
      const filter = [{ field: 'STATUS', type: 'MATCH', val }];
      return (await list(world.reliable, world.namespace, { limit: 0, offset: 0, order: [], filter })).pageInfo.total;
    };
    expect(await Promise.all(['queued', 'pending', 'complete'].map(countOf))).toEqual([2, 3, 0]);
  });

  test('gives free places to queued runs at once when the limit is raised, and fewer when it is lowered', async () => {
    const world = await worldWith({ main: nap('{limit: 1}') });
    for (let n = 0; n < 7; n += 1) await start(world, { n });
    const change = (source: string) =>
      world.process.work(() => updateWorkflow(world.ports, { namespace: world.namespace, path: '/main', source }));
    const atWork = async () => (await shown(world)).filter((text) => text.endsWith('pending')).length;
    await change(nap('{limit: 3}'));
    expect(await atWork()).toBe(3);
    await change(nap('{limit: 1}'));
    await seconds(world, 11);
    expect(await atWork()).toBe(1);
    await change('states: [{id: a, type: noop}]\n');
    expect(await atWork()).toBe(4);
  });

  test('ends the queued runs of a workflow that is deleted', async () => {
    const world = await worldWith({ main: nap('{limit: 1}') });
    const first = await start(world, { n: 0 });
    for (let n = 1; n < 3; n += 1) await start(world, { n });
    await world.process.work(() => deleteNode(world.ports, world.namespace, '/main', false));
    await world.process.work(async () => cancel(world.ports, await need(world, first)));
    expect(await shown(world)).toEqual(['0 failed', '1 failed', '2 failed']);
    expect(await rowsOf(world)).toEqual([]);
  });

  test('keeps its place when a run goes on in another execution', async () => {
    const world = await worldWith({ main: nap('{limit: 1}') });
    const [first] = [await start(world, { n: 0 }), await start(world, { n: 1 })];
    await world.process.work(async () => continueAsNew(world.ports, await need(world, first)));
    expect(await shown(world)).toEqual(['0 pending', '1 queued']);
    await world.pass();
    expect(await shown(world)).toEqual(['0 complete', '1 complete']);
  });

  test('lets a request wait for a queued run', async () => {
    const world = await worldWith({ main: nap('{limit: 1}') });
    await start(world, { n: 0 });
    const invocation = { namespace: world.namespace, path: '/main', ref: '', input: Buffer.from('{"n":1}') };
    const waiting = executeAndWait(world.ports, invocation);
    await expect.poll(() => shown(world)).toEqual(['0 pending', '1 queued']);
    await world.pass();
    expect((await waiting).run.status).toBe('complete');
  });

  test('fails a start whose key or priority cannot be evaluated', async () => {
    const world = await worldWith({
      key: nap('{limit: 1, key: jq(.k | error("none"))}'),
      main: nap('{limit: 1}', 'priority: jq(.p)\n'),
    });
    expect(await refusalOf(start(world, { n: 0 }, 'key'))).toEqual(['malformed', {}]);
    expect(await refusalOf(start(world, { n: 1, p: 'high' }))).toEqual(['malformed', {}]);
    expect(await shown(world)).toEqual([]);
  });
});

const CALLING = `functions: [{id: kid, type: subflow, workflow: main}]
states: [{id: go, type: action, action: {function: kid, input: jq(.)}, catch: [{error: '*', transition: late}]}, {id: late, type: noop, transform: 'jq({n: (.n + 100), code: .error.code})'}]
`;

describe('a workflow that does not queue', () => {
  test('refuses a request with the runs that have the places', async () => {
    const world = await worldWith({ main: nap('{limit: 1, whenFull: refuse}') });
    const holder = await start(world, { n: 0 });
    expect(await refusalOf(start(world, { n: 1 }))).toEqual(['too-many', { holders: [holder] }]);
    await world.pass();
    await start(world, { n: 2 });
    expect(await shown(world)).toEqual(['0 complete', '2 pending']);
  });

  test('refuses a subflow and a start by an event with a code', async () => {
    const source = nap('{limit: 1, whenFull: refuse}');
    const byEvent = `start: {type: event, event: {type: go}}\n${nap('{limit: 1, key: same, whenFull: refuse}')}`;
    const world = await worldWith({ main: source, caller: CALLING, byEvent });
    await start(world, { n: 0 });
    const caller = await start(world, { n: 1 }, 'caller');
    await seconds(world, 1);
    expect((await need(world, caller)).data).toMatchObject({ code: 'service.flow.refused' });
    const namespace = await namespaces.need(world.reliable, world.namespace);
    for (const id of ['e1', 'e2']) {
      await receive(world.ports, namespace, { specversion: '1.0', id, source: 'shop', type: 'go' });
    }
    await world.deliver();
    const started = (await runsOf(world)).filter(({ path }) => path === '/byEvent');
    expect(started.map(({ code }) => code).sort()).toEqual(['', 'service.flow.refused']);
  });

  test('fails a run whose input does not fit without a place, with the code of that', async () => {
    const world = await worldWith({
      main: nap('{limit: 1, key: jq(.k)}', 'input: {type: object, required: [k]}\n'),
      caller: CALLING,
    });
    const caller = await start(world, { n: 1 }, 'caller');
    await seconds(world, 1);
    expect((await need(world, caller)).data).toMatchObject({ code: 'service.input.invalid' });
    expect(await rowsOf(world)).toEqual([]);
  });

  test('skips a start, and answers a request with the run that has the place', async () => {
    const world = await worldWith({ main: nap('{limit: 1, whenFull: skip}') });
    const holder = await start(world, { n: 0 });
    expect(await start(world, { n: 1 })).toBe(holder);
    expect(await shown(world)).toEqual(['0 pending']);
  });

  test('cancels the oldest run for the newest one', async () => {
    const world = await worldWith({ main: nap('{limit: 2, whenFull: cancelOldest}') });
    for (let n = 0; n < 5; n += 1) await start(world, { n });
    expect(await shown(world)).toEqual(['0 failed', '1 failed', '2 failed', '3 pending', '4 pending']);
    await world.pass();
    expect(await shown(world)).toEqual(['0 failed', '1 failed', '2 failed', '3 complete', '4 complete']);
    expect(await rowsOf(world)).toEqual([]);
  });

  test('cancels the oldest run also where the process of the newest one crashes', async () => {
    const outcomes = new Set<string>();
    for (let at = 1, hasCrashed = true; hasCrashed; at += 1) {
      const world = await worldWith({ main: nap('{limit: 1, whenFull: cancelOldest}') });
      await start(world, { n: 0 });
      world.process.crashAt({ at, when: 'after' });
      const isStarted = await start(world, { n: 1 }).then(
        () => true,
        (error: unknown) => !(error instanceof CrashedError),
      );
      hasCrashed = !isStarted;
      if (hasCrashed) await world.restart();
      outcomes.add((await shown(world)).join());
    }
    expect([...outcomes]).toEqual(['0 failed,1 pending']);
  });

  test('frees the place of a run whose end was not reported', async () => {
    const world = await worldWith({ main: nap('{limit: 1, whenFull: refuse}') });
    const holder = await need(world, await start(world, { n: 0 }));
    // A process that crashes after the commit.
    await runs.commit(world.reliable, { ...holder, status: 'failed', seq: holder.seq + 1 });
    await start(world, { n: 1 });
    expect(await shown(world)).toEqual(['0 failed', '1 pending']);
  });
});

describe('subflows of a workflow with a limit', () => {
  test.each([
    ['that wait', 'states: [{id: nap, type: delay, duration: PT10S}]'],
    ['that do not wait', 'states: [{id: a, type: noop}]'],
  ])('%s are queued, and their callers wait', async (_name, states) => {
    const world = await worldWith({
      main: `concurrency: {limit: 1}\n${states}\n`,
      holder: CALLING,
      each: `functions: [{id: kid, type: subflow, workflow: main}]
states: [{id: go, type: foreach, array: 'jq([range(4) | {n: .}])', action: {function: kid}}]
`,
    });
    const ids = [await start(world, { n: 10 }, 'each'), await start(world, { n: 20 }, 'each')];
    await world.pass();
    for (const id of ids) expect(await need(world, id)).toMatchObject({ message: '', status: 'complete' });
    expect(await rowsOf(world)).toEqual([]);
  });

  test('leave the queue when their caller is cancelled', async () => {
    const world = await worldWith({ main: nap('{limit: 1}'), caller: CALLING });
    await start(world, { n: 0 });
    const caller = await start(world, { n: 1 }, 'caller');
    await seconds(world, 1);
    await world.process.work(async () => cancel(world.ports, await need(world, caller)));
    expect((await runsOf(world)).map(({ status }) => status).sort()).toEqual(['failed', 'failed', 'pending']);
    await world.pass();
    expect(await rowsOf(world)).toEqual([]);
  });
});
