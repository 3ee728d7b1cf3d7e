import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LocalTable } from '../../../../lib/adapters/local/table/table.ts';
import * as jobs from '../../../../lib/domain/instances/jobs.ts';
import * as namespaces from '../../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../../lib/domain/runs/runs.ts';
import { toListRequest } from '../../../../lib/domain/storage/list-requests.ts';
import { createWorkflow } from '../../../../lib/engine/changes/publishing.ts';
import { BY_JOB } from '../../../../lib/engine/delivery/cancellation.ts';
import { cancel } from '../../../../lib/engine/delivery/deliver.ts';
import type { RunnerPorts } from '../../../../lib/engine/ports.ts';
import { advanceAll, createJob, stopJob } from '../../../../lib/engine/requests/bulk/jobs.ts';
import { rerunMany } from '../../../../lib/engine/requests/bulk/rerunning.ts';
import { execute } from '../../../../lib/engine/requests/start/start.ts';
import { MINUTE_MS } from '../../../../lib/time/units.ts';
import { openDatabase } from '../../world/engine-world.ts';
import { MemoryPorts } from '../../world/memory-ports.ts';

const WAITS = 'states: [{id: nap, type: delay, duration: PT1H}]\n';
const FAILS = 'states: [{id: a, type: error, error: my.code, message: broken}]\n';
const HOW = { from: '', revision: 'pinned', repeat: 'failed' } as const;
const ALL = toListRequest({});
const FAILED = toListRequest({
  'filter.field': ['STATUS', 'AS'],
  'filter.type': ['MATCH', 'WORKFLOW'],
  'filter.val': ['failed', 'fails'],
});

let database: LocalTable;
let memory: MemoryPorts;
let ports: RunnerPorts;
let name: string;
let count = 0;

beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

beforeEach(async () => {
  memory = new MemoryPorts();
  ports = { ...memory.ports, table: database.table };
  name = `jobs-${++count}`;
  await namespaces.create(ports, name);
  await createWorkflow(ports, { namespace: name, path: '/waits', source: WAITS });
  await createWorkflow(ports, { namespace: name, path: '/fails', source: FAILS });
});

async function start(path: string, times: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < times; n += 1) {
    memory.now += 1;
    ids.push((await execute(ports, { namespace: name, path, ref: '', input: Buffer.from('{}') })).run.id);
  }
  memory.now += 1;
  return ids;
}
const pendingOf = async (ids: readonly string[]) =>
  (await runs.findMany(ports, ids)).filter((run) => run?.status === 'pending').length;
const newest = async () => {
  const [job] = await jobs.list(ports, (await namespaces.need(ports, name)).id);
  if (job === undefined) throw new Error('there is no job');
  return job;
};
const later = (ms: number) => {
  memory.now += ms;
  return advanceAll(ports, memory.now + MINUTE_MS);
};

/** The ports of a process that is killed after so many writes. */
function killedAfter(writes: number): RunnerPorts {
  let left = writes;
  const write: RunnerPorts['table']['write'] = async (all) => {
    left -= 1;
    if (left < 0) throw new Error('the process was killed');
    return database.table.write(all);
  };
  return { ...ports, table: { ...boundTable(), write } };
}
const boundTable = (): RunnerPorts['table'] => ({
  get: (keys) => database.table.get(keys),
  query: (query) => database.table.query(query),
  write: (all) => database.table.write(all),
});

test.each([3, 4, 7, 12, 14, 20, 30])(
  'a job whose process is killed after %i writes is finished by the next one, with each run once',
  async (writes) => {
    const ids = await start('/waits', 25);
    const order = { action: 'cancel', how: HOW, createdBy: 'ada', request: ALL } as const;
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await createJob(killedAfter(writes), name, order).catch(() => undefined);
    log.mockRestore();
    await later(MINUTE_MS);
    const { state, done } = await newest();
    expect([state, await pendingOf(ids)]).toEqual(['over', 0]);
    // The runs of a part that was cut off are ended, and counted by no one.
    expect(done).toBeGreaterThanOrEqual(15);
    expect(await jobs.open(ports)).toEqual([]);
  },
);

test.each([3, 4, 5, 7, 9, 14, 25])(
  'a job whose process is killed after %i writes counts each run that it repeats, once',
  async (writes) => {
    const ids = await start('/fails', 12);
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const order = { action: 'rerun', how: HOW, createdBy: 'ada', request: FAILED } as const;
    await createJob(killedAfter(writes), name, order).catch(() => undefined);
    log.mockRestore();
    await later(MINUTE_MS);
    expect(await newest()).toMatchObject({ state: 'over', done: 12, skipped: 0 });
    expect((await runs.findMany(ports, ids)).map((run) => run?.reruns?.length)).toEqual(ids.map(() => 1));
  },
);

