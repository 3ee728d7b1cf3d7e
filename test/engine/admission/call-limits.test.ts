import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import type * as runs from '../../../lib/domain/runs/runs.ts';
import { concurrencyShards, isQueued, scopeOwner } from '../../../lib/domain/storage/keys/concurrency-keys.ts';
import { readAll } from '../../../lib/domain/storage/queries.ts';
import { updateWorkflow } from '../../../lib/engine/changes/publishing.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { toWaiting } from '../../../lib/engine/inspection/waiting.ts';
import { ProgrammedLambdas, result } from '../../contract/programmed-lambdas.ts';
import { json, ProgrammedWeb } from '../../contract/programmed-web.ts';
import { openDatabase, World, type WorldOptions } from '../world/engine-world.ts';
import { body, ProgrammedContainers } from '../world/programmed-containers.ts';
import { runsOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());
const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const CALL_MS = 1000;

/** A server that notes the calls at work and the times of their beginnings. Each call takes a second. */
class WeakServer {
  readonly order: string[] = [];
  readonly times: number[] = [];
  most = 0;
  atWork = 0;
  status = 200;
  time: World['time'] | undefined;
  readonly web = new ProgrammedWeb(async ({ url }) => {
    await this.work(url.pathname);
    return json({}, this.status);
  });
  readonly lambdas = new ProgrammedLambdas(async () => {
    await this.work('lambda');
    return result(null);
  });
  readonly containers = new ProgrammedContainers(async () => {
    await this.work('container');
    return body({});
  });

  private async work(name: string): Promise<void> {
    this.atWork += 1;
    this.most = Math.max(this.most, this.atWork);
    this.order.push(name);
    this.times.push(this.time?.clock.now() ?? 0);
    await new Promise<void>((resolve) => this.time?.alarm(CALL_MS, resolve));
    this.atWork -= 1;
  }
}

async function open(sources: Readonly<Record<string, string>>, options: WorldOptions = {}) {
  const server = new WeakServer();
  const { web, lambdas, containers } = server;
  const world = new World(database, { web, lambdas, containers, ...options });
  worlds.push(world);
  server.time = world.time;
  await world.store(sources);
  return { server, world };
}

const bank = (limits: string, id = 'bank'): string =>
  `functions: [{id: ${id}, type: http, url: 'https://bank.test/jq(.n)', ${limits}}]\n`;
const one = (id = 'bank', more = ''): string => `states: [{id: go, type: action, ${more}action: {function: ${id}}}]\n`;
const each = (count: number, more = ''): string =>
  `states: [{id: go, type: foreach, array: 'jq([range(${count}) | {n: .}])', ${more}action: {function: bank}}]\n`;

const statuses = async (world: World): Promise<string[]> =>
  (await runsOf(world)).map(({ path, status, code }) => `${path} ${status}${code === '' ? '' : ` ${code}`}`).sort();

const SHARED = ['bank'];

/** The holders and the queues that are left. */
async function rowsOf(world: World): Promise<string[]> {
  const [{ namespaceId = '' } = {}] = await runsOf(world);
  const shards = SHARED.flatMap((scope) => concurrencyShards(scopeOwner(namespaceId, scope)));
  return (await Promise.all(shards.map((shard) => readAll(world.reliable.table, shard)))).flat().map(({ sk }) => sk);
}

/** Starts a run a millisecond after the one before, whose call has begun or is queued. */
async function start(world: World, path: string, n = 0): Promise<string> {
  world.time.advance(1);
  const { id } = await world.execute(path, JSON.stringify({ n }));
  await world.pass(world.time.clock.now());
  return id;
}

/** On a busy machine a step takes a while. */
const WAIT = { timeout: 10_000 };

describe('a function with a concurrency', () => {
  test('has as many calls at work as may be, of one state', async () => {
    const { server, world } = await open({ main: bank('concurrency: {limit: 2}') + each(20) });
    await start(world, 'main');
    await world.pass();
    expect(await statuses(world)).toEqual(['/main complete']);
    expect([server.most, server.order.length, await rowsOf(world)]).toEqual([2, 20, []]);
  });

  test('shares the places with the functions of its name in other workflows, and of its scope', async () => {
    const limits = 'concurrency: {limit: 1}';
    const { server, world } = await open({
      a: bank(limits) + one(),
      b: bank(limits) + one(),
      c: bank(`${limits}, scope: bank`, 'other') + one('other'),
    });
    for (const path of ['a', 'b', 'c', 'a']) await start(world, path);
    await world.pass();
    expect(await statuses(world)).toEqual(['/a complete', '/a complete', '/b complete', '/c complete']);
    expect([server.most, await rowsOf(world)]).toEqual([1, []]);
  });

  test('has places of its own for each value of the key', async () => {
    const { server, world } = await open({ main: bank("concurrency: {limit: 1, key: 'jq(.n % 3)'}") + each(9) });
    await start(world, 'main');
    await world.pass();
    expect([server.most, server.order.length, await rowsOf(world)]).toEqual([3, 9, []]);
  });

  test('makes the calls of a key in the order of their arrival', async () => {
    const { server, world } = await open({ main: bank('concurrency: {limit: 1}') + one() });
    for (let n = 0; n < 5; n += 1) {
      await start(world, 'main', n);
      const queued = async () => (await rowsOf(world)).filter(isQueued).length;
      await vi.waitFor(async () => expect(server.order.length + (await queued())).toBe(n + 1), WAIT);
    }
    await world.pass();
    expect(server.order).toEqual(['/0', '/1', '/2', '/3', '/4']);
  });
});

