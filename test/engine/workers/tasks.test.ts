import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as secrets from '../../../lib/domain/credentials/secrets.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { toWaiting } from '../../../lib/engine/inspection/waiting.ts';
import { completeTask, failTask, type Holding, renewLease } from '../../../lib/engine/requests/worker-tasks/ending.ts';
import { listQueues, listTasks } from '../../../lib/engine/requests/worker-tasks/listing.ts';
import { pollTasks } from '../../../lib/engine/requests/worker-tasks/taking.ts';
import { CrashedError } from '../world/crashing-ports.ts';
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

const actionOf = (action: string, state = '', fields = '') => `functions:
- {id: work, type: worker, queue: jobs${fields}}
states:
- {id: go, type: action, action: {function: work${action}}, catch: [{error: '*', transition: caught}]${state}}
- {id: caught, type: noop}
`;

/** The requests of workers in a world. */
class Queue {
  readonly world: World;
  private home: namespaces.Namespace | undefined;
  constructor(world: World) {
    this.world = world;
  }

  private async place() {
    this.home ??= await namespaces.need(this.world.reliable, this.world.namespace);
    return { namespace: this.home, queue: 'jobs' };
  }

  async poll(max = 10, worker = 'w', lease?: string) {
    const { namespace, queue } = await this.place();
    const request = { worker, max, lease, wait: 'PT0S', deadline: Number.POSITIVE_INFINITY };
    return pollTasks(this.world.ports, namespace, queue, request);
  }

  async complete({ task, lease }: { task: string; lease: string }, output: unknown = {}) {
    const done = await completeTask(this.world.ports, { ...(await this.place()), task, lease }, output);
    await this.world.pass(this.now);
    return done;
  }

  async fail({ task, lease }: { task: string; lease: string }, code: string, retry?: string) {
    const failing = { code, message: 'no', retry };
    const done = await failTask(this.world.ports, { ...(await this.place()), task, lease }, failing);
    await this.world.pass(this.now);
    return done;
  }

  async renew({ task, lease }: { task: string; lease: string }, duration?: string) {
    return renewLease(this.world.ports, { ...(await this.place()), task, lease }, duration);
  }

  /** Ends a task, without any other work. */
  async send<T>(
    end: (ports: World['ports'], holding: Holding, ending: T) => Promise<unknown>,
    { task, lease }: { task: string; lease: string },
    ending: T,
  ) {
    const holding = { ...(await this.place()), task, lease };
    return this.world.process.work(() => end(this.world.ports, holding, ending));
  }

  async list() {
    return listTasks(this.world.reliable, (await this.place()).namespace, 'jobs');
  }

  async depth() {
    return listQueues(this.world.reliable, (await this.place()).namespace);
  }

  get now(): number {
    return this.world.time.clock.now();
  }
}

/** A world whose workflow runs until its tasks are offered. */
async function begin(source: string, input: unknown = {}, others: Readonly<Record<string, string>> = {}) {
  const world = new World(database);
  worlds.push(world);
  await world.store({ main: source, ...others });
  const queue = new Queue(world);
  const { id } = await world.execute('main', JSON.stringify(input));
  await world.pass(queue.now);
  const run = async () => (await runsOf(world)).find((one) => one.id === id) as runs.Run;
  return { world, queue, run, id };
}

type Task = Awaited<ReturnType<Queue['poll']>>[number];
const only = (tasks: readonly Task[]): Task => {
  expect(tasks).toHaveLength(1);
  return tasks[0] as Task;
};

