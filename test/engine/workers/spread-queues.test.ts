import { beforeEach, describe, expect, test } from 'vitest';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { grow } from '../../../lib/domain/namespaces/partitions.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import * as spread from '../../../lib/domain/storage/spread.ts';
import type { RunnerPorts } from '../../../lib/engine/ports.ts';
import { failTask, renewLease } from '../../../lib/engine/requests/worker-tasks/ending.ts';
import { listQueues, listTasks } from '../../../lib/engine/requests/worker-tasks/listing.ts';
import { pollTasks } from '../../../lib/engine/requests/worker-tasks/taking.ts';
import { MemoryPorts } from '../world/memory-ports.ts';
import { offeredId, offerTask, takeTasks } from './offers.ts';

let memory: MemoryPorts;
let ports: RunnerPorts;
beforeEach(async () => {
  memory = new MemoryPorts();
  ports = { ...memory.ports, settings: { ...memory.ports.settings, limits: { partitionRows: 300 } } };
  await namespaces.create(ports, 'demo');
});

const home = () => namespaces.need(ports, 'demo');

/** Gives the namespace this number of partitions, and lets them become active. */
async function spreadOver(partitions: number): Promise<void> {
  await grow(ports, await home(), (partitions - 0.5) * 225);
  memory.now += spread.ACTIVATION_MS;
  expect((await home()).spread?.at(-1)?.partitions).toBe(partitions);
}

/** Offers tasks with these priorities, a millisecond after each other. */
async function offer(priorities: readonly number[]): Promise<runs.Run[]> {
  const offered: runs.Run[] = [];
  for (const [n, priority] of priorities.entries()) {
    memory.now += 1;
    offered.push(await offerTask(ports, await home(), n, priority));
  }
  return offered;
}

/** The partition of a task in the index; undefined: it is in none. */
async function partitionOf(id: string): Promise<string | undefined> {
  const [item] = await ports.table.get([keys.run(id)]);
  return item?.['nsBucket'] === undefined ? undefined : String(item['nsBucket']).split('#').slice(1).join('#');
}

const PRIORITIES = Array.from({ length: 60 }, (_, n) => (n * 7) % 5);
const ids = (tasks: readonly { readonly task: string }[]) => tasks.map(({ task }) => task);

const priorityOf = (task: runs.Run): number => (runs.isTask(task) ? task.callee.priority : 0);

test('polls that come at once without waiting take every task that is ready', async () => {
  const offered = await offer(Array.from({ length: 30 }, () => 0));
  const namespace = await home();
  const polls = Array.from({ length: 60 }, () => takeTasks(ports, namespace, 1));
  const taken = (await Promise.all(polls)).flat();
  expect(new Set(ids(taken))).toEqual(new Set(offered.map(({ id }) => id)));
  expect(taken).toHaveLength(30);
});

describe('the tasks of a namespace with 16 partitions', () => {
  test('are in all of them, and each keeps its own while it is leased, renewed and released', async () => {
    await spreadOver(16);
    const offered = await offer(PRIORITIES);
    const begun = await Promise.all(offered.map(({ id }) => partitionOf(id)));
    expect(new Set(begun).size).toBe(16);
    const namespace = await home();
    const tasks = await takeTasks(ports, namespace, 100);
    expect(new Set(ids(tasks))).toEqual(new Set(offered.map(({ id }) => id)));
    for (const { task, lease } of tasks) {
      const holding = { namespace, queue: 'jobs', task, lease };
      await renewLease(ports, holding, 'PT2H');
      await failTask(memory.ports, holding, { code: '', message: '', retry: 'PT1M' });
    }
    expect(await Promise.all(offered.map(({ id }) => partitionOf(id)))).toEqual(begun);
    expect(await takeTasks(ports, namespace, 100)).toEqual([]);
    memory.now += 60_000;
    expect(await takeTasks(ports, namespace, 100)).toHaveLength(offered.length);
  });

  test('are all found by polls that take one each, the first one of its partition each time', async () => {
    await spreadOver(16);
    const offered = await offer(PRIORITIES);
    const ranks = new Map(offered.map((task, n) => [task.id, 1000 * priorityOf(task) - n]));
    const left = new Map<string | undefined, Set<string>>();
    for (const { id } of offered) {
      const pk = await partitionOf(id);
      left.set(pk, (left.get(pk) ?? new Set()).add(id));
    }
    for (const _ of offered) {
      const [taken] = await takeTasks(ports, await home(), 1);
      const own = left.get(await partitionOf(taken?.task ?? ''));
      const best = [...(own ?? [])].sort((a, b) => (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0))[0];
      expect(taken?.task).toBe(best);
      own?.delete(best ?? '');
    }
    expect(await takeTasks(ports, await home(), 1)).toEqual([]);
  });

  test('cost a poll four queries while there are enough, and 18 where there are none', async () => {
    await spreadOver(16);
    let queries = 0;
    const query: RunnerPorts['table']['query'] = (given) => {
      queries += 1;
      return memory.ports.table.query(given);
    };
    const { get, write } = memory.ports.table;
    const counted = {
      ...ports,
      table: { query, get: get.bind(memory.ports.table), write: write.bind(memory.ports.table) },
    };
    await takeTasks(counted, await home(), 1);
    expect(queries).toBe(4 + 14);
    await offer(PRIORITIES);
    queries = 0;
    await takeTasks(counted, await home(), 1);
    expect(queries).toBe(4);
  });

  test('are listed and counted as one queue, those that are ready in their order', async () => {
    await spreadOver(16);
    const offered = await offer(PRIORITIES);
    const namespace = await home();
    await takeTasks(ports, namespace, 10);
    expect(await listQueues(ports, namespace)).toEqual([{ queue: 'jobs', ready: 50, held: 10 }]);
    const { tasks } = await listTasks(ports, namespace, 'jobs');
    expect(tasks).toHaveLength(offered.length);
    const listed = tasks.slice(0, 50).map(({ priority, createdAt }) => [9 - priority, createdAt].join(' '));
    expect(listed).toEqual(listed.toSorted());
    // The premise of the test: a reader that knows only one partition finds a part of the tasks.
    expect((await listTasks(ports, { ...namespace, spread: undefined }, 'jobs')).tasks.length).toBeLessThan(20);
  });
});