const KINDS = [
  ['a lambda', 'type: lambda, function: f'],
  ['a lambda that a machine of its own invokes', 'type: lambda, function: f, timeout: PT10M'],
  ['an http function that takes long', "type: http, url: 'https://bank.test/', timeout: PT5M"],
  ['a container', 'type: knative-workflow, image: example/f'],
] as const;

describe('the limits of', () => {
  test.each(KINDS)('%s', async (_name, fields) => {
    const limits = 'concurrency: {limit: 2}, rate: {limit: 3, per: PT5S}';
    const { server, world } = await open({ main: `functions: [{id: bank, ${fields}, ${limits}}]\n${each(8)}` });
    await start(world, 'main');
    await world.pass();
    expect(await statuses(world)).toEqual(['/main complete']);
    expect([server.most, server.order.length, await rowsOf(world)]).toEqual([2, 8, []]);
    expect(keepsRate(server.times, 3, 5000)).toBe(true);
  });

  test('calls that nothing waits for', async () => {
    const limits = 'concurrency: {limit: 1}';
    const { server, world } = await open({ main: bank(limits) + one('bank', 'async: true, ') });
    for (let n = 0; n < 4; n += 1) await start(world, 'main', n);
    await world.pass();
    expect([server.most, server.order.length, await rowsOf(world)]).toEqual([1, 4, []]);
  });

  test('calls of which the first that succeeds completes its state', async () => {
    const actions = '[{function: bank}, {function: bank}, {function: bank}]';
    const { server, world } = await open({
      main: `${bank('concurrency: {limit: 1}')}states: [{id: go, type: parallel, mode: or, actions: ${actions}}]\n`,
    });
    await start(world, 'main');
    await world.pass();
    expect(await statuses(world)).toEqual(['/main complete']);
    expect([server.most, await rowsOf(world)]).toEqual([1, []]);
  });
});

/** The calls that may begin within a period do: each follows the one `limit` before it by the period. */
const keepsRate = (times: readonly number[], limit: number, perMs: number): boolean =>
  times.toSorted((a, b) => a - b).every((time, n, all) => n < limit || time - (all[n - limit] ?? 0) >= perMs);

describe('a function with a rate', () => {
  test('begins as many calls in a period as may be, of all workflows', async () => {
    const limits = 'rate: {limit: 3, per: PT10S}';
    const { server, world } = await open({ a: bank(limits) + each(7), b: bank(limits) + one() });
    for (const path of ['a', 'b', 'b']) await start(world, path);
    await world.pass();
    expect(await statuses(world)).toEqual(['/a complete', '/b complete', '/b complete']);
    expect([server.times.length, keepsRate(server.times, 3, 10_000)]).toEqual([9, true]);
    expect((server.times.at(-1) ?? 0) - (server.times[0] ?? 0)).toBeLessThan(25_000);
  });

  test('lets a call whose time has come wait for a place too', async () => {
    const limits = 'rate: {limit: 2, per: PT1S}, concurrency: {limit: 1}';
    const { server, world } = await open({ main: bank(limits) + each(6) });
    await start(world, 'main');
    await world.pass();
    expect(await statuses(world)).toEqual(['/main complete']);
    expect([server.most, server.order.length, await rowsOf(world)]).toEqual([1, 6, []]);
  });

  test('begins no call before one that came earlier and is held back to a whole second', async () => {
    const flow = bank('rate: {limit: 2, per: PT10S}') + one();
    const { server, world } = await open({ main: flow, later: flow });
    for (const n of [0, 1]) await start(world, 'main', n);
    await start(world, 'later', 2);
    await vi.waitFor(async () => expect(await openCallsOf(world, '/later')).toMatchObject([{ held: {} }]), WAIT);
    const [first = 0] = server.times;
    // The call before has its time in half a second, and the rate alone would let this one begin now.
    world.time.advance(first + 10_500 - world.time.clock.now());
    await start(world, 'main', 3);
    await world.pass();
    expect([server.order, keepsRate(server.times, 2, 10_000)]).toEqual([['/0', '/1', '/2', '/3'], true]);
  });

  test('counts each attempt of a call', async () => {
    const retried = "action: {function: bank, retries: {max_attempts: 2, delay: PT1S, codes: ['*']}}";
    const { server, world } = await open({
      main: `${bank('rate: {limit: 1, per: PT30S}, concurrency: {limit: 1}')}states: [{id: go, type: action, ${retried}}]\n`,
    });
    server.status = 500;
    await start(world, 'main');
    await world.pass();
    expect(await statuses(world)).toEqual(['/main failed service.retries.exceeded']);
    expect([server.times.length, keepsRate(server.times, 1, 30_000), await rowsOf(world)]).toEqual([3, true, []]);
  });
});