test('a run that was repeated before its job was created is left as it is', async () => {
  await start('/fails', 2);
  const wanted = { ...HOW, request: FAILED, after: '', patch: [], dryRun: false, limit: 1, at: memory.now };
  await rerunMany(ports, name, wanted);
  memory.now += 1;
  await createJob(ports, name, { action: 'rerun', how: HOW, createdBy: 'ada', request: FAILED });
  expect(await newest()).toMatchObject({ state: 'over', done: 1, skipped: 1 });
});

test('two processes do not work on one job at the same time', async () => {
  await start('/waits', 25);
  const namespace = await namespaces.need(ports, name);
  const wanted = { action: 'cancel', filter: [], how: HOW, createdBy: 'ada', at: memory.now, total: 25 } as const;
  await jobs.create(ports, namespace, wanted);
  await Promise.all([1, 2, 3].map(() => advanceAll(ports, memory.now + MINUTE_MS)));
  expect(await newest()).toMatchObject({ state: 'over', done: 25, skipped: 0 });
});

test('a stopped job changes no further run', async () => {
  const ids = await start('/waits', 5);
  const namespace = await namespaces.need(ports, name);
  const wanted = { action: 'cancel', filter: [], how: HOW, createdBy: 'ada', at: memory.now, total: 5 } as const;
  const { id } = await jobs.create(ports, namespace, wanted);
  await stopJob(ports, name, id);
  await later(MINUTE_MS);
  expect([await pendingOf(ids), (await newest()).state]).toEqual([5, 'stopped']);
});

test('a job that reaches the limit of active runs says so, and goes on when there is room', async () => {
  await start('/fails', 2);
  const [holder = ''] = await start('/waits', 1);
  ports = { ...ports, settings: { ...ports.settings, limits: { activeRuns: 1 } } };
  await createJob(ports, name, { action: 'rerun', how: HOW, createdBy: 'ada', request: FAILED });
  expect(await newest()).toMatchObject({ state: 'running', done: 0, error: expect.stringMatching(/active|limit/) });
  await createJob(ports, name, { action: 'cancel', how: HOW, createdBy: 'ada', request: ALL });
  expect(await pendingOf([holder])).toBe(0);
  ports = { ...ports, settings: memory.ports.settings };
  await later(5 * MINUTE_MS);
  const done = (await jobs.list(ports, (await namespaces.need(ports, name)).id)).find((one) => one.action === 'rerun');
  expect(done).toMatchObject({ state: 'over', done: 2 });
  expect(done?.error).toBeUndefined();
});