describe('a task of a worker', () => {
  test('is taken with its input, and its result is what the action returns', async () => {
    const { queue, run, id } = await begin(actionOf(', input: {n: jq(.n)}'), { n: 7 });
    const task = only(await queue.poll());
    expect(task).toMatchObject({ input: { n: 7 }, instance: id, workflow: '/main', state: 'go', attempt: 0, taken: 1 });
    expect(await queue.complete(task, { label: 'cat' })).toEqual({ task: task.task, status: 'complete' });
    const { status, data } = await run();
    expect([status, data['return']]).toEqual(['complete', { label: 'cat' }]);
    expect(unfinishedOf(queue.world)).toEqual([]);
  });

  test.each([null, 'text', 5, [1], true])('may return %j', async (output) => {
    const { queue, run } = await begin(actionOf(''));
    await queue.complete(only(await queue.poll()), output);
    expect((await run()).data['return']).toEqual(output);
  });

  test('is held by one worker until its lease is over, then offered again', async () => {
    const { queue, world } = await begin(actionOf('', '', ', lease: PT1M'));
    const first = only(await queue.poll());
    expect(await queue.poll()).toEqual([]);
    world.time.advance(59_000);
    expect(await queue.poll()).toEqual([]);
    world.time.advance(1_000);
    const second = only(await queue.poll());
    expect([second.task, second.taken, second.lease === first.lease]).toEqual([first.task, 2, false]);
    await expect(queue.complete(first)).rejects.toMatchObject({ code: 'conflict' });
    await expect(queue.renew(first)).rejects.toMatchObject({ code: 'conflict' });
    await queue.complete(second, { by: 2 });
  });

  test('has exactly one end: the same request repeated gets the same reply, any other is refused', async () => {
    const { queue, run } = await begin(actionOf(''));
    const task = only(await queue.poll());
    const reply = await queue.complete(task, 1);
    expect(await queue.complete(task, 2)).toEqual(reply);
    await expect(queue.fail(task, 'late')).rejects.toMatchObject({ code: 'conflict' });
    expect((await run()).data['return']).toBe(1);
  });

  test('is kept by its worker after the lease as long as no other takes it', async () => {
    const { queue, world, run } = await begin(actionOf('', '', ', lease: PT1S'));
    const task = only(await queue.poll());
    world.time.advance(5_000);
    await queue.complete(task, 1);
    expect((await run()).data['return']).toBe(1);
  });

  test('is kept longer by a heartbeat', async () => {
    const { queue, world } = await begin(actionOf('', '', ', lease: PT1M'));
    const task = only(await queue.poll());
    world.time.advance(50_000);
    await queue.renew(task);
    world.time.advance(50_000);
    expect(await queue.poll()).toEqual([]);
    await queue.renew(task, 'PT10M');
    world.time.advance(500_000);
    expect(await queue.poll()).toEqual([]);
  });

  test('fails the call with the code of the worker, which a catch finds', async () => {
    const { queue, run } = await begin(actionOf(''));
    await queue.fail(only(await queue.poll()), 'image.unreadable');
    const { status, data } = await run();
    expect([status, data['error']]).toEqual(['complete', { code: 'image.unreadable', msg: 'no' }]);
  });

  test('has a code of Weft when the worker gives none', async () => {
    const { queue, run } = await begin(actionOf(''));
    await queue.fail(only(await queue.poll()), '');
    expect((await run()).data['error']).toEqual({ code: 'service.worker.failed', msg: 'no' });
  });

  test('is offered again after a time when the worker asks for that', async () => {
    const { queue, world } = await begin(actionOf(''));
    const task = only(await queue.poll());
    expect(await queue.fail(task, '', 'PT30S')).toEqual({ task: task.task, status: 'offered' });
    expect(await queue.poll()).toEqual([]);
    expect((await queue.list()).tasks[0]?.status).toBe('delayed');
    world.time.advance(30_000);
    expect(only(await queue.poll()).taken).toBe(2);
  });

  test('is retried as the workflow says, with the same idempotency key and the element as data', async () => {
    const retries = 'retries: {max_attempts: 1, delay: PT1S, codes: [busy]}';
    const source = `functions: [{id: work, type: worker, queue: jobs}]
states:
- {id: go, type: foreach, array: 'jq([{n: 1}, {n: 2}])', action: {function: work, input: {twice: jq(.n * 2)}, ${retries}}}
`;
    const { queue, world, run } = await begin(source);
    const tasks = await queue.poll();
    expect(tasks.map(({ input }) => input)).toEqual(expect.arrayContaining([{ twice: 2 }, { twice: 4 }]));
    const failed = tasks.find(({ input }) => (input as { twice: number }).twice === 4) as Task;
    await queue.fail(failed, 'busy');
    await world.pass(queue.now + 2_000);
    const again = only(await queue.poll());
    expect([again.input, again.attempt, again.key]).toEqual([{ twice: 4 }, 1, failed.key]);
    await queue.complete(again, 'b');
    await queue.complete(tasks.find((one) => one !== failed) as Task, 'a');
    expect((await run()).data['return']).toEqual(['a', 'b']);
  });

  test('of a higher priority is taken first, then the older one', async () => {
    const source = `functions: [{id: work, type: worker, queue: jobs, priority: jq(.p)}]
states:
- {id: go, type: foreach, array: 'jq([{p: 0}, {p: true}, {p: 5}, {p: -3}])', action: {function: work, input: jq(.p)}}
`;
    const { queue } = await begin(source);
    const order: unknown[] = [];
    for (let i = 0; i < 4; i += 1) order.push(only(await queue.poll(1)).input);
    expect(order).toEqual([5, true, 0, -3]);
  });

  test('gets the secrets that the action lists, and is stored encrypted', async () => {
    const world = new World(database);
    worlds.push(world);
    await world.store({ main: actionOf(', input: {key: jq(.secrets.KEY)}, secrets: [KEY]') });
    const namespace = await namespaces.need(world.reliable, world.namespace);
    await secrets.set(world.reliable, namespace, 'KEY', Buffer.from('hush-hush'));
    await world.execute('main', '{}');
    const queue = new Queue(world);
    await world.pass(queue.now);
    const task = only(await queue.poll());
    expect(task.input).toEqual({ key: 'hush-hush' });
    const stored = await runs.find(world.reliable, task.task);
    expect(Buffer.from(stored?.input ?? []).toString('latin1')).not.toContain('hush-hush');
  });

  test('leaves the queue when its run is cancelled or its state times out', async () => {
    const { queue, world, run } = await begin(actionOf('', ', timeout: PT1M'));
    const task = only(await queue.poll());
    await world.pass(queue.now + 61_000);
    expect((await run()).data['error']).toMatchObject({ code: 'service.cancels.timeout.soft' });
    await expect(queue.complete(task)).rejects.toMatchObject({ code: 'conflict' });
    expect(await queue.depth()).toEqual([]);
    const other = await begin(actionOf(''));
    await cancel(other.world.ports, await other.run());
    expect(await other.queue.poll()).toEqual([]);
  });

  test('of an asynchronous action is offered, and nothing waits for it', async () => {
    const { queue, run } = await begin(actionOf('', ', async: true'));
    expect((await run()).status).toBe('complete');
    await queue.complete(only(await queue.poll()));
    expect(await queue.depth()).toEqual([]);
  });

  test('is shown by the list, the depth, and what the run waits for', async () => {
    const { queue, world, run, id } = await begin(actionOf('', '', ', priority: 3'));
    expect(await queue.depth()).toEqual([{ queue: 'jobs', ready: 1, held: 0 }]);
    const task = only(await queue.poll(1, 'laptop'));
    expect(await queue.depth()).toEqual([{ queue: 'jobs', ready: 0, held: 1 }]);
    const shown = { status: 'leased', worker: 'laptop', leaseUntil: task.leaseUntil, taken: 1 };
    expect(await queue.list()).toMatchObject({
      ready: 0,
      held: 1,
      tasks: [{ task: task.task, instance: id, ...shown }],
    });
    const waiting = await toWaiting(world.reliable, await run());
    expect(waiting).toMatchObject({ waiting: { for: { calls: { open: [{ worker: { queue: 'jobs', ...shown } }] } } } });
  });

  test.each([`queue: 'jq("a b")'`, 'queue: jobs, priority: "jq(1.5)"', 'queue: jobs, lease: "jq(3)"'])(
    'that is not valid fails the state: %s',
    async (fields) => {
      const { run, queue } = await begin(actionOf('').replace('queue: jobs', fields));
      await queue.world.pass();
      expect((await run()).data['error']).toMatchObject({ code: 'service.worker.task' });
    },
  );

  test('is unknown to another queue, and to another namespace', async () => {
    const { queue, world } = await begin(actionOf(''));
    const task = only(await queue.poll());
    const namespace = await namespaces.need(world.reliable, world.namespace);
    const holding = { namespace, queue: 'other', task: task.task, lease: task.lease };
    await expect(completeTask(world.ports, holding, {})).rejects.toMatchObject({ code: 'not-found' });
    const elsewhere = { ...holding, queue: 'jobs', namespace: { ...namespace, id: 'x' } };
    await expect(completeTask(world.ports, elsewhere, {})).rejects.toMatchObject({ code: 'not-found' });
  });

  test('goes to one of many workers that poll at once', async () => {
    const source = `functions: [{id: work, type: worker, queue: jobs}]
states:
- {id: go, type: foreach, array: 'jq([range(30) | {n: .}])', action: {function: work}}
`;
    const { queue, run } = await begin(source);
    const polls = await Promise.all(Array.from({ length: 8 }, () => queue.poll(10)));
    const taken = polls.flat();
    expect(new Set(taken.map(({ task }) => task)).size).toBe(taken.length);
    const rest = await queue.poll(100);
    expect(taken.length + rest.length).toBe(30);
    for (const task of [...taken, ...rest]) await queue.complete(task, (task.input as { n: number }).n);
    expect((await run()).data['return']).toEqual(Array.from({ length: 30 }, (_, n) => n));
  });

  test('whose end was committed and not reported is reported by the reconciler', async () => {
    const { queue, world, run } = await begin(actionOf('', ', timeout: P1D'));
    const { task, lease } = only(await queue.poll());
    const namespace = await namespaces.need(world.reliable, world.namespace);
    const fail = () => Promise.reject(new Error('the process has ended'));
    const executions = { ...world.ports.executions, answer: fail, start: fail };
    const holding = { namespace, queue: 'jobs', task, lease };
    const settings = { ...world.ports.settings, startBudgetMs: 0 };
    await expect(completeTask({ ...world.ports, settings, executions }, holding, 'done')).rejects.toThrow(
      'the process has ended',
    );
    await world.pass(queue.now);
    expect((await run()).status).toBe('pending');
    await world.reconcileLater();
    await world.pass(queue.now);
    expect((await run()).data['return']).toBe('done');
  });

  /** A run that waits for a subflow, which waits for a worker and then goes on. */
  const beginNested = () => {
    const kid = `functions: [{id: work, type: worker, queue: jobs}]
states:
- {id: go, type: action, action: {function: work}, transition: after, catch: [{error: busy, transition: after}]}
- {id: after, type: noop, transform: 'jq({got: (.return // .error.code)})'}
`;
    const main = `functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: call, type: action, action: {function: kid}, timeout: P1D}]
`;
    return begin(main, {}, { kid });
  };

  test.each([
    ['completes', 'done', (queue: Queue, task: Task) => queue.send(completeTask, task, 'done')],
    ['fails', 'busy', (queue: Queue, task: Task) => queue.send(failTask, task, { code: 'busy', message: 'no' })],
  ])('that a worker %s resumes its run in the request, and the caller of that one', async (_, got, end) => {
    const { queue, world, run } = await beginNested();
    await end(queue, only(await queue.poll()));
    // No time has passed: no machine was called.
    expect(await run()).toMatchObject({ status: 'complete', data: { return: { got } } });
    await world.pass(queue.now);
    expect(unfinishedOf(world)).toEqual([]);
  });

  test.each([1, 2, 3])('is not lost when the process ends after %d writes of its end', async (at) => {
    const { queue, world, run } = await beginNested();
    const task = only(await queue.poll());
    world.process.crashAt({ at, when: 'after' });
    const isCrash = await queue.send(completeTask, task, 'done').then(
      () => false,
      (error: unknown) => error instanceof CrashedError,
    );
    expect(isCrash).toBe(true);
    await world.restart();
    await world.pass(queue.now);
    expect(await run()).toMatchObject({ status: 'complete', data: { return: { got: 'done' } } });
  });
});
