import { describe, expect, test } from 'vitest';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import type { World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';
import { openWorlds } from '../world/worlds.ts';

const worldWith = openWorlds();

const settle = async (world: World, ms = 60_000): Promise<void> => {
  await world.pass(world.time.clock.now() + ms);
  await world.deliver();
  await world.pass(world.time.clock.now() + ms);
};

async function endOf(world: World, id: string): Promise<runs.Run> {
  const run = await runs.find(world.reliable, id);
  if (run === undefined) throw new Error(`no run ${id}`);
  return run;
}

const HANDLED = `onFailure: undo
finally: release
`;
const CHAINS = `- {id: undo, type: noop, transform: 'jq(. + {undone: .error.code})', transition: undo-more}
- {id: undo-more, type: delay, duration: PT2S}
- {id: release, type: noop, transform: 'jq(. + {released: true})'}
`;

async function execute(source: string, input = '{}', more: Readonly<Record<string, string>> = {}) {
  const world = await worldWith({ ...more, main: source });
  const { id } = await world.execute('main', input);
  await settle(world);
  return { world, run: await endOf(world, id) };
}

describe('a workflow with handlers', () => {
  test('enters onFailure and then finally when a state fails, and the run keeps its error', async () => {
    const source = `${HANDLED}states:\n- {id: a, type: error, error: shop.closed, message: shut}\n${CHAINS}`;
    const { world, run } = await execute(source.replace('shut}', 'shut, transition: b}\n- {id: b, type: noop}'));
    expect(run).toMatchObject({ status: 'failed', code: 'shop.closed', message: 'shut' });
    expect(run.flow).toEqual(['a', 'b', 'undo', 'undo-more', 'release']);
    expect(run.data).toMatchObject({ undone: 'shop.closed', released: true, error: { state: 'b' } });
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('enters finally alone when the run succeeds, and its data is the output', async () => {
    const { run } = await execute(`${HANDLED}states:\n- {id: a, type: noop, transform: {a: 1}}\n${CHAINS}`);
    expect(run).toMatchObject({ status: 'complete', code: '', data: { a: 1, released: true } });
    expect(run.flow).toEqual(['a', 'release']);
  });

  test('enters a handler after a crash of a state, and ends as crashed', async () => {
    const image = `functions: [{id: f, type: subflow, workflow: nowhere}]\n`;
    const states = `states:\n- {id: a, type: action, action: {function: f}}\n- {id: last, type: noop}\n`;
    const { run } = await execute(`onFailure: last\n${image}${states}`);
    expect(run.status).not.toBe('complete');
    expect(run.flow).toEqual(['a', 'last']);
  });

  test('changes nothing by a failure within a handler, which the log names', async () => {
    const source = `onFailure: bad
finally: worse
states:
- {id: a, type: validate, schema: {type: object, required: [x]}}
- {id: bad, type: validate, schema: {type: object, required: [y]}}
- {id: worse, type: validate, schema: {type: object, required: [z]}}
`;
    const { run } = await execute(source);
    expect(run).toMatchObject({ status: 'failed', code: 'service.schema.failed' });
    expect(run.message).toContain('x');
    expect(run.flow).toEqual(['a', 'bad', 'worse']);
    const texts = run.tail.map(({ text }) => text);
    expect(texts.filter((text) => text.includes('which changes nothing'))).toHaveLength(2);
  });

  test('enters onFailure when the time of the run is over, and gives the chain a time of its own', async () => {
    const source = `timeouts: {interrupt: PT5S, kill: PT10S, handlers: PT20S}
onFailure: late
states:
- {id: a, type: delay, duration: PT1H}
- {id: late, type: delay, duration: PT15S, transition: later}
- {id: later, type: delay, duration: PT15S}
`;
    const { run } = await execute(source);
    expect(run).toMatchObject({ status: 'failed', code: 'service.cancels.timeout.soft' });
    expect(run.flow).toEqual(['a', 'late', 'later']);
    expect(run.tail.map(({ text }) => text).join('\n')).toContain("the time of the handler 'onFailure' is over");
    expect(run.updated - run.created).toBeLessThan(30_000);
  });

  test('goes from any state to the catch of the workflow that matches, except from that state itself', async () => {
    const source = `catch: [{error: 'service.schema.*', transition: mend}, {error: '*', transition: other}]
states:
- {id: a, type: validate, schema: {type: object, required: [x]}}
- {id: mend, type: validate, schema: {type: object, required: [y]}}
- {id: other, type: noop}
`;
    const { run } = await execute(source);
    expect(run).toMatchObject({ status: 'complete' });
    expect(run.flow).toEqual(['a', 'mend', 'other']);
  });
});

const ASKING = `cancelOn: {type: order.cancelled, context: {order: jq(.id)}, transition: refund}
onFailure: undo
finally: release
functions: [{id: kid, type: subflow, workflow: kid}]
states:
- {id: a, type: action, action: {function: kid}}
- {id: refund, type: delay, duration: PT5S, transform: 'jq(. + {refunded: true})'}
${CHAINS}`;
const KID = 'states: [{id: until, type: consumeEvent, event: {type: never}, timeout: P1D}]\n';

async function send(world: World, id: string): Promise<void> {
  const namespace = await namespaces.need(world.reliable, world.namespace);
  await receive(world.ports, namespace, {
    specversion: '1.0',
    id,
    source: 'shop',
    type: 'order.cancelled',
    order: 'o-1',
  });
}

describe('a run that is cancelled from outside', () => {
  test('by the event of cancelOn enters its handler, and its calls end', async () => {
    const { world, run: waiting } = await execute(ASKING, '{"id":"o-1"}', { kid: KID });
    expect(waiting.status).toBe('pending');
    await send(world, 'e-1');
    await settle(world);
    const run = await endOf(world, waiting.id);
    expect(run).toMatchObject({ status: 'failed', code: 'service.cancels.event', data: { refunded: true } });
    expect(run.flow).toEqual(['a', 'refund', 'release']);
    expect(run.data['error']).toMatchObject({ code: 'service.cancels.event', state: 'a' });
    const texts = run.tail.map(({ text }) => text);
    expect(texts).toContain("Entering the handler 'cancelOn.transition': refund.");
    expect(texts).toContain("Entering the handler 'finally': release.");
    const codes = Object.fromEntries((await runsOf(world)).map(({ path, code }) => [path, code]));
    expect(codes).toEqual({ '/main': 'service.cancels.event', '/kid': 'service.cancels.parent' });
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('takes no second event that would cancel it', async () => {
    const { world, run: waiting } = await execute(ASKING, '{"id":"o-1"}', { kid: KID });
    await send(world, 'e-1');
    await world.deliver();
    await send(world, 'e-2');
    await settle(world);
    const run = await endOf(world, waiting.id);
    expect(run.message).toContain("'e-1'");
    expect(run.flow).toEqual(['a', 'refund', 'release']);
  });

  test.each(['cancels.event', 'cancels.parent'] as const)(
    'enters its handler once if %s is delivered twice',
    async (reason) => {
      const source = `${HANDLED}states:\n- {id: a, type: delay, duration: PT1H}\n${CHAINS}`.replace(
        'id: release, type: noop',
        'id: release, type: delay, duration: PT2S',
      );
      const { world, run: waiting } = await execute(source);
      const why = { reason, message: 'over' };
      await cancel(world.ports, waiting, why);
      // As by a process that read the run before the first delivery was committed.
      await cancel(world.ports, waiting, why);
      await settle(world);
      const run = await endOf(world, waiting.id);
      const handlers = reason === 'cancels.event' ? ['undo', 'undo-more', 'release'] : ['release'];
      expect(run).toMatchObject({ status: 'failed', code: `service.${reason}`, flow: ['a', ...handlers] });
      expect(run.data).toMatchObject({ released: true });
      expect(unfinishedOf(world)).toEqual([]);
    },
  );

  test('by a request enters finally alone, and a second request ends it at once', async () => {
    const source = `${HANDLED}states:\n- {id: a, type: delay, duration: PT1H}\n${CHAINS}`.replace(
      'id: release, type: noop',
      'id: release, type: delay, duration: PT1H',
    );
    const { world, run: waiting } = await execute(source.replace('handlers', ''));
    const taken = await cancel(world.ports, waiting);
    expect(taken.status).toBe('pending');
    await settle(world, 10_000);
    expect((await endOf(world, waiting.id)).flow).toEqual(['a', 'release']);
    const ended = await cancel(world.ports, await endOf(world, waiting.id));
    expect(ended).toMatchObject({ status: 'failed', code: 'service.cancels.api' });
    await settle(world);
    expect(unfinishedOf(world)).toEqual([]);
  });
});
