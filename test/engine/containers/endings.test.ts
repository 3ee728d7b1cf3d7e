import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { openDatabase } from '../world/engine-world.ts';
import { type Behaviour, body, failed, ProgrammedContainers } from '../world/programmed-containers.ts';
import { closeWorlds, observe, openWorld, run, workflowOf } from './service-space.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterEach(closeWorlds);
afterAll(() => database.close());

const hanging: Behaviour = (_made, hang) => hang();

/** Starts `main` and waits until `calls` containers were called; timers do not fire. */
async function begun(main: string, act: Behaviour, { calls = 1, msPerRead = 0, kid = '' } = {}) {
  const containers = new ProgrammedContainers(act);
  const world = openWorld(database, containers, { msPerRead });
  await world.store({ main, ...(kid === '' ? {} : { kid }) });
  const { id } = await world.execute('main', '{}');
  while (containers.received.length < calls) await world.pass(world.time.clock.now());
  return { containers, world, id };
}

const TIMED =
  "- {id: a, type: action, timeout: PT20S, action: {function: f}, catch: [{error: 'timeout', transition: b}]}";
const AFTER = "- {id: b, type: noop, transform: 'jq({was: .error})'}";
const SOFT = { code: 'service.cancels.timeout.soft', msg: 'operation timed out' };

describe('a container that does not answer', () => {
  test('is cancelled at the timeout of the state', async () => {
    const { main, containers } = await run(database, workflowOf(`${TIMED}\n${AFTER}`), { act: hanging });
    expect(main).toMatchObject({ status: 'complete', data: { was: SOFT } });
    expect(main.updated - main.created).toBe(20_000);
    expect(containers.cancelled).toEqual([containers.received[0]?.call.actionId]);
  });

  test('is cancelled at the interrupt of the workflow', async () => {
    const states = "- {id: a, type: action, action: {function: f}, catch: [{error: '*', transition: b}]}";
    const main = workflowOf(`${states}\n${AFTER}`, 'timeouts: {interrupt: PT30S}\n');
    const observed = await run(database, main, { act: hanging });
    expect(observed.main).toMatchObject({ status: 'complete', data: { was: SOFT } });
    expect(observed.main.updated - observed.main.created).toBe(30_000);
  });

  test('is cancelled at the hard timeout of the run', async () => {
    const main = workflowOf(TIMED.replace('20S', '60S'), 'timeouts: {interrupt: PT50S, kill: PT10S}\n');
    const observed = await run(database, `${main}\n${AFTER}`, { act: hanging });
    expect(observed.main).toMatchObject({ status: 'failed', code: 'service.cancels.timeout.hard' });
    expect(observed.containers.cancelled).toHaveLength(1);
  });

  test('times out, and does not crash the run, if it fails at its deadline', async () => {
    const { world, containers, id } = await begun(workflowOf(`${TIMED}\n${AFTER}`), hanging, { msPerRead: 1 });
    const { actionId = '', deadline = 0 } = containers.received[0]?.call ?? {};
    world.time.alarm(deadline - world.time.clock.now(), () => containers.answer(actionId, failed('', 'too late')));
    await world.pass();
    expect((await observe(world, containers, id)).main).toMatchObject({ status: 'complete', data: { was: SOFT } });
  });
});

describe('cancelling a run', () => {
  test('cancels its container, whose answer is ignored', async () => {
    const { world, containers, id } = await begun(
      workflowOf('- {id: a, type: action, action: {function: f}}'),
      hanging,
    );
    const running = await runs.find(world.reliable, id);
    if (running === undefined) throw new Error('there is no such run');
    await cancel(world.ports, running);
    await world.pass();
    const observed = await observe(world, containers, id);
    expect(observed.main).toMatchObject({ status: 'failed', code: 'service.cancels.api', data: {} });
    expect([...new Set(containers.cancelled)]).toEqual([containers.received[0]?.call.actionId]);
    expect(containers.received).toHaveLength(1);
  });

  test('cancels the containers of its subflows', async () => {
    const kid = workflowOf("- {id: a, type: foreach, array: 'jq([{},{},{}])', action: {function: f}}");
    const main = workflowOf('- {id: a, type: action, action: {function: kid}}');
    const { world, containers, id } = await begun(main, hanging, { calls: 3, kid });
    const running = await runs.find(world.reliable, id);
    if (running === undefined) throw new Error('there is no such run');
    await cancel(world.ports, running);
    await world.pass();
    expect([...new Set(containers.cancelled)].toSorted()).toEqual(
      containers.received.map(({ call }) => call.actionId).toSorted(),
    );
    expect((await observe(world, containers, id)).shown.map(({ code }) => code).toSorted()).toEqual([
      'service.cancels.api',
      'service.cancels.parent',
    ]);
  });
});

