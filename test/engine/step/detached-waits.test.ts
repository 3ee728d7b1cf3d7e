import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import type { CallTask, RetryCall } from '../../../lib/compiler/emit/task-protocol.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { reconcile } from '../../../lib/engine/recovery/reconciler.ts';
import { completeTask } from '../../../lib/engine/requests/worker-tasks/ending.ts';
import { step } from '../../../lib/engine/tasks/step.ts';
import type { Timers } from '../../../lib/ports/timers.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/time/units.ts';
import { json, ProgrammedWeb } from '../../contract/programmed-web.ts';
import { takeTasks } from '../workers/offers.ts';
import { type Deliver, openDatabase, World } from '../world/engine-world.ts';

let database: LocalTable;
let world: World;

beforeAll(async () => {
  database = await openDatabase();
});
afterEach(() => world.close());
afterAll(() => database.close());

const ROUNDS = 10;
const loop = `states:
- {id: nap, type: delay, duration: PT5S, transform: 'jq(.n += 1)', transition: look}
- {id: look, type: switch, conditions: [{condition: 'jq(.n < ${ROUNDS})', transition: nap}]}
`;

/** A run of the loop, and the names with which executions were started for it. */
async function looping(deliver: Deliver): Promise<{ readonly id: string; readonly started: string[] }> {
  world = new World(database, { deliver });
  const { executions } = world.ports;
  const started: string[] = [];
  const start: typeof executions.start = (handle, name, input) => {
    started.push(name);
    return executions.start(handle, name, input);
  };
  Object.assign(world.ports, { executions: { ...executions, start } });
  await world.store({ main: loop });
  const { id } = await world.execute('main', '{"n": 0}');
  return { id, started };
}

/** The names of the executions after the first. */
const namesOf = (id: string) => Array.from({ length: ROUNDS - 1 }, (_, n) => `${id}-${n + 2}`);

const statusOf = async (id: string) => (await runs.find(world.reliable, id))?.status;

test('an execution that AWS started twice does not start those after it twice', async () => {
  const { id, started } = await looping(async (input, step) => {
    const outcome = await step({ ...input, attempt: 0 });
    await step({ ...input, attempt: 0 });
    return outcome;
  });
  await world.pass();
  expect(await statusOf(id)).toBe('complete');
  expect(started.slice(-ROUNDS + 1)).toEqual(namesOf(id));
});

test('the next execution is started by the second attempt of a step whose process crashed before it did', async () => {
  let isCrashed = false;
  const { id, started } = await looping(async (input, step) => {
    if (isCrashed) return step(input);
    isCrashed = true;
    const { executions } = world.ports;
    const start = () => Promise.reject(new Error('the process has ended'));
    Object.assign(world.ports, { executions: { ...executions, start } });
    await expect(step(input)).rejects.toThrow('the process has ended');
    Object.assign(world.ports, { executions });
    return step({ ...input, attempt: 1 });
  });
  await world.pass();
  expect(await statusOf(id)).toBe('complete');
  expect(started.slice(-ROUNDS + 1)).toEqual(namesOf(id));
});

test('work of more than five minutes after a wait goes on in a machine, without a visit of the reconciler', async () => {
  // Each reading of the clock takes a tenth of a second, so that the states after the delay take ten minutes.
  const states = Array.from(
    { length: 600 },
    (_, n) => `- {id: s${n}, type: noop${n === 599 ? '' : `, transition: s${n + 1}`}}`,
  );
  world = new World(database, { msPerRead: 100 });
  await world.store({
    main: `timeouts: {interrupt: P1D, kill: P2D}
states:
- {id: nap, type: delay, duration: PT5S, transition: s0}
${states.join('\n')}
`,
  });
  const began = world.time.clock.now();
  const { id } = await world.execute('main', '{}');
  await world.pass();
  const run = await runs.find(world.reliable, id);
  expect(run).toMatchObject({ status: 'complete', express: false });
  expect((run?.updated ?? 0) - began).toBeGreaterThan(5 * MINUTE_MS);
});

const LONG = 'timeouts: {interrupt: P5D, kill: P6D}\n';
const KID = 'states: [{id: nap, type: delay, duration: PT10S}]\n';

