import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../lib/domain/errors.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { createWorkflow } from '../../../lib/engine/changes/publishing.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { toWaiting } from '../../../lib/engine/inspection/waiting.ts';
import { execute, executeAndWait } from '../../../lib/engine/requests/start/start.ts';
import type { World } from '../world/engine-world.ts';
import { runsOf } from '../world/snapshot.ts';
import { openWorlds } from '../world/worlds.ts';
import { rowsOf, shown } from './admission-world.ts';

const worldWith = openWorlds();

const QUICK = 'states: [{id: a, type: noop}]\n';
const rated = (rate: string, more = QUICK): string => `rate: ${rate}\n${more}`;

async function start(world: World, input: object, path = 'main'): Promise<string> {
  world.time.advance(1);
  return (await world.execute(path, JSON.stringify(input))).id;
}

async function need(world: World, id: string): Promise<runs.Run> {
  const run = await runs.find(world.reliable, id);
  if (run === undefined) throw new Error(`no run ${id}`);
  return run;
}

/** Milliseconds from the first start to that of each run as the rate counts them, by the number in their input. */
async function beginnings(world: World): Promise<number[]> {
  const found = await runsOf(world);
  const numbered = found.map((run) => ({
    n: Number(JSON.parse(Buffer.from(run.input).toString()).n),
    at: run.hold?.until ?? Number.NaN,
  }));
  const sorted = numbered.sort((a, b) => a.n - b.n);
  const first = sorted[0]?.at ?? 0;
  return sorted.map(({ at }) => at - first);
}

const refusalOf = (starting: Promise<unknown>): Promise<unknown> =>
  starting.then(
    () => 'started',
    (error: unknown) => (error instanceof ServiceError ? [error.code, error.details, error.retryAfter] : error),
  );

