import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { type StepInput, step } from '../../../lib/engine/tasks/step.ts';
import type { Timer } from '../../../lib/ports/timers.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/time/units.ts';
import { CrashedError } from '../world/crashing-ports.ts';
import { type Deliver, openDatabase, World } from '../world/engine-world.ts';

const workflow = (duration: string, timeouts = '{interrupt: P2D, kill: P3D}') => `timeouts: ${timeouts}
states:
- {id: nap, type: delay, duration: ${duration}, transition: count}
- {id: count, type: setter, variables: [{key: done, scope: namespace, value: 1}]}
`;

let database: LocalTable;
let world: World;
let calls: StepInput[];
let timers: Timer[];

beforeAll(async () => {
  database = await openDatabase();
});
afterEach(() => world.close());
afterAll(() => database.close());

interface Setup {
  /** Replaces the time of each timer. */
  readonly rings?: (at: number) => number;
  /** `all`: those that limit waits, too. */
  readonly isLost?: boolean | 'all';
  readonly isThrottled?: boolean;
}

/** A run of the workflow at its delay, and when that began. */
async function sleeping(
  main: string,
  setup: Setup = {},
  others: Readonly<Record<string, string>> = {},
): Promise<{ readonly id: string; readonly began: number }> {
  [calls, timers] = [[], []];
  const deliver: Deliver = (one, go) => {
    calls.push(one);
    return go(one);
  };
  world = new World(database, { deliver });
  const { timers: port } = world.ports;
  Object.assign(world.ports, {
    timers: {
      set: async (timer: Timer) => {
        timers.push(timer);
        if (setup.isThrottled) return false;
        const isLimit = timer.name.endsWith('.limit');
        if (setup.isLost === 'all' || (setup.isLost && !isLimit)) return true;
        return port?.set({ ...timer, at: setup.rings?.(timer.at) ?? timer.at });
      },
    },
  });
  await world.store({ ...others, main });
  const began = world.time.clock.now();
  const { id } = await world.execute('main', '{}');
  return { id, began };
}

async function found(id: string): Promise<runs.Run> {
  const run = await runs.find(world.reliable, id);
  if (run === undefined) throw new Error(`there is no run ${id}`);
  return run;
}

async function ended(id: string): Promise<runs.Run> {
  const run = await found(id);
  expect(run.status).not.toBe('pending');
  return run;
}

/** Rings a timer past the scheduler. */
const ring = (input: object): Promise<unknown> => world.process.work(() => step(world.ports, input as StepInput));

const statusOf = (id: string) => world.executions.describe(world.started.get(id) ?? '', id)?.status;
/** The calls of the steps function after the wait, by its machine. */
const resumed = () => calls.filter((input) => 'resume' in input);