/** Lets a run be visited some times, at least as far apart as it is old. */
async function visit(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    world.time.advance(6 * HOUR_MS);
    await world.reconcileLater();
    await world.pass(world.time.clock.now() + 6 * MINUTE_MS);
  }
}

const found = async (id: string): Promise<runs.Run> => {
  const run = await runs.find(world.reliable, id);
  if (run === undefined) throw new Error(`there is no run ${id}`);
  return run;
};

test.each([
  ['noop}', 'crashed'],
  // It goes on from what was stored before the call over HTTP.
  ['action, action: {function: api}, transition: end}\n- {id: end, type: noop}', 'complete'],
])(
  'a run whose step after a call dies each time goes on in a machine, at the next visit: %s',
  async (after, status) => {
    let caller = '';
    let kills = 0;
    world = new World(database, {
      deliver: async (input, step) => {
        if (caller === '') return step(input);
        if (input.run === caller && 'resume' in input) {
          kills += 1;
          throw Object.assign(new Error('the function ran out of memory'), { name: 'Lambda.Unknown' });
        }
        if (status === 'complete') return step(input);
        // The process that ends the child does not run the states of its caller.
        const { settings } = world.ports;
        Object.assign(world.ports, { settings: { ...settings, startBudgetMs: 0 } });
        return step(input).finally(() => Object.assign(world.ports, { settings }));
      },
    });
    await world.store({
      main: `${LONG}functions: [{id: kid, type: subflow, workflow: kid}, {id: api, type: http, url: 'https://api.test/'}]
states:
- {id: go, type: action, action: {function: kid}, timeout: P1D, transition: after}
- {id: after, type: ${after}
`,
      kid: KID,
    });
    ({ id: caller } = await world.execute('main', '{}'));
    await world.pass(world.time.clock.now() + 10 * MINUTE_MS);
    expect((await found(caller)).status).toBe('pending');
    await visit(3);
    expect(await found(caller)).toMatchObject({ status, express: false });
    expect(kills).toBeLessThan(30);
  },
);

/** Counts the executions that the ports of the world start. */
function countStarts(): () => number {
  const { executions } = world.ports;
  let started = 0;
  const start: typeof executions.start = (...call) => {
    started += 1;
    return executions.start(...call);
  };
  Object.assign(world.ports, { executions: { ...executions, start } });
  return () => started;
}

test('a delay for which no timer can be set is a state of a machine', async () => {
  world = new World(database, { waits: 'table' });
  Object.assign(world.ports, { timers: { set: async () => false } });
  const started = countStarts();
  await world.store({ main: `${LONG}states: [{id: nap, type: delay, duration: P1D}]\n` });
  const { id, created } = await world.execute('main', '{}');
  await world.pass();
  const run = await found(id);
  expect([run.status, run.updated - created, started() <= 3]).toEqual(['complete', DAY_MS, true]);
});

test('a pause that is longer than the time left for a call needs no chain of executions', async () => {
  world = new World(database);
  const started = countStarts();
  await world.store({
    main: `${LONG}functions: [{id: kid, type: subflow, workflow: kid}]
states:
- {id: go, type: action, action: {function: kid, retries: {max_attempts: 3, delay: P2D, codes: ['.*']}}, timeout: P1D}
`,
    kid: `states:
- {id: nap, type: delay, duration: PT10S, transition: bad}
- {id: bad, type: error, error: no.luck, message: no}
`,
  });
  const { id } = await world.execute('main', '{}');
  await world.pass();
  expect(await found(id)).toMatchObject({ status: 'failed', code: 'service.cancels.timeout.soft' });
  expect(started()).toBeLessThan(6);
});

const WORK = 'functions: [{id: work, type: worker, queue: jobs}]\n';

