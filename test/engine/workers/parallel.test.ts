import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { completeTask, failTask } from '../../../lib/engine/requests/worker-tasks/ending.ts';
import { pollTasks } from '../../../lib/engine/requests/worker-tasks/taking.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** A workflow that gives a task to the workers of two queues at once. */
const both = (mode: 'and' | 'or') => `functions:
- {id: left, type: worker, queue: left}
- {id: right, type: worker, queue: right}
states:
- {id: go, type: parallel, mode: ${mode}, actions: [{function: left, input: 1}, {function: right, input: 2}]}
`;

async function begin(source: string) {
  const world = new World(database);
  worlds.push(world);
  await world.store({ main: source });
  const { id } = await world.execute('main', '{}');
  await world.pass(world.time.clock.now());
  const namespace = await namespaces.need(world.reliable, world.namespace);
  const take = async (queue: string) => {
    const poll = { worker: 'w', max: 1, wait: 'PT0S', deadline: Number.POSITIVE_INFINITY, lease: undefined };
    const [task] = await pollTasks(world.ports, namespace, queue, poll);
    if (task === undefined) throw new Error(`the queue ${queue} has no task`);
    return { namespace, queue, task: task.task, lease: task.lease };
  };
  const pass = () => world.pass(world.time.clock.now());
  const run = async () => (await runsOf(world)).find((one) => one.id === id);
  return { world, take, pass, run };
}

describe('tasks of a parallel state', () => {
  test('are offered at once; all of them complete the state', async () => {
    const { world, take, pass, run } = await begin(both('and'));
    const [left, right] = [await take('left'), await take('right')];
    await completeTask(world.ports, right, 'b');
    await pass();
    expect((await run())?.status).toBe('pending');
    await completeTask(world.ports, left, 'a');
    await pass();
    expect(await run()).toMatchObject({ status: 'complete', data: { return: ['a', 'b'] } });
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('of the mode or: the first that is completed completes the state, and the other ends without an effect', async () => {
    const { world, take, pass, run } = await begin(both('or'));
    const [left, right] = [await take('left'), await take('right')];
    await completeTask(world.ports, right, 'b');
    await pass();
    expect(await run()).toMatchObject({ status: 'complete', data: { return: [null, 'b'] } });
    expect(await completeTask(world.ports, left, 'late')).toMatchObject({ status: 'complete' });
    await pass();
    expect(await run()).toMatchObject({ status: 'complete', data: { return: [null, 'b'] } });
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('of the mode or: a failed one leaves the other, and all that fail, fail the state', async () => {
    const { world, take, pass, run } = await begin(both('or'));
    const [left, right] = [await take('left'), await take('right')];
    const failing = { code: 'busy', message: 'no', retry: undefined };
    await failTask(world.ports, left, failing);
    await pass();
    expect((await run())?.status).toBe('pending');
    await failTask(world.ports, right, failing);
    await pass();
    expect(await run()).toMatchObject({ status: 'failed', code: 'service.parallel.allFailed' });
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('of the mode or: one that no worker has taken when the state is complete stays in its queue', async () => {
    const { world, take, pass, run } = await begin(both('or'));
    await completeTask(world.ports, await take('left'), 'a');
    await pass();
    expect(await run()).toMatchObject({ status: 'complete', data: { return: ['a', null] } });
    expect(await completeTask(world.ports, await take('right'), 'b')).toMatchObject({ status: 'complete' });
  });
});