describe('a delay of a minute or more', () => {
  test.each([
    ['PT1M', MINUTE_MS],
    ['PT1H', HOUR_MS],
  ])('of %s ends by its timer, and no further task', async (duration, ms) => {
    const { id, began } = await sleeping(workflow(duration));
    await world.pass();
    const run = await ended(id);
    expect(run.status).toBe('complete');
    expect(run.updated - began).toBe(ms);
    expect([timers.length, resumed().length, statusOf(id)]).toEqual([1, 0, 'SUCCEEDED']);
  });

  test('does not end early when its timer rings in the minute before: the machine waits for the rest', async () => {
    const { id, began } = await sleeping(workflow('PT1H'), { rings: (at) => at - 59 * SECOND_MS });
    await world.pass();
    const run = await ended(id);
    expect(run.updated - began).toBe(HOUR_MS);
    expect([resumed().length, statusOf(id)]).toEqual([1, 'SUCCEEDED']);
  });

  test('ends five minutes late when its timer is lost', async () => {
    const { id, began } = await sleeping(workflow('PT1H'), { isLost: true });
    await world.pass();
    const run = await ended(id);
    expect([run.status, run.updated - began]).toEqual(['complete', HOUR_MS + 5 * MINUTE_MS]);
    expect(statusOf(id)).toBe('SUCCEEDED');
  });

  test('is waited for by the machine when the quota of timers is exhausted', async () => {
    const { id, began } = await sleeping(workflow('PT1H'), { isThrottled: true });
    await world.pass();
    const run = await ended(id);
    expect([run.status, run.updated - began]).toEqual(['complete', HOUR_MS]);
    expect(statusOf(id)).toBe('SUCCEEDED');
  });

  test("is cut to the second where the run's own time ends before it, without a timer", async () => {
    const { id, began } = await sleeping(workflow('PT1H', '{interrupt: PT10M, kill: PT20M}'));
    await world.pass();
    const run = await ended(id);
    expect([run.status, run.code]).toEqual(['failed', 'service.cancels.timeout.soft']);
    expect([run.updated - began, timers.length]).toEqual([10 * MINUTE_MS, 0]);
  });

  test('that is over because its run was cancelled is not woken by its timer', async () => {
    const { id } = await sleeping(workflow('PT1H'));
    await world.pass(world.time.clock.now() + MINUTE_MS);
    await cancel(world.ports, await found(id));
    await world.pass();
    expect(await ended(id)).toMatchObject({ status: 'failed', code: 'service.cancels.api' });
  });

  test('whose timer rings again after the run has gone on ends nothing', async () => {
    const { id } = await sleeping(`${workflow('PT1H').replace(', transition: count', ', transition: again')}
- {id: again, type: delay, duration: PT3H, transition: count}
`);
    const began = world.time.clock.now();
    await world.pass(began + 90 * MINUTE_MS);
    for (const { input } of timers.slice(0, 1)) await ring(input);
    await world.pass();
    expect((await ended(id)).updated - began).toBe(4 * HOUR_MS);
    expect(statusOf(id)).toBe('SUCCEEDED');
  });

  test('is ended once by two timers, of which the second one has another task of the machine', async () => {
    const { id } = await sleeping(workflow('PT1H'));
    await world.pass(world.time.clock.now() + MINUTE_MS);
    const answered: string[] = [];
    const { answer } = world.ports.executions;
    Object.assign(world.ports.executions, {
      answer: (token: string, reply: Parameters<typeof answer>[1]) => {
        if (token === 'other') answered.push(JSON.stringify(reply));
        return answer(token, reply);
      },
    });
    const number = (await found(id)).wait?.number;
    world.time.advance(HOUR_MS);
    await world.pass();
    await ring({ run: id, timer: number, token: 'other' });
    expect(answered).toEqual(['{"output":{"next":"","pause":0,"seconds":0}}']);
  });

  test('is ended by the second call of its timer when the process crashed before it ended the task', async () => {
    const { id } = await sleeping(workflow('PT1H'));
    await world.pass(world.time.clock.now() + MINUTE_MS);
    let crashes = 0;
    world.process.onCall = (name) => {
      if (name === 'executions.answer' && crashes++ === 0) throw new CrashedError('before the task is ended');
    };
    world.time.advance(HOUR_MS);
    const input = timers[0]?.input ?? {};
    await expect(ring(input)).rejects.toThrow(CrashedError);
    expect(await runs.find(world.reliable, id)).toMatchObject({
      status: 'complete',
      outbox: { answer: { number: 1 } },
    });
    await ring(input);
    await world.pass();
    expect([statusOf(id), world.endings.get(id)]).toEqual(['SUCCEEDED', 1]);
  });

  test('ends by the task after it where runs do not go on in the function that resumes them', async () => {
    const { id, began } = await sleeping(workflow('PT1H'));
    Object.assign(world.ports, { settings: { ...world.ports.settings, startBudgetMs: 0 } });
    await world.pass();
    expect((await ended(id)).updated - began).toBe(HOUR_MS);
    expect([resumed().length, statusOf(id)]).toEqual([1, 'SUCCEEDED']);
  });
});

test('a delay of less than a minute has no timer', async () => {
  const { id, began } = await sleeping(workflow('PT59S'));
  await world.pass();
  expect((await ended(id)).updated - began).toBe(59 * SECOND_MS);
  expect([timers.length, resumed().length]).toEqual([0, 1]);
});

/** A child that fails its first attempt, and a caller that repeats it after five minutes. */
const RETRYING = {
  kid: `states:
- {id: see, type: getter, variables: [{key: tries, scope: namespace}], transition: tally}
- {id: tally, type: setter, variables: [{key: tries, scope: namespace, value: 'jq((.var.tries // 0) + 1)'}], transition: nap}
- {id: nap, type: delay, duration: PT1S, transition: judge}
- {id: judge, type: switch, conditions: [{condition: 'jq((.var.tries // 0) >= 1)'}], defaultTransition: bad}
- {id: bad, type: error, error: not.yet, message: once more}
`,
  main: `timeouts: {interrupt: P2D, kill: P3D}
functions: [{id: kid, type: subflow, workflow: kid}]
states:
- {id: go, type: action, timeout: TIMEOUT, action: {function: kid, retries: {max_attempts: 3, delay: PT5M, codes: ['not.*']}}}
`,
};

/** Each attempt lasts a second, and the step after it commits at once. */
const AFTER_RETRY = 5 * MINUTE_MS + 2 * SECOND_MS;