describe('a workflow with a rate', () => {
  test('begins as many runs in a period as it may, and the others in their order when the rate allows it', async () => {
    const world = await worldWith({ main: rated('{limit: 2, per: PT10S}') });
    for (let n = 0; n < 6; n += 1) await start(world, { n });
    const QUEUED = ['2 queued', '3 queued', '4 queued', '5 queued'];
    expect(await shown(world)).toEqual(['0 complete', '1 complete', ...QUEUED]);
    await world.pass();
    expect(await shown(world)).toEqual([0, 1, 2, 3, 4, 5].map((n) => `${n} complete`));
    const times = await beginnings(world);
    expect(times.every((time, n) => n < 2 || time - (times[n - 2] ?? 0) >= 10_000)).toBe(true);
    expect(times.every((time, n) => n < 2 || time - (times[n - 2] ?? 0) < 12_000)).toBe(true);
  });

  test('counts the starts of each key apart', async () => {
    const world = await worldWith({ main: rated('{limit: 1, per: PT1M, key: jq(.k)}') });
    for (const [n, k] of ['a', 'b', 'a'].entries()) await start(world, { n, k });
    expect(await shown(world)).toEqual(['0 complete', '1 complete', '2 queued']);
  });

  test('begins runs at once again after the period', async () => {
    const world = await worldWith({ main: rated('{limit: 2, per: PT10S}') });
    for (let n = 0; n < 2; n += 1) await start(world, { n });
    world.time.advance(10_000);
    for (let n = 2; n < 4; n += 1) await start(world, { n });
    expect(await shown(world)).toEqual(['0 complete', '1 complete', '2 complete', '3 complete']);
  });

  test('lets a request wait for a run that is held back, and says until when it is', async () => {
    const world = await worldWith({ main: rated('{limit: 1, per: PT10S, key: jq(.k)}') });
    await start(world, { n: 0, k: 'x' });
    const invocation = { namespace: world.namespace, path: '/main', ref: '', input: Buffer.from('{"n":1,"k":"x"}') };
    const waited = executeAndWait(world.ports, invocation);
    await expect.poll(() => shown(world)).toEqual(['0 complete', '1 queued']);
    await world.pass();
    const { run } = await waited;
    expect(run.status).toBe('complete');
    const held = await need(world, await start(world, { n: 2, k: 'x' }));
    expect(await toWaiting(world.reliable, held)).toMatchObject({
      instance: { status: 'pending', queued: true },
      held: { workflow: '/main', by: 'rate', key: 'x', until: expect.stringMatching(/:\d\d\.?0*Z$/) },
    });
  });

  test('forgets a run that is cancelled before it begins', async () => {
    const world = await worldWith({ main: rated('{limit: 1, per: PT10S}') });
    await start(world, { n: 0 });
    const held = await start(world, { n: 1 });
    await world.process.work(async () => cancel(world.ports, await need(world, held)));
    await world.pass();
    expect(await shown(world)).toEqual(['0 complete', '1 failed']);
    expect((await need(world, held)).flow).toEqual([]);
  });

  test('refuses a request with the seconds after which it may come again, and stores nothing', async () => {
    const world = await worldWith({ main: rated('{limit: 1, per: PT10S, whenFull: refuse}') });
    const first = await start(world, { n: 0 });
    expect(await refusalOf(start(world, { n: 1 }))).toEqual(['too-many', { holders: [first] }, expect.any(Number)]);
    expect(await shown(world)).toEqual(['0 complete']);
  });

  test('gives a request that is skipped the run that was started last', async () => {
    const world = await worldWith({ main: rated('{limit: 1, per: PT10S, whenFull: skip}') });
    const first = await start(world, { n: 0 });
    const invocation = { namespace: world.namespace, path: '/main', ref: '', input: Buffer.from('{"n":1}') };
    const { run, existing } = await world.process.work(() => execute(world.ports, invocation));
    expect([run.id, existing]).toEqual([first, true]);
  });

  test('holds runs back that events start, and stores those that it refuses as failed', async () => {
    const byEvent = 'start: {type: event, event: {type: go}}\n';
    const world = await worldWith({});
    const sources = {
      '/queues': byEvent + rated('{limit: 1, per: PT10S}'),
      '/refuses': byEvent + rated('{limit: 1, per: PT10S, whenFull: refuse}'),
    };
    for (const [path, source] of Object.entries(sources)) {
      await createWorkflow(world.ports, { namespace: world.namespace, path, source });
    }
    const namespace = await namespaces.need(world.reliable, world.namespace);
    for (const id of ['e1', 'e2']) {
      const event = { specversion: '1.0', id, source: 's', type: 'go' };
      await receive(world.ports, namespace, event);
      await world.deliver();
    }
    const statuses = async () =>
      (await runsOf(world))
        .map((run) => `${run.path} ${runs.isQueued(run) ? 'queued' : run.status} ${run.code}`)
        .sort();
    const REFUSALS = ['/refuses complete ', '/refuses failed service.flow.refused'];
    expect(await statuses()).toEqual(['/queues complete ', '/queues queued ', ...REFUSALS]);
    await world.pass();
    expect(await statuses()).toEqual(['/queues complete ', '/queues complete ', ...REFUSALS]);
  });

  test('holds subflows back, whose caller waits', async () => {
    const world = await worldWith({
      kid: rated('{limit: 1, per: PT10S}'),
      main: `functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: go, type: foreach, array: 'jq([range(3) | {n: .}])', action: {function: kid, input: jq(.)}}]
`,
    });
    await world.execute('main', '{"n": -1}');
    await world.pass();
    expect(await shown(world)).toEqual(['-1 complete', '0 complete', '1 complete', '2 complete']);
    expect((await need(world, (await runsOf(world)).find(({ path }) => path === '/main')?.id ?? '')).status).toBe(
      'complete',
    );
  });

  test.each([
    ['catches that', '', { n: 101 }],
    ['does not wait', ', async: true', { n: 1 }],
  ])('fails a subflow that it refuses, whose caller %s', async (_, how, data) => {
    const world = await worldWith({
      kid: rated('{limit: 1, per: PT10S, whenFull: refuse}'),
      main: `functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: go, type: action${how}, action: {function: kid, input: jq(.)}, catch: [{error: service.flow.refused, transition: late}], transform: 'jq({n})'}, {id: late, type: noop, transform: 'jq({n: (.n + 100)})'}]
`,
    });
    await start(world, { n: 0 }, 'kid');
    const caller = await start(world, { n: 1 });
    await world.pass();
    expect(await need(world, caller)).toMatchObject({ status: 'complete', data });
    const kids = (await runsOf(world)).filter(({ path }) => path === '/kid');
    expect(kids.map(({ code }) => code).sort()).toEqual(['', 'service.flow.refused']);
  });

  test('counts a run when it gets a place', async () => {
    const nap = 'concurrency: {limit: 1}\nstates: [{id: nap, type: delay, duration: PT30S}]\n';
    const world = await worldWith({ main: rated('{limit: 1, per: PT10S}', nap) });
    for (let n = 0; n < 3; n += 1) await start(world, { n });
    await world.pass();
    expect(await shown(world)).toEqual(['0 complete', '1 complete', '2 complete']);
    const times = await beginnings(world);
    expect(times.map((time) => Math.floor(time / 10_000))).toEqual([0, 3, 6]);
    expect(await rowsOf(world)).toEqual([]);
  });

  test('holds a run back in its place, which the next one gets if that is cancelled', async () => {
    const nap = 'concurrency: {limit: 2}\nstates: [{id: nap, type: delay, duration: PT1S}]\n';
    const world = await worldWith({ main: rated('{limit: 1, per: PT10S}', nap) });
    const [, held = '', queued = ''] = [
      await start(world, { n: 0 }),
      await start(world, { n: 1 }),
      await start(world, { n: 2 }),
    ];
    const waiting = async (id: string) => toWaiting(world.reliable, await need(world, id));
    expect(await waiting(held)).toMatchObject({ held: { by: 'rate', workflow: '/main' } });
    expect(await waiting(queued)).toMatchObject({ concurrency: { place: 1, heldBy: [expect.anything(), held] } });
    await world.process.work(async () => cancel(world.ports, await need(world, held)));
    expect(await waiting(queued)).toMatchObject({ held: { by: 'rate', workflow: '/main' } });
    await world.pass();
    expect(await shown(world)).toEqual(['0 complete', '1 failed', '2 complete']);
    expect(await rowsOf(world)).toEqual([]);
  });

  test('fails a run that was held back and finds no place, where its workflow does not queue for one', async () => {
    const nap = 'concurrency: {limit: 1, whenFull: refuse}\nstates: [{id: nap, type: delay, duration: PT30S}]\n';
    const world = await worldWith({ main: rated('{limit: 1, per: PT10S, key: jq(.k)}', nap) });
    for (let n = 0; n < 2; n += 1) await start(world, { n, k: 'a' });
    await world.pass();
    expect(await shown(world)).toEqual(['0 complete', '1 failed']);
    expect((await runsOf(world)).find(({ status }) => status === 'failed')?.code).toBe('service.flow.refused');
  });

  test('counts the time of a run from when it begins', async () => {
    const nap = 'timeouts: {kill: PT15S}\nstates: [{id: nap, type: delay, duration: PT10S}]\n';
    const world = await worldWith({ main: rated('{limit: 1, per: PT1M}', nap) });
    for (let n = 0; n < 3; n += 1) await start(world, { n });
    await world.pass();
    expect(await shown(world)).toEqual(['0 complete', '1 complete', '2 complete']);
  });

  test('begins a run whose execution was lost', async () => {
    const world = await worldWith({ main: rated('{limit: 1, per: PT1H}') });
    for (let n = 0; n < 2; n += 1) await start(world, { n });
    await world.restartWithout('executions');
    await world.reconcileLater();
    await world.pass();
    expect(await shown(world)).toEqual(['0 complete', '1 complete']);
    expect((await beginnings(world))[1]).toBeGreaterThanOrEqual(3_600_000);
  });

  test('counts starts at the same time one by one', async () => {
    const world = await worldWith({ main: rated('{limit: 3, per: PT10S}') });
    const inputs = Array.from({ length: 20 }, (_, n) => JSON.stringify({ n }));
    await Promise.all(inputs.map((input) => world.execute('main', input)));
    await world.pass();
    const times = (await beginnings(world)).sort((a, b) => a - b);
    expect(times).toHaveLength(20);
    expect(times.every((time, n) => n < 3 || time - (times[n - 3] ?? 0) >= 10_000)).toBe(true);
  });
});