test('a late task of a wait leaves the call to the machine that took the wait over', async () => {
  const held: CallTask[] = [];
  let isHolding = true;
  world = new World(database, {
    deliver: async (input, step) => {
      if (!isHolding || !('call' in input)) return step(input);
      held.push(input);
      return { next: '', pause: 0, seconds: 0 };
    },
  });
  await world.store({
    main: `${LONG}${WORK}states:
- {id: go, type: action, action: {function: work}, timeout: P1D, transition: nap}
- {id: nap, type: delay, duration: PT45S}
`,
  });
  const { id } = await world.execute('main', '{}');
  await world.pass(world.time.clock.now() + MINUTE_MS);
  world.time.advance(6 * MINUTE_MS);
  await world.reconcileLater();
  await world.pass(world.time.clock.now() + MINUTE_MS);
  isHolding = false;
  for (const retry of held) await step(world.ports, { run: id, retry, due: world.time.clock.now() });
  const namespace = await namespaces.need(world.reliable, world.namespace);
  const [task] = await takeTasks(world.ports, namespace, 1);
  if (task === undefined) throw new Error('there is no task');
  const ended = world.time.clock.now();
  await completeTask(world.ports, { namespace, queue: 'jobs', task: task.task, lease: task.lease }, {});
  await world.pass();
  const run = await found(id);
  expect([held.length, run.status, run.updated - ended]).toEqual([2, 'complete', 45 * SECOND_MS]);
});

test('the limit of a call whose timer could not be set at first is kept', async () => {
  let fails = true;
  world = new World(database);
  const { timers } = world.ports;
  const set: Timers['set'] = (timer) => {
    const isFirst = fails;
    fails = false;
    return isFirst ? Promise.reject(new Error('the scheduler is away')) : (timers as Timers).set(timer);
  };
  Object.assign(world.ports, { timers: { set } });
  await world.store({
    main: `${LONG}${WORK}states: [{id: go, type: action, action: {function: work}, timeout: PT11M}]\n`,
  });
  const { id } = await world.execute('main', '{}');
  await world.pass();
  expect(await found(id)).toMatchObject({ status: 'failed', code: 'service.cancels.timeout.soft' });
});

test.each([
  ['goes on, and so is not repeated', false],
  ['is lost, and repeated by the machine', true],
])('an attempt in place during a visit %s', async (_what, isLost) => {
  const web = new ProgrammedWeb();
  const isSecondRetry = (input: object) => 'retry' in input && (input as RetryCall).retry.call.k === 2;
  let drops = isLost;
  world = new World(database, {
    web,
    deliver: async (input, step) => {
      const outcome = step(input);
      if (!drops || !isSecondRetry(input)) return outcome;
      drops = false;
      // Long enough for the call over HTTP to begin.
      for (let turns = 0; turns < 300; turns += 1) await turn();
      return { next: '', pause: 0, seconds: 0 };
    },
  });
  const held = Promise.withResolvers<void>();
  web.reply = async () => {
    const { length } = web.requests;
    world.time.advance(20 * SECOND_MS);
    if (length <= 2) return json({}, 500);
    if (length === 3) await held.promise;
    return json({});
  };
  await world.store({
    main: `${LONG}functions: [{id: kid, type: subflow, workflow: kid}]
states:
- {id: go, type: action, action: {function: kid, retries: {max_attempts: 9, delay: PT6M, codes: ['.*']}}, timeout: P1D, transition: nap}
- {id: nap, type: delay, duration: PT45S}
`,
    kid: `functions: [{id: api, type: http, url: 'https://api.test/'}]
states:
- {id: call, type: action, action: {function: api}, timeout: PT14M}
`,
  });
  const { id, created } = await world.execute('main', '{}');
  for (let n = 0; n < 400 && web.requests.length < 3; n += 1) {
    await world.pass(world.time.clock.now() + 5 * SECOND_MS);
    if (web.requests.length < 3) world.time.advance(5 * SECOND_MS);
  }
  if (isLost) world.time.advance(61 * SECOND_MS);
  await world.process.work(() => reconcile(world.ports, { isExclusive: false }));
  await world.pass(world.time.clock.now() + 20 * SECOND_MS);
  if (!isLost) held.resolve();
  await world.pass();
  const run = await found(id);
  expect([run.status, web.requests.length]).toEqual(['complete', isLost ? 4 : 3]);
  expect(run.updated - created).toBeLessThan(30 * MINUTE_MS);
});