/** How many writes of eight polls at once were refused because another poll had taken the task. */
async function lostOfEight(): Promise<number> {
  let lost = 0;
  const { table } = memory.ports;
  const write: typeof table.write = (writes) =>
    table.write(writes).catch((error: unknown) => {
      lost += 1;
      throw error;
    });
  const counted = { ...ports, table: { query: table.query.bind(table), get: table.get.bind(table), write } };
  const namespace = await home();
  const polls = Array.from({ length: 8 }, () => takeTasks(counted, namespace, 1));
  expect(new Set(ids((await Promise.all(polls)).flat())).size).toBe(8);
  return lost;
}

test('eight polls at once compete for the first task of one partition, and seldom in 16', async () => {
  await offer(PRIORITIES);
  const inOne = await lostOfEight();
  await spreadOver(16);
  await offer([...PRIORITIES, ...PRIORITIES]);
  expect(inOne).toBeGreaterThan(7);
  expect(await lostOfEight()).toBeLessThan(inOne / 2);
});

test('in a namespace with two partitions tasks are taken exactly by priority and age', async () => {
  await spreadOver(2);
  const offered = await offer(PRIORITIES);
  const taken: string[] = [];
  for (const _ of offered) taken.push(...ids(await takeTasks(ports, await home(), 1)));
  const order = offered.toSorted((a, b) => priorityOf(b) - priorityOf(a));
  expect(taken).toEqual(order.map(({ id }) => id));
});

test('a task whose hold is over is found behind any number of ready ones', async () => {
  await spreadOver(2);
  const namespace = await home();
  await offer([9]);
  const [first] = await takeTasks(ports, namespace, 1, 'PT1M');
  await offer(Array.from({ length: 100 }, () => 0));
  memory.now += 60_000;
  expect(ids(await takeTasks(ports, namespace, 1))).toEqual([first?.task]);
});

test('tasks that were offered before the namespace had more partitions are taken after that, with their partition', async () => {
  const before = await offer(PRIORITIES.slice(0, 20));
  await spreadOver(16);
  const after = await offer(PRIORITIES.slice(0, 20).map((priority) => priority + 1));
  const taken = await takeTasks(ports, await home(), 100);
  expect(new Set(ids(taken))).toEqual(new Set([...before, ...after].map(({ id }) => id)));
  expect(new Set(await Promise.all(before.map(({ id }) => partitionOf(id))))).toEqual(new Set(['worker-tasks']));
});

test('a poll that waits finds a task in a partition that the namespace has got since it began', async () => {
  const began = Date.now();
  const from = memory.now;
  let jumped = 0;
  const clock = { ...ports.clock, now: () => from + jumped + Date.now() - began };
  const live = { ...ports, clock };
  const poll = { worker: 'w', max: 1, lease: undefined, wait: 'PT1M', deadline: Number.POSITIVE_INFINITY };
  const polled = pollTasks(live, await home(), 'jobs', poll);
  await grow(live, await home(), 8 * 225);
  jumped = spread.ACTIVATION_MS + 1000;
  const at = clock.now();
  const grown = await home();
  let n = 0;
  while (spread.partitionOf(grown, at, offeredId(at, n)) === 0) n += 1;
  const task = await offerTask({ ...live, clock: { ...clock, now: () => at } }, grown, n);
  expect(await partitionOf(task.id)).toMatch(/^worker-tasks#[1-7]$/);
  expect(ids(await polled)).toEqual([task.id]);
});
