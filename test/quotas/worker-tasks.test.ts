import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import { grow } from '../../lib/domain/namespaces/partitions.ts';
import { openItems } from '../../lib/domain/storage/open-items.ts';
import { ACTIVATION_MS, partitionsIn } from '../../lib/domain/storage/spread.ts';
import { endedTasksOf } from '../../lib/domain/workers/ended-tasks.ts';
import { depthOf } from '../../lib/domain/workers/queues.ts';
import type { RunnerPorts } from '../../lib/engine/ports.ts';
import { completeTask } from '../../lib/engine/requests/worker-tasks/ending.ts';
import { MINUTE_MS, SECOND_MS } from '../../lib/time/units.ts';
import { offerTask, takeTasks } from '../engine/workers/offers.ts';
import { openDatabase, World } from '../engine/world/engine-world.ts';
import { MemoryPorts } from '../engine/world/memory-ports.ts';
import { runsOf } from '../engine/world/snapshot.ts';
import { OneKeyLimit, ThrottledKeyError } from './one-key-limit.ts';
import { PartitionMeter, WRITE_UNITS_OF_PARTITION } from './partition-meter.ts';

let memory: MemoryPorts;
let meter: PartitionMeter;
let ports: RunnerPorts;
beforeEach(async () => {
  memory = new MemoryPorts();
  meter = new PartitionMeter(() => memory.now);
  const settings = { ...memory.ports.settings, limits: { partitionRows: 300 } };
  ports = { ...memory.ports, table: meter.measure(memory.ports.table), settings };
  await namespaces.create(ports, 'demo');
});

const home = () => namespaces.need(ports, 'demo');

/** Lets the namespace have 16 partitions, and these become active. */
async function growTo16(): Promise<void> {
  await grow(ports, await home(), 5000);
  memory.now += ACTIVATION_MS;
  meter.clear();
}

async function work(count: number): Promise<void> {
  const namespace = await home();
  for (let n = 0; n < count; n += 1) await offerTask(ports, namespace, n);
  for (let left = count; left > 0; ) {
    const tasks = await takeTasks(ports, namespace, 100);
    left -= tasks.length;
    for (const { task, lease } of tasks) {
      await completeTask(ports, { namespace, queue: 'jobs', task, lease }, 'done');
    }
  }
}

describe('2,000 tasks a second that are offered, taken and ended', () => {
  /** The number of tasks that the test offers for a second: their units are scaled up. */
  const SENT = 500;
  const highest = (text: string): number => (2000 / SENT) * meter.highest('writes', text);

  test('in 16 partitions stay below the limit of every key', async () => {
    await growTo16();
    await work(SENT);
    expect(meter.keys('#worker-tasks-ended')).toBe(16);
    expect(meter.keys('#worker-tasks')).toBe(32);
    expect(highest('#worker-tasks')).toBeLessThan(0.7 * WRITE_UNITS_OF_PARTITION);
    expect(highest('#worker-tasks-ended')).toBeLessThan(0.2 * WRITE_UNITS_OF_PARTITION);
  });

  test('in one partition exceed it: four units of one key for each task, and one of another', async () => {
    await work(100);
    expect(meter.highest('writes', '#worker-tasks')).toBe(400);
    expect(meter.highest('writes', '#worker-tasks-ended')).toBe(100);
  });
});

test('the reconciler gives a namespace more partitions for its tasks alone', async () => {
  await work(120);
  memory.now += 5 * MINUTE_MS;
  // 120 tasks in a minute are two a second; the limit is so low in this test.
  const limited = { ...ports, settings: { ...ports.settings, limits: { partitionRows: 2 } } };
  const extent = { visitsAll: false, until: Number.POSITIVE_INFINITY, since: 0, knownUntil: memory.now };
  for await (const items of openItems(limited, endedTasksOf(limited, await home()), extent)) expect(items).toEqual([]);
  expect(partitionsIn((await home()).spread)).toBe(Math.ceil((2 * 2) / (0.75 * 2)));
});

describe('1,500 tasks a second that are offered at once', () => {
  /** A key takes 1,000 units a second; limit and load are a fortieth of the real ones. */
  const PART = 40;
  const SECONDS = 40;

  async function burst(isReporting: boolean) {
    const keys = new OneKeyLimit(WRITE_UNITS_OF_PARTITION / PART, () => memory.now);
    const limited = { ...ports, table: keys.limit(memory.ports.table, isReporting) };
    const perSecond = 1500 / PART;
    let [accepted, lastRefusal] = [0, -1];
    for (let n = 0; n < perSecond * SECONDS; n += 1) {
      await offerTask(limited, await home(), n).then(
        () => {
          accepted += 1;
        },
        (error: unknown) => {
          if (!(error instanceof ThrottledKeyError)) throw error;
          lastRefusal = Math.floor(n / perSecond);
        },
      );
      memory.now += SECOND_MS / perSecond;
    }
    return { accepted, lastRefusal, partitions: partitionsIn((await home()).spread) };
  }

  test('are throttled for 13 seconds at most, and all that were accepted are found', async () => {
    const { accepted, lastRefusal, partitions } = await burst(true);
    expect(lastRefusal).toBeLessThanOrEqual(13);
    expect(partitions).toBe(2);
    expect(await depthOf(ports, await home(), 'jobs')).toEqual({ queue: 'jobs', ready: accepted, held: 0 });
  });

  test('are throttled to the end where the database does not say which key it throttles', async () => {
    const { lastRefusal, partitions } = await burst(false);
    expect([lastRefusal, partitions]).toEqual([SECONDS - 1, 1]);
  });
});

describe('runs that call workers while their namespace grows', () => {
  const TASK =
    'functions: [{id: f, type: worker, queue: jobs}]\nstates: [{id: a, type: action, action: {function: f}, timeout: P1D}]\n';
  let database: LocalTable;
  let world: World;
  beforeAll(async () => {
    database = await openDatabase();
    world = new World(database);
    await world.store({ task: TASK });
  });
  afterAll(async () => {
    await world.close();
    await database.close();
  });

  const place = () => namespaces.need(world.reliable, world.namespace);
  const pass = () => world.pass(world.time.clock.now());
  const statuses = async () => {
    const all = Map.groupBy(await runsOf(world), ({ status }) => status);
    return [...all].map(([status, { length }]) => [status, length]);
  };

  async function begin(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) await world.execute('task', '{}');
    await pass();
  }

  test('are all finished, also where the end of a task was not reported', async () => {
    await begin(10);
    const settings = { ...world.reliable.settings, limits: { partitionRows: 300 } };
    await grow({ ...world.reliable, settings }, await place(), 5000);
    world.time.advance(ACTIVATION_MS);
    await begin(30);
    const namespace = await place();
    const tasks = await takeTasks(world.ports, namespace, 100);
    expect(tasks).toHaveLength(40);
    const fail = () => Promise.reject(new Error('the process has ended'));
    const executions = { ...world.ports.executions, answer: fail, start: fail };
    const crashing = { ...world.ports, settings: { ...world.ports.settings, startBudgetMs: 0 }, executions };
    for (const { task, lease } of tasks) {
      const holding = { namespace, queue: 'jobs', task, lease };
      await expect(completeTask(crashing, holding, 'done')).rejects.toThrow('the process has ended');
    }
    expect(await statuses()).toEqual([['pending', 40]]);
    await world.reconcileLater();
    await pass();
    expect(await statuses()).toEqual([['complete', 40]]);
  });
});