const LIMITS = ['concurrency: {limit: 1, whenFull: refuse}', 'rate: {limit: 1, per: PT10S, whenFull: refuse}'];

describe.each(LIMITS)('a function that refuses calls by %s', (limits) => {
  const caught = 'catch: [{error: service.flow.refused, transition: late}], ';
  const flow = (fields: string, how: string) =>
    `functions: [{id: bank, ${fields}, ${limits}}]\n${one('bank', how).replace(/\]\n$/, '')}, {id: late, type: noop}]\n`;
  const endsOf = async (world: World) =>
    (await runsOf(world)).map((run) => `${run.status} ${run.flow.join(' ')}`).sort();

  test.each(KINDS)('fails the call of %s, which its state catches', async (_name, fields) => {
    const { server, world } = await open({ main: flow(fields, caught) });
    for (let n = 0; n < 3; n += 1) await start(world, 'main', n);
    await world.pass();
    expect(await endsOf(world)).toEqual(['complete go', 'complete go late', 'complete go late']);
    expect([server.order.length, await rowsOf(world)]).toEqual([1, []]);
    world.time.advance(10_000);
    await start(world, 'main');
    await world.pass();
    expect([server.order.length, await rowsOf(world)]).toEqual([2, []]);
  });

  test('makes another attempt of the call', async () => {
    const [, fields] = KINDS[0];
    const retried = flow(fields, '').replace(
      '{function: bank}',
      '{function: bank, retries: {max_attempts: 5, delay: PT4S, codes: [service.flow.refused]}}',
    );
    const { server, world } = await open({ main: retried.replace(', {id: late, type: noop}', '') });
    for (let n = 0; n < 2; n += 1) await start(world, 'main', n);
    await world.pass();
    expect([await endsOf(world), server.order.length]).toEqual([['complete go', 'complete go'], 2]);
  });

  test('lets the next call begin where the process of one was killed', async () => {
    const [, fields] = KINDS[0];
    const { world } = await open({ main: flow(fields, caught) });
    await start(world, 'main');
    world.process.crashAt({ at: 1, when: 'after' });
    await expect(world.execute('main', '{"n": 1}')).rejects.toThrow();
    await world.restart();
    await world.reconcileLater();
    await world.pass();
    expect([(await endsOf(world)).at(0), await rowsOf(world)]).toEqual(['complete go', []]);
  });

  test('goes on after one that it does not wait for', async () => {
    const [, fields] = KINDS[0];
    const { server, world } = await open({ main: flow(fields, `async: true, ${caught}`) });
    for (let n = 0; n < 2; n += 1) await start(world, 'main', n);
    await world.pass();
    expect([await endsOf(world), server.order.length]).toEqual([['complete go', 'complete go'], 1]);
  });
});

const need = async (world: World, path: string): Promise<runs.Run> => {
  const found = (await runsOf(world)).find((run) => run.path === path && run.status === 'pending');
  if (found === undefined) throw new Error(`no pending run of ${path}`);
  return found;
};

const change = (world: World, source: string) =>
  world.process.work(() => updateWorkflow(world.ports, { namespace: world.namespace, path: '/main', source }));