describe('a pause of a minute or more before a retry', () => {
  const retrying = (setup: Setup = {}, timeout = 'PT10H') =>
    sleeping(RETRYING.main.replace('TIMEOUT', timeout), setup, { kid: RETRYING.kid });
  /** Lets time pass to a moment, reconciles, and lets ten minutes pass. */
  const reconcileAt = async (moment: number) => {
    await world.pass(moment);
    world.time.advance(moment - world.time.clock.now());
    await world.reconcileLater();
    await world.pass(world.time.clock.now() + 10 * MINUTE_MS);
  };
  /** The end of a call is reported twice, under the same name. */
  const pauses = () => new Map(timers.filter(({ input }) => 'retry' in input).map((timer) => [timer.name, timer.at]));

  test('ends by its timer, for which the task of the call stays open', async () => {
    const { id, began } = await retrying();
    await world.pass();
    const run = await ended(id);
    expect([run.status, run.updated - began]).toEqual(['complete', AFTER_RETRY]);
    expect([pauses().size, statusOf(id)]).toEqual([1, 'SUCCEEDED']);
    // The machine of the caller made the first attempt, and none after it.
    expect(calls.filter((input) => 'call' in input && input.run === id).length).toBe(1);
  });

  test.each([
    ['when its timer rings early', { rings: (at: number) => at - 59 * SECOND_MS }],
    ['when the quota of timers is exhausted', { isThrottled: true }],
  ])('is waited for by the machine %s', async (_when, setup) => {
    const { id, began } = await retrying(setup);
    await world.pass();
    const run = await ended(id);
    expect([run.status, run.updated - began]).toEqual(['complete', AFTER_RETRY]);
    expect(statusOf(id)).toBe('SUCCEEDED');
  });

  test('that a timer might end after the time of the state is waited for by the machine', async () => {
    const { id, began } = await retrying({}, 'PT6M');
    await world.pass();
    expect([(await ended(id)).updated - began, pauses().size]).toEqual([AFTER_RETRY, 0]);
  });

  test('whose timer is lost ends with the time of the state', async () => {
    const { id, began } = await retrying({ isLost: true });
    await world.pass();
    const run = await ended(id);
    expect([run.code, run.updated - began]).toEqual(['service.cancels.timeout.soft', 10 * HOUR_MS + 5 * SECOND_MS]);
  });

  test('whose timer is lost is ended by the reconciler five minutes after its time, not before', async () => {
    const { id, began } = await retrying({ isLost: true });
    await reconcileAt(began + 8 * MINUTE_MS);
    expect((await found(id)).status).toBe('pending');
    await reconcileAt(began + 20 * MINUTE_MS);
    expect(await ended(id)).toMatchObject({ status: 'complete', executions: 2 });
    expect([statusOf(id), pauses().size]).toEqual(['SUCCEEDED', 1]);
  });

  test('after a first attempt in place, whose timer is lost, is made anew by the reconciler', async () => {
    const kid = RETRYING.kid.replace('transition: nap', 'transition: judge').replace(/^- \{id: nap.*\n/m, '');
    const main = RETRYING.main.replace('TIMEOUT', 'PT10H');
    const setup: { isLost: boolean } = { isLost: true };
    const { id, began } = await sleeping(main, setup, { kid });
    await reconcileAt(began + 8 * MINUTE_MS);
    expect((await found(id)).status).toBe('pending');
    setup.isLost = false;
    await reconcileAt(began + 20 * MINUTE_MS);
    expect(await ended(id)).toMatchObject({ status: 'complete', executions: 2 });
  });

  test('whose attempt cannot be made at first is made by the machine', async () => {
    const { id } = await retrying();
    await world.pass(world.time.clock.now() + MINUTE_MS);
    let faults = 0;
    world.process.onCall = (name) => {
      if (
        world.time.clock.now() >= Math.min(...pauses().values(), Number.POSITIVE_INFINITY) &&
        name === 'table.write' &&
        faults++ === 0
      )
        throw new Error('the database is away');
    };
    await world.pass();
    expect(await ended(id)).toMatchObject({ status: 'complete' });
    expect([faults > 0, statusOf(id)]).toEqual([true, 'SUCCEEDED']);
  });
});

describe('a call of a workflow that waits for long', () => {
  const kid = `timeouts: {interrupt: P2D, kill: P3D}
states: [{id: hear, type: consumeEvent, event: {type: never}, timeout: PT12H}]
`;
  const main = `timeouts: {interrupt: P2D, kill: P3D}
functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: go, type: action, timeout: PT20M, action: {function: kid}}]
`;

  test('has no machine, and a timer ends it with the time of the state', async () => {
    const { id, began } = await sleeping(main, {}, { kid });
    await world.pass(began + 19 * MINUTE_MS);
    expect((await found(id)).express).toBe(true);
    await world.pass(began + 21 * MINUTE_MS);
    const { code, updated } = await ended(id);
    expect([code, updated - began]).toEqual(['service.cancels.timeout.soft', 20 * MINUTE_MS + 5 * SECOND_MS]);
  });

  test('whose timer is lost is ended by the reconciler, and has one execution until then', async () => {
    const { id, began } = await sleeping(main, { isLost: 'all' }, { kid });
    const reconcileAfter = async (minutes: number) => {
      world.time.advance(began + minutes * MINUTE_MS - world.time.clock.now());
      await world.reconcileLater();
      await world.pass(world.time.clock.now() + MINUTE_MS);
    };
    await world.pass(began + MINUTE_MS);
    await reconcileAfter(20);
    expect(await found(id)).toMatchObject({ status: 'pending', executions: 1 });
    // A run rests for its age between two visits.
    await reconcileAfter(50);
    expect((await ended(id)).code).toBe('service.cancels.timeout.soft');
  });
});