describe('a workflow that has no place for the repetition of its run', () => {
  const NARROW = `concurrency: {limit: 1, whenFull: refuse}
states: [{id: a, type: switch, conditions: [{condition: jq(.fails == true), transition: b}], defaultTransition: nap},
  {id: b, type: error, error: my.code, message: broken}, {id: nap, type: delay, duration: PT1H}]
`;
  const ALL_FAILED = toListRequest({
    'filter.field': ['STATUS'],
    'filter.type': ['MATCH'],
    'filter.val': ['failed'],
  });
  const startNarrow = async (input: string) => {
    memory.now += 1;
    return (await execute(ports, { namespace: name, path: '/narrow', ref: '', input: Buffer.from(input) })).run.id;
  };

  beforeEach(() => createWorkflow(ports, { namespace: name, path: '/narrow', source: NARROW }));

  test('does not keep the job from others: it comes back to that run', async () => {
    const failed = await startNarrow('{"fails": true}');
    await start('/fails', 15);
    const holder = await startNarrow('{}');
    memory.now += 1;
    const job = await createJob(ports, name, { action: 'rerun', how: HOW, request: ALL_FAILED, createdBy: 'ada' });
    expect(job).toMatchObject({ state: 'running', done: 15, skipped: 0, held: [failed], createdBy: 'ada' });
    expect(job.error).toContain('/narrow');
    expect(jobs.toRecord(job)).toMatchObject({ held: 1, createdBy: 'ada', waitsUntil: expect.any(String) });
    await later(5 * MINUTE_MS);
    expect(await newest()).toMatchObject({ state: 'running', done: 15, held: [failed] });
    const run = await runs.find(ports, holder);
    if (run === undefined) throw new Error('the run is lost');
    await cancel(ports, run, BY_JOB);
    await later(5 * MINUTE_MS);
    expect(await newest()).toMatchObject({ state: 'over', done: 16, skipped: 0, held: [] });
    expect((await runs.find(ports, failed))?.reruns).toHaveLength(1);
  });

  test.each([1, 2, 3, 4, 5])('counts a held run once when its process is killed after %i writes', async (writes) => {
    const failed = await startNarrow('{"fails": true}');
    const holder = await startNarrow('{}');
    memory.now += 1;
    await createJob(ports, name, { action: 'rerun', how: HOW, request: ALL_FAILED, createdBy: 'ada' });
    const run = await runs.find(ports, holder);
    if (run === undefined) throw new Error('the run is lost');
    await cancel(ports, run, BY_JOB);
    memory.now += 5 * MINUTE_MS;
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await advanceAll(killedAfter(writes), memory.now + MINUTE_MS).catch(() => undefined);
    log.mockRestore();
    await later(5 * MINUTE_MS);
    expect(await newest()).toMatchObject({ state: 'over', done: 1, skipped: 0, held: [] });
    expect((await runs.find(ports, failed))?.reruns).toHaveLength(1);
  });

  test('holds at most a hundred runs, and then lets the job wait for a place', async () => {
    for (let n = 0; n < 103; n += 1) await startNarrow('{"fails": true}');
    const holder = await startNarrow('{}');
    await start('/fails', 1);
    await createJob(ports, name, { action: 'rerun', how: HOW, request: ALL_FAILED, createdBy: 'ada' });
    const waiting = await newest();
    expect([waiting.state, waiting.done, waiting.held.length, waiting.isSearched]).toEqual(['running', 0, 100, false]);
    const run = await runs.find(ports, holder);
    if (run === undefined) throw new Error('the run is lost');
    await cancel(ports, run, BY_JOB);
    await later(5 * MINUTE_MS);
    const { state, done, held } = await newest();
    expect([state, done, held.length]).toEqual(['running', 1, 99]);
  });
});

test('at most ten jobs of a namespace run', async () => {
  const namespace = await namespaces.need(ports, name);
  const wanted = { action: 'cancel', filter: [], how: HOW, createdBy: 'ada', at: memory.now, total: 0 } as const;
  for (let n = 0; n < 10; n += 1) await jobs.create(ports, namespace, wanted);
  await expect(jobs.create(ports, namespace, wanted)).rejects.toThrow('10 jobs of the namespace run');
  await later(MINUTE_MS);
  expect(await jobs.create(ports, namespace, wanted)).toMatchObject({ state: 'running' });
});

test('two repetitions that do not know of each other start one run', async () => {
  const [id = ''] = await start('/fails', 1);
  const wanted = { ...HOW, request: FAILED, after: '', patch: [], dryRun: false, limit: 10 };
  const repeat = async () => {
    memory.now += 1;
    return (await rerunMany(ports, name, { ...wanted, at: memory.now })).instances.find((one) => one.instance === id);
  };
  const first = await repeat();
  const run = await runs.find(ports, id);
  if (run === undefined) throw new Error('the run is lost');
  // As before the first one was noted.
  await runs.setReruns(ports, run, []);
  expect(await repeat()).toMatchObject({ instance: id, rerun: first?.rerun });
});

test('a job leaves a run in its handler that another cancellation has led there', async () => {
  const source = `finally: tidy
states: [{id: nap, type: delay, duration: PT1H}, {id: tidy, type: delay, duration: PT1H}]
`;
  await createWorkflow(ports, { namespace: name, path: '/handled', source });
  const [id = ''] = await start('/handled', 1);
  const stale = await runs.find(ports, id);
  if (stale === undefined) throw new Error('the run is lost');
  await cancel(ports, stale, BY_JOB);
  await cancel(ports, stale, BY_JOB);
  expect(await runs.find(ports, id)).toMatchObject({ status: 'pending', handling: expect.anything() });
});

test('a job without a total is created when its runs are not found within a second', async () => {
  const ids = await start('/waits', 3);
  const slow = {
    ...boundTable(),
    query: async (query: Parameters<RunnerPorts['table']['query']>[0]) => {
      memory.now += 1_500;
      return database.table.query(query);
    },
  };
  const job = await createJob({ ...ports, table: slow }, name, {
    action: 'cancel',
    how: HOW,
    createdBy: 'ada',
    request: ALL,
  });
  expect(job.total).toBeUndefined();
  await later(MINUTE_MS);
  expect([await pendingOf(ids), (await newest()).state]).toEqual([0, 'over']);
});
