import { describe, expect, test } from 'vitest';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { createWorkflow } from '../../../lib/engine/changes/publishing.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { toWaiting } from '../../../lib/engine/inspection/waiting.ts';
import { execute, executeAndWait } from '../../../lib/engine/requests/start/start.ts';
import { CrashedError } from '../world/crashing-ports.ts';
import type { World } from '../world/engine-world.ts';
import { runsOf } from '../world/snapshot.ts';
import { openWorlds } from '../world/worlds.ts';
import { shown } from './admission-world.ts';

const worldWith = openWorlds();

const QUICK = 'states: [{id: a, type: noop, transform: {got: jq(.n)}}]\n';
const debounced = (debounce: string, more = QUICK): string => `debounce: ${debounce}\n${more}`;

const start = async (world: World, input: object, key = ''): Promise<{ id: string; existing: boolean }> => {
  const body = Buffer.from(JSON.stringify(input));
  const invocation = { namespace: world.namespace, path: '/main', ref: '', input: body, ...(key && { key }) };
  const { run, existing } = await world.process.work(() => execute(world.ports, invocation));
  return { id: run.id, existing };
};

async function seconds(world: World, count: number): Promise<void> {
  const end = world.time.clock.now() + count * 1000;
  await world.pass(end);
  world.time.advance(Math.max(end - world.time.clock.now(), 0));
}

async function need(world: World, id: string): Promise<runs.Run> {
  const run = await runs.find(world.reliable, id);
  if (run === undefined) throw new Error(`no run ${id}`);
  return run;
}