describe('an asynchronous call of a container', () => {
  const main = workflowOf(
    '- {id: a, type: action, async: true, action: {function: f, input: {n: 1}}, transition: b}\n- {id: b, type: noop}',
  );

  test('is made once, and the run goes on', async () => {
    const observed = await run(database, main, { act: () => body('ignored') });
    expect(observed.main).toMatchObject({ status: 'complete', data: {} });
    expect(observed.containers.received).toHaveLength(1);
    expect(observed.containers.received[0]).toMatchObject({ input: { n: 1 }, call: { instanceId: observed.main.id } });
    const { actionId } = observed.containers.received[0]?.call ?? {};
    expect(observed.log).toContain(`Running child '${actionId}' in fire-and-forget mode (async).`);
  });

  test('that fails is named in the log of the run that made it', async () => {
    const observed = await run(database, main, {
      act: () => ({ ...body(''), failure: { code: 'my.bad', message: 'no' } }),
    });
    expect(observed.main.status).toBe('complete');
    const { actionId } = observed.containers.received[0]?.call ?? {};
    expect(observed.lines).toContain(
      `error Child '${actionId}' in fire-and-forget mode failed with error 'my.bad': no`,
    );
  });

  test('may take longer than the run', async () => {
    const { world, containers, id } = await begun(main, hanging);
    expect((await observe(world, containers, id)).main.status).toBe('complete');
    const { actionId = '' } = containers.received[0]?.call ?? {};
    expect(await runs.find(world.reliable, actionId)).toMatchObject({ status: 'pending' });
    containers.answer(actionId, body('at last'));
    await world.pass();
    expect(await runs.find(world.reliable, actionId)).toMatchObject({ status: 'complete' });
    expect(containers.received).toHaveLength(1);
  });

  test('may fail', async () => {
    const observed = await run(database, main, { act: () => failed('', 'broken') });
    expect(observed.main.status).toBe('complete');
  });
});

describe('a parallel of mode or with a winner', () => {
  const actions = (count: number) =>
    Array.from({ length: count }, (_, n) => `{function: ${n === 0 ? 'f' : 'g'}, input: {n: ${n}}}`).join(', ');
  const or = (count: number) => workflowOf(`- {id: a, type: parallel, mode: or, actions: [${actions(count)}]}`);

  test('does not cancel the other container', async () => {
    const { world, containers, id } = await begun(
      or(2),
      ({ image }, hang) => (image === 'example/f' ? body(1) : hang()),
      {
        calls: 2,
      },
    );
    await world.pass();
    expect((await observe(world, containers, id)).main).toMatchObject({
      status: 'complete',
      data: { return: [1, null] },
    });
    expect(containers.received).toHaveLength(2);
    expect(containers.cancelled).toEqual([]);
    const loser = containers.received.find(({ image }) => image === 'example/g')?.call.actionId ?? '';
    containers.answer(loser, body('late'));
    await world.pass();
    expect(await runs.find(world.reliable, loser)).toMatchObject({ status: 'complete' });
  });

  test('still makes the calls that were queued, each once', async () => {
    const observed = await run(database, or(60), { act: ({ input }) => body(input) });
    expect(observed.main.status).toBe('complete');
    expect(observed.containers.received.map(({ input }) => Number(input['n'])).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_, n) => n),
    );
  });
});
