import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { cancel } from '../../../lib/engine/calls/cancellation.ts';
import { type StepInput, step } from '../../../lib/engine/step/step.ts';
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
  readonly isLost?: boolean;
  readonly isThrottled?: boolean;
}

/** A run of the workflow at its delay, and when that began. */
async function sleeping(main: string, setup: Setup = {}): Promise<{ readonly id: string; readonly began: number }> {
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
        if (setup.isLost) return true;
        return port?.set({ ...timer, at: setup.rings?.(timer.at) ?? timer.at });
      },
    },
  });
  await world.store({ main });
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
    expect(await runs.find(world.reliable, id)).toMatchObject({ status: 'complete', woken: { number: 1 } });
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