describe('a workflow with a debounce', () => {
  test('makes one run of starts that follow each other, with the last input', async () => {
    const world = await worldWith({ main: debounced('{for: PT10S}') });
    const first = await start(world, { n: 1 });
    for (const n of [2, 3, 4]) {
      await seconds(world, 6);
      expect(await start(world, { n })).toEqual({ id: first.id, existing: true });
    }
    expect(first.existing).toBe(false);
    expect(await shown(world)).toEqual(['4 queued']);
    expect(await toWaiting(world.reliable, await need(world, first.id))).toMatchObject({
      held: { workflow: '/main', by: 'debounce', key: '', starts: 4 },
    });
    await seconds(world, 8);
    expect(await shown(world)).toEqual(['4 queued']);
    await seconds(world, 4);
    const ended = await need(world, first.id);
    expect([ended.status, ended.data]).toEqual(['complete', { got: 4 }]);
  });

  test('begins the run after a time, although starts follow', async () => {
    const world = await worldWith({ main: debounced('{for: PT10S, atMost: PT15S}') });
    for (let n = 0; n < 5; n += 1) {
      await start(world, { n });
      await seconds(world, 6);
    }
    await world.pass();
    expect(await shown(world)).toEqual(['2 complete', '4 complete']);
  });

  test('makes a run of each key, and another one of the starts after it has begun', async () => {
    const world = await worldWith({ main: debounced('{for: PT10S, key: jq(.k)}') });
    for (const [n, k] of ['a', 'b', 'a'].entries()) await start(world, { n, k });
    await world.pass();
    await start(world, { n: 3, k: 'a' });
    await world.pass();
    expect(await shown(world)).toEqual(['1 complete', '2 complete', '3 complete']);
  });

  test('lets requests wait for the end of the run that they have joined', async () => {
    const world = await worldWith({ main: debounced('{for: PT10S}') });
    const wait = (n: number) =>
      executeAndWait(world.ports, {
        namespace: world.namespace,
        path: '/main',
        ref: '',
        input: Buffer.from(`{"n":${n}}`),
      });
    const first = wait(1);
    await expect.poll(() => shown(world)).toEqual(['1 queued']);
    const second = wait(2);
    await expect.poll(() => shown(world)).toEqual(['2 queued']);
    await world.pass();
    const replies = await Promise.all([first, second]);
    expect(replies.map(({ run, existing }) => [run.data, existing])).toEqual([
      [{ got: 2 }, false],
      [{ got: 2 }, true],
    ]);
    expect(replies[0]?.run.id).toBe(replies[1]?.run.id);
  });

  test('takes a repeated request once, also when the run has begun', async () => {
    const world = await worldWith({ main: debounced('{for: PT10S}') });
    const { id } = await start(world, { n: 1 }, 'first');
    await start(world, { n: 2 }, 'second');
    expect(await start(world, { n: 1 }, 'first')).toEqual({ id, existing: true });
    expect(await shown(world)).toEqual(['2 queued']);
    await world.pass();
    expect(await start(world, { n: 2 }, 'second')).toEqual({ id, existing: true });
    expect(await shown(world)).toEqual(['2 complete']);
  });

  test('makes one run of events', async () => {
    const world = await worldWith({});
    const source = `start: {type: event, event: {type: go}}\n${debounced('{for: PT10S, key: jq(.go.data.k)}', 'states: [{id: a, type: noop}]\n')}`;
    await createWorkflow(world.ports, { namespace: world.namespace, path: '/byEvent', source });
    const namespace = await namespaces.need(world.reliable, world.namespace);
    for (const id of ['e1', 'e2', 'e3']) {
      await receive(world.ports, namespace, { specversion: '1.0', id, source: 's', type: 'go', data: { k: 'x', id } });
      await world.deliver();
    }
    await world.pass();
    const found = await runsOf(world);
    expect(found.map((run) => [run.status, JSON.parse(Buffer.from(run.input).toString()).go.id])).toEqual([
      ['complete', 'e3'],
    ]);
  });

  test('makes another run after the one that was held back is cancelled', async () => {
    const world = await worldWith({ main: debounced('{for: PT10S}') });
    const { id } = await start(world, { n: 1 });
    await world.process.work(async () => cancel(world.ports, await need(world, id)));
    await start(world, { n: 2 });
    await world.pass();
    expect(await shown(world)).toEqual(['1 failed', '2 complete']);
  });

  test('lets each subflow begin at once', async () => {
    const world = await worldWith({
      kid: debounced('{for: PT10S}'),
      main: `functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: go, type: foreach, array: 'jq([range(3) | {n: .}])', action: {function: kid, input: jq(.)}}]
`,
    });
    await world.execute('main', '{"n": -1}');
    expect(await shown(world)).toEqual(['-1 complete', '0 complete', '1 complete', '2 complete']);
  });

  test('joins starts at the same time one by one', async () => {
    const world = await worldWith({ main: debounced('{for: PT10S}') });
    const begun = await Promise.all(Array.from({ length: 20 }, (_, n) => start(world, { n })));
    expect(new Set(begun.map(({ id }) => id)).size).toBe(1);
    expect((await need(world, begun[0]?.id ?? '')).hold?.starts).toBe(20);
  });

  const KEYS = ['first', 'second', 'third'];
  test.each(['before', 'after'] as const)(
    'takes each start once, if the process crashes %s an operation',
    async (when) => {
      for (let at = 1; ; at += 1) {
        const world = await worldWith({ main: debounced('{for: PT10S}') });
        world.process.crashAt({ at, when });
        const startAll = async () => {
          for (const [n, key] of KEYS.entries()) await start(world, { n }, key);
          await world.pass();
        };
        await startAll().catch((error: unknown) => {
          if (!(error instanceof CrashedError)) throw error;
        });
        const { hasCrashed } = world.process;
        if (hasCrashed) {
          await world.restart();
          await startAll();
        }
        const found = await runsOf(world);
        const starts = found.reduce((sum, { hold }) => sum + (hold?.starts ?? 1), 0);
        expect([at, found.every(({ status }) => status === 'complete'), starts]).toEqual([at, true, KEYS.length]);
        if (!hasCrashed) break;
        expect(at).toBeLessThan(100);
      }
    },
  );

  test('is queued for a place and then counted by the rate', async () => {
    const more =
      'rate: {limit: 1, per: PT30S}\nconcurrency: {limit: 1}\nstates: [{id: nap, type: delay, duration: PT1M}]\n';
    const world = await worldWith({ main: debounced('{for: PT5S}', more) });
    for (const n of [1, 2]) {
      await start(world, { n });
      await seconds(world, 7);
    }
    expect(await shown(world)).toEqual(['1 pending', '2 queued']);
    expect((await runsOf(world)).find(runs.isQueued)?.hold?.by).toBe('debounce');
    await world.pass();
    expect(await shown(world)).toEqual(['1 complete', '2 complete']);
    expect((await runsOf(world)).map(({ hold }) => hold?.by)).toEqual(['rate', 'rate']);
  });
});
