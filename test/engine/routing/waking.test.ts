import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { route } from '../../../lib/engine/routing/router.ts';
import type { StepInput } from '../../../lib/engine/tasks/step.ts';
import type { Message } from '../../../lib/ports/bus.ts';
import { CrashedError } from '../world/crashing-ports.ts';
import { type Deliver, openDatabase, World, type WorldOptions } from '../world/engine-world.ts';

let database: LocalTable;
let world: World;
let inputs: StepInput[];

beforeAll(async () => {
  database = await openDatabase();
});
afterEach(() => world.close());
afterAll(() => database.close());

const LISTEN = '- {id: wait, type: consumeEvent, event: {type: go}, timeout: PT12H, transition: on}\n';
const COMPLETES = `states:\n${LISTEN}- {id: on, type: noop, transform: {woken: true}}\n`;
const SLOW = `states:
${LISTEN}- id: on
  type: switch
  conditions:
${Array.from({ length: 400 }, (_, n) => `  - {condition: 'jq(.n == ${n})', transition: never}\n`).join('')}  defaultTransform: {done: true}
- {id: never, type: noop}
`;
const FAILS = `states:\n${LISTEN}- {id: on, type: error, error: my.error, message: no}\n`;
const NAPS = `states:\n${LISTEN}- {id: on, type: delay, duration: PT40S}\n`;
const WAITS_AGAIN = `states:
${LISTEN}- {id: on, type: switch, conditions: [{condition: 'jq(.n == 1)', transition: nap}], defaultTransition: again}
- {id: nap, type: delay, duration: PT40S}
- {id: again, type: consumeEvent, event: {type: more}}
`;

/** A run of the workflow whose machine waits for the event. */
async function waiting(
  main: string,
  input = '{}',
  options: WorldOptions = {},
  others: Readonly<Record<string, string>> = {},
): Promise<string> {
  inputs = [];
  const deliver: Deliver = (one, step) => {
    inputs.push(one);
    return step(one);
  };
  world = new World(database, { deliver, ...options });
  await world.store({ ...others, main });
  const { id } = await world.execute('main', input);
  await world.pass(world.time.clock.now());
  return id;
}

async function send(type: string, id = type): Promise<void> {
  const namespace = await namespaces.need(world.reliable, world.namespace);
  await receive(world.reliable, namespace, { specversion: '1.0', id, source: 's', type });
}

const stored = async (id: string): Promise<runs.Run> => {
  const run = await runs.find(world.reliable, id);
  if (run === undefined) throw new Error(`no run ${id}`);
  return run;
};

const statusOf = (id: string) => world.executions.describe(world.started.get(id) ?? '', id)?.status;
/** The calls of the steps function that a machine made after a wait. */
const resumed = () => inputs.filter((input) => 'resume' in input);

/** Lets time pass until the timeout of the wait, not further. */
const settle = () => world.pass(world.time.clock.now() + 60_000);

