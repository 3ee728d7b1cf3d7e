import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { cancel } from '../../../lib/engine/calls/cancellation.ts';
import { type Act, ActingContainers, body, failed } from '../world/acting-containers.ts';
import { openDatabase } from '../world/engine-world.ts';
import { closeWorlds, openWorld, run, tell, workflowOf } from './service-space.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterEach(closeWorlds);
afterAll(() => database.close());

const hanging: Act = (_made, hang) => hang();

/** Starts `main` and lets its first `calls` containers be called; time does not pass. */
async function begun(main: string, act: Act, { calls = 1, pace = 0, kid = '' } = {}) {
  const containers = new ActingContainers(act);
  const world = openWorld(database, containers, { pace });
  await world.store({ main, ...(kid === '' ? {} : { kid }) });
  const { id } = await world.execute('main', '{}');
  while (containers.made.length < calls) await world.pass(world.time.clock.now());
  return { containers, world, id };
}

const TIMED =
  "- {id: a, type: action, timeout: PT20S, action: {function: f}, catch: [{error: 'timeout', transition: b}]}";
const AFTER = "- {id: b, type: noop, transform: 'jq({was: .error})'}";
const SOFT = { code: 'service.cancels.timeout.soft', msg: 'operation timed out' };

describe('a container that does not answer', () => {
  test('is given up at the timeout of the state, and told so', async () => {
    const { main, containers } = await run(database, workflowOf(`${TIMED}\n${AFTER}`), { act: hanging });
    expect(main).toMatchObject({ status: 'complete', data: { was: SOFT } });
    expect(main.updated - main.created).toBe(20_000);
    expect(containers.cancelled).toEqual([containers.made[0]?.call.actionId]);
  });

  test('is given up at the interrupt of the workflow', async () => {
    const states = "- {id: a, type: action, action: {function: f}, catch: [{error: '*', transition: b}]}";
    const main = workflowOf(`${states}\n${AFTER}`, 'timeouts: {interrupt: PT30S}\n');
    const told = await run(database, main, { act: hanging });
    expect(told.main).toMatchObject({ status: 'complete', data: { was: SOFT } });
    expect(told.main.updated - told.main.created).toBe(30_000);
  });

  test('ends with the run at its hard timeout', async () => {
    const main = workflowOf(TIMED.replace('20S', '60S'), 'timeouts: {interrupt: PT50S, kill: PT10S}\n');
    const told = await run(database, `${main}\n${AFTER}`, { act: hanging });
    expect(told.main).toMatchObject({ status: 'failed', code: 'service.cancels.timeout.hard' });
    expect(told.containers.cancelled).toHaveLength(1);
  });

  test('is late, and not broken, where it is broken off at the deadline', async () => {
    const { world, containers, id } = await begun(workflowOf(`${TIMED}\n${AFTER}`), hanging, { pace: 1 });
    const { actionId = '', deadline = 0 } = containers.made[0]?.call ?? {};
    world.time.alarm(deadline - world.time.clock.now(), () => containers.answer(actionId, failed('', 'too late')));
    await world.pass();
    expect((await tell(world, containers, id)).main).toMatchObject({ status: 'complete', data: { was: SOFT } });
  });
});

describe('a run that is cancelled', () => {
  test('ends its container, and the answer of that changes nothing', async () => {
    const { world, containers, id } = await begun(
      workflowOf('- {id: a, type: action, action: {function: f}}'),
      hanging,
    );
    const running = await runs.find(world.immortal, id);
    if (running === undefined) throw new Error('the run is gone');
    await cancel(world.ports, running);
    await world.pass();
    const told = await tell(world, containers, id);
    expect(told.main).toMatchObject({ status: 'failed', code: 'service.cancels.api', data: {} });
    expect([...new Set(containers.cancelled)]).toEqual([containers.made[0]?.call.actionId]);
    expect(containers.made).toHaveLength(1);
  });

  test('ends the containers of its subflows', async () => {
    const kid = workflowOf("- {id: a, type: foreach, array: 'jq([{},{},{}])', action: {function: f}}");
    const main = workflowOf('- {id: a, type: action, action: {function: kid}}');
    const { world, containers, id } = await begun(main, hanging, { calls: 3, kid });
    const running = await runs.find(world.immortal, id);
    if (running === undefined) throw new Error('the run is gone');
    await cancel(world.ports, running);
    await world.pass();
    expect([...new Set(containers.cancelled)].toSorted()).toEqual(
      containers.made.map(({ call }) => call.actionId).toSorted(),
    );
    expect((await tell(world, containers, id)).shown.map(({ code }) => code).toSorted()).toEqual([
      'service.cancels.api',
      'service.cancels.parent',
    ]);
  });
});

describe('a container that is not waited for', () => {
  const main = workflowOf(
    '- {id: a, type: action, async: true, action: {function: f, input: {n: 1}}, transition: b}\n- {id: b, type: noop}',
  );

  test('is called once, and the run goes on', async () => {
    const told = await run(database, main, { act: () => body('nobody looks') });
    expect(told.main).toMatchObject({ status: 'complete', data: {} });
    expect(told.containers.made).toHaveLength(1);
    expect(told.containers.made[0]).toMatchObject({ input: { n: 1 }, call: { instanceId: told.main.id } });
    const { actionId } = told.containers.made[0]?.call ?? {};
    expect(told.log).toContain(`Running child '${actionId}' in fire-and-forget mode (async).`);
  });

  test('may take longer than the run', async () => {
    const { world, containers, id } = await begun(main, hanging);
    expect((await tell(world, containers, id)).main.status).toBe('complete');
    const { actionId = '' } = containers.made[0]?.call ?? {};
    expect(await runs.find(world.immortal, actionId)).toMatchObject({ status: 'pending' });
    containers.answer(actionId, body('at last'));
    await world.pass();
    expect(await runs.find(world.immortal, actionId)).toMatchObject({ status: 'complete' });
    expect(containers.made).toHaveLength(1);
  });

  test('may fail', async () => {
    const told = await run(database, main, { act: () => failed('', 'broken') });
    expect(told.main.status).toBe('complete');
  });
});

describe('parallel with the mode or, once it is decided', () => {
  const actions = (count: number) =>
    Array.from({ length: count }, (_, n) => `{function: ${n === 0 ? 'f' : 'g'}, input: {n: ${n}}}`).join(', ');
  const or = (count: number) => workflowOf(`- {id: a, type: parallel, mode: or, actions: [${actions(count)}]}`);

  test('lets the container that was called go on', async () => {
    const { world, containers, id } = await begun(
      or(2),
      ({ image }, hang) => (image === 'example/f' ? body(1) : hang()),
      {
        calls: 2,
      },
    );
    await world.pass();
    expect((await tell(world, containers, id)).main).toMatchObject({ status: 'complete', data: { return: [1, null] } });
    expect(containers.made).toHaveLength(2);
    expect(containers.cancelled).toEqual([]);
    const loser = containers.made.find(({ image }) => image === 'example/g')?.call.actionId ?? '';
    containers.answer(loser, body('late'));
    await world.pass();
    expect(await runs.find(world.immortal, loser)).toMatchObject({ status: 'complete' });
  });

  test('calls those that had to wait for their turn, each once', async () => {
    const told = await run(database, or(60), { act: ({ input }) => body(input) });
    expect(told.main.status).toBe('complete');
    expect(told.containers.made.map(({ input }) => Number(input['n'])).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_, n) => n),
    );
  });
});