describe('a call that waits for its function', () => {
  test('ends with the time of its state, and leaves the queue', async () => {
    const { server, world } = await open({
      main: bank('concurrency: {limit: 1}') + each(3),
      late: bank('concurrency: {limit: 1}') + one('bank', 'timeout: PT1S, '),
    });
    await start(world, 'main');
    await start(world, 'late');
    await world.pass();
    expect(await statuses(world)).toEqual(['/late failed service.cancels.timeout.soft', '/main complete']);
    expect([server.order.length, await rowsOf(world)]).toEqual([3, []]);
  });

  test('is cancelled with its run, and a call at work gives its place with its run', async () => {
    const limits = bank('concurrency: {limit: 1}');
    const { server, world } = await open({ a: limits + one(), b: limits + one(), c: limits + one() });
    for (const path of ['a', 'b', 'c']) await start(world, path);
    await world.process.work(async () => cancel(world.ports, await need(world, '/b')));
    await world.pass();
    expect(await statuses(world)).toEqual(['/a complete', '/b failed service.cancels.api', '/c complete']);
    expect([server.most, server.order.length, await rowsOf(world)]).toEqual([1, 2, []]);
  });

  test('is shown with the runs whose calls are at work, or with its time', async () => {
    const { world } = await open({
      a: bank('concurrency: {limit: 1}') + one(),
      b: bank('concurrency: {limit: 1}') + one(),
      c: bank('rate: {limit: 1, per: PT1M}', 'slow') + one('slow'),
    });
    const holder = await start(world, 'a');
    await start(world, 'b');
    const queue = { scope: 'bank', key: '', place: 1, heldBy: [holder] };
    const shown = [{ call: 0, status: 'pending', concurrency: queue }];
    await vi.waitFor(async () => expect(await openCallsOf(world, '/b')).toMatchObject(shown), WAIT);
    for (let count = 0; count < 2; count += 1) await start(world, 'c');
    await world.pass(world.time.clock.now() + CALL_MS);
    const held = { scope: 'slow', by: 'rate', key: '', starts: 1 };
    await vi.waitFor(async () => expect(await openCallsOf(world, '/c')).toMatchObject([{ held }]), WAIT);
  });

  test('is recorded with the time for which it waited', async () => {
    const { world } = await open({ main: bank('concurrency: {limit: 1}') + each(3) });
    await start(world, 'main');
    await world.pass();
    const [run] = await runsOf(world);
    const waits = run?.record.steps[0]?.calls?.map(({ queued = 0 }) => Math.round(queued / CALL_MS));
    expect(waits).toHaveLength(3);
    expect(Math.max(...(waits ?? []))).toBeGreaterThanOrEqual(1);
  });

  test('begins at once when the limit is raised by another revision, and no sooner when it is lowered', async () => {
    const { server, world } = await open({ main: bank('concurrency: {limit: 1}') + each(12) });
    await start(world, 'main');
    await world.pass(world.time.clock.now());
    // The first calls of a process take a while, and more so on a busy machine.
    await expect
      .poll(async () => {
        await world.pass(world.time.clock.now());
        return (await rowsOf(world)).length;
      })
      .toBeGreaterThan(4);
    expect(server.atWork).toBe(1);
    await change(world, bank('concurrency: {limit: 4}') + each(12));
    await expect
      .poll(async () => {
        await world.pass(world.time.clock.now());
        return server.atWork;
      })
      .toBe(4);
    await change(world, bank('concurrency: {limit: 2}') + each(12));
    await world.pass(world.time.clock.now() + CALL_MS);
    expect(server.atWork).toBe(2);
    await world.pass();
    expect([await statuses(world), await rowsOf(world)]).toEqual([['/main complete'], []]);
  });

  test('gets the place of a call whose process was killed', async () => {
    const { server, world } = await open({ main: bank('concurrency: {limit: 1}') + one() });
    for (let n = 0; n < 3; n += 1) await start(world, 'main', n);
    // Before the end of the first call is committed.
    world.process.crashAt({ at: 1, when: 'before' });
    await world.pass(world.time.clock.now() + CALL_MS);
    expect(world.process.hasCrashed).toBe(true);
    await world.restart();
    await world.pass();
    expect(await statuses(world)).toEqual(Array.from({ length: 3 }, () => '/main complete'));
    expect([server.most, await rowsOf(world)]).toEqual([1, []]);
  });

  test('goes on where its execution was lost', async () => {
    const { server, world } = await open({
      main: bank('rate: {limit: 1, per: PT1M}, concurrency: {limit: 1}') + each(3),
    });
    await start(world, 'main');
    await world.pass(world.time.clock.now() + CALL_MS);
    await world.restartWithout('executions');
    await world.reconcileLater();
    await world.pass();
    expect([await statuses(world), server.order.length, await rowsOf(world)]).toEqual([['/main complete'], 3, []]);
  });
});

async function openCallsOf(world: World, path: string): Promise<readonly object[]> {
  const { waiting } = (await toWaiting(world.reliable, await need(world, path))) as Awaited<
    ReturnType<typeof toWaiting>
  > & {
    readonly waiting?: { readonly for: { readonly calls?: { readonly open: readonly object[] } } };
  };
  return waiting?.for.calls?.open ?? [];
}