describe('an event that a run waits for', () => {
  test('resumes it where it arrives, and its machine ends without a further call', async () => {
    const id = await waiting(COMPLETES);
    await send('go');
    await world.deliver();
    expect(await stored(id)).toMatchObject({ status: 'complete', data: { woken: true } });
    await settle();
    expect([statusOf(id), resumed()]).toEqual(['SUCCEEDED', []]);
  });

  test('is stored by the commit that ends the run', async () => {
    const id = await waiting(COMPLETES);
    const { seq } = await stored(id);
    await send('go');
    await world.deliver();
    expect(await stored(id)).toMatchObject({ status: 'complete', seq: seq + 1 });
  });

  test('is stored before the run goes on if its delivery may repeat one that ended the process', async () => {
    const id = await waiting(COMPLETES);
    const { seq } = await stored(id);
    await send('go');
    world.time.advance(31_000);
    const writes: number[] = [];
    world.process.onCall = async (name) => {
      if (name === 'executions.answer') writes.push((await stored(id)).seq);
    };
    await world.deliver();
    expect(await stored(id)).toMatchObject({ status: 'complete', data: { woken: true }, seq: seq + 2 });
    expect(writes).toEqual([seq + 2]);
  });

  test('leaves the run as it was when the process crashes before the commit, and is taken when it comes again', async () => {
    const id = await waiting(COMPLETES);
    const before = await stored(id);
    await send('go');
    let crashes = 0;
    world.process.onCall = (name) => {
      if (name === 'table.write' && crashes++ === 0) throw new CrashedError('before the commit');
    };
    await expect(world.deliver()).rejects.toThrow(CrashedError);
    expect(await stored(id)).toEqual(before);
    await world.deliver();
    await settle();
    expect([(await stored(id)).status, statusOf(id)]).toEqual(['complete', 'SUCCEEDED']);
  });

  test.each([1, 2, 3])(
    'and another one, delivered at its write %i: one is taken, and its data alone reaches a subflow',
    async (at) => {
      const kid = 'states: [{id: keep, type: noop}]\n';
      const main = `functions: [{id: kid, type: subflow, workflow: kid}]
states:
- {id: wait, type: consumeEvent, event: {type: go}, timeout: PT12H, transition: on}
- {id: on, type: action, action: {function: kid, input: jq(.go.id)}}
`;
      const id = await waiting(main, '{}', {}, { kid });
      await send('go', 'first');
      await send('go', 'second');
      const [first, second] = world.bus.messages;
      let calls = 0;
      world.process.onCall = async (name) => {
        if (name === 'table.write' && ++calls === at) await route(world.reliable, second as Message);
      };
      await route(world.ports, first as Message);
      await settle();
      const run = await stored(id);
      const { go } = run.data as { readonly go: { readonly id: string } };
      expect(run).toMatchObject({ status: 'complete', data: { return: { input: go.id } } });
      expect(go.id).toBe(at === 1 ? 'second' : 'first');
    },
  );

  test('leaves it to its machine if its queries take too long', async () => {
    const id = await waiting(SLOW, '{}', { msPerRead: 10 });
    await send('go');
    const answered: runs.Run[] = [];
    world.process.onCall = async (name) => {
      if (name === 'executions.answer') answered.push(await stored(id));
    };
    await world.deliver();
    expect(answered).toMatchObject([{ status: 'pending', at: 'wait', step: 1 }]);
    await settle();
    expect(await stored(id)).toMatchObject({ status: 'complete', data: { done: true } });
    expect([statusOf(id), resumed().length]).toEqual(['SUCCEEDED', 1]);
  });

  test('leads its machine to the next wait', async () => {
    const id = await waiting(NAPS);
    await send('go');
    await world.deliver();
    expect(await stored(id)).toMatchObject({ status: 'pending', at: 'on' });
    await settle();
    expect(await stored(id)).toMatchObject({ status: 'complete', executions: 1 });
    expect(resumed().length).toBe(1);
  });

  test.each([
    ['nap', '{"n": 1}'],
    ['again', '{"n": 2}'],
  ])('leads its machine to the one of several waits that the run has reached: %s', async (state, input) => {
    const id = await waiting(WAITS_AGAIN, input);
    await send('go');
    await world.deliver();
    expect(await stored(id)).toMatchObject({ status: 'pending', at: state });
    await settle();
    await send('more');
    await world.deliver();
    await settle();
    expect(await stored(id)).toMatchObject({ status: 'complete', executions: 1 });
    expect(statusOf(id)).toBe('SUCCEEDED');
  });

  test('fails its execution if the run fails then', async () => {
    const id = await waiting(FAILS);
    await send('go');
    await world.deliver();
    expect(await stored(id)).toMatchObject({ status: 'failed', code: 'my.error' });
    await settle();
    expect(statusOf(id)).toBe('FAILED');
  });

  test.each([
    ['completes', COMPLETES],
    ['waits again', NAPS],
  ])('reaches the machine of a run that %s when the router crashed before it answered the machine', async (_, main) => {
    const id = await waiting(main);
    await send('go');
    let crashes = 0;
    world.process.onCall = (name) => {
      if (name === 'executions.answer' && crashes++ === 0) throw new CrashedError('before the task is ended');
    };
    await expect(world.deliver()).rejects.toThrow(CrashedError);
    expect(await stored(id)).toMatchObject({ outbox: { answer: { number: 1 } } });
    await world.deliver();
    await settle();
    expect(await stored(id)).toMatchObject({ status: 'complete', executions: 1 });
    expect(statusOf(id)).toBe('SUCCEEDED');
  });

  test('is left to the machine if nothing may run where it arrives', async () => {
    const id = await waiting(COMPLETES);
    await send('go');
    const { settings } = world.ports;
    Object.assign(world.ports, { settings: { ...settings, startBudgetMs: 0 } });
    await world.deliver();
    await settle();
    expect(await stored(id)).toMatchObject({ status: 'complete' });
    expect(resumed().length).toBe(1);
  });
});
