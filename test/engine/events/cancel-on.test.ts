import { describe, expect, test } from 'vitest';
import * as events from '../../../lib/domain/events/events.ts';
import * as listenerList from '../../../lib/domain/events/listener-list.ts';
import { explain } from '../../../lib/domain/events/near-misses.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { toWaiting } from '../../../lib/engine/inspection/waiting.ts';
import { reconcile } from '../../../lib/engine/recovery/reconciler.ts';
import type { World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';
import { openWorlds } from '../world/worlds.ts';

const worldWith = openWorlds();

const CANCEL = `cancelOn: {type: order.cancelled, context: {order: jq(.id)}}\n`;
const WAITING = `${CANCEL}states: [{id: until, type: consumeEvent, event: {type: never}, timeout: P1D}]\n`;

/** A minute: the runs wait by then, and no timeout is over. */
const settle = async (world: World): Promise<void> => {
  await world.pass(world.time.clock.now() + 60_000);
  await world.deliver();
  await world.pass(world.time.clock.now() + 60_000);
};

async function send(world: World, order: string, id = `cancel-${order}`): Promise<void> {
  const namespace = await namespaces.need(world.reliable, world.namespace);
  await receive(world.ports, namespace, { specversion: '1.0', id, source: 'shop', type: 'order.cancelled', order });
}

async function listenersOf(world: World) {
  const namespace = await namespaces.need(world.reliable, world.namespace);
  return (await listenerList.list(world.reliable, namespace, { limit: 0, offset: 0, order: [], filter: [] })).results;
}

const by = (order: string): string =>
  `cancelled by the event 'cancel-${order}' of the type 'order.cancelled' from 'shop'`;

describe('a run that an event cancels', () => {
  test('ends with the event in its message and its log, and goes on after an event of another', async () => {
    const world = await worldWith({ main: WAITING });
    const { id } = await world.execute('main', '{"id":"o-1"}');
    await settle(world);
    await send(world, 'o-2');
    await settle(world);
    const waiting = await runs.find(world.reliable, id);
    expect(waiting?.status).toBe('pending');
    expect(await listenersOf(world)).toMatchObject([
      { instance: id, events: [{ type: 'order.cancelled', filters: { order: 'o-1' } }], cancels: true },
      { instance: id, events: [{ type: 'never' }] },
    ]);
    if (waiting !== undefined)
      expect(await toWaiting(world.reliable, waiting)).toMatchObject({
        cancelOn: { type: 'order.cancelled', context: { order: 'o-1' } },
      });
    await send(world, 'o-1');
    await settle(world);
    const ended = await runs.find(world.reliable, id);
    expect(ended).toMatchObject({ status: 'failed', code: 'service.cancels.event', message: by('o-1') });
    expect(ended?.tail.at(-1)).toMatchObject({
      level: 'error',
      text: `Instance failed with uncatchable error 'service.cancels.event': ${by('o-1')}`,
    });
    expect(await listenersOf(world)).toEqual([]);
    expect(unfinishedOf(world)).toEqual([]);
    const namespace = await namespaces.need(world.reliable, world.namespace);
    const recorded = await events.need(world.reliable, namespace.id, 'cancel-o-1');
    expect((await explain(world.reliable, namespace.id, recorded)).listeners).toEqual([
      { listener: `cancel ${id}`, workflow: '/main', matches: true, did: 'cancelled' },
    ]);
  });

  test('is a subflow: its caller catches the end', async () => {
    const world = await worldWith({
      kid: WAITING,
      main: `functions: [{id: kid, type: subflow, workflow: kid}]
states:
- {id: go, type: action, action: {function: kid}, catch: [{error: service.cancels.event, transition: told}]}
- {id: told, type: noop}
`,
    });
    const { id } = await world.execute('main', '{"id":"o-1"}');
    await settle(world);
    await send(world, 'o-1');
    await settle(world);
    expect(await runs.find(world.reliable, id)).toMatchObject({
      status: 'complete',
      at: 'told',
      data: { error: { code: 'service.cancels.event', msg: by('o-1') } },
    });
  });

  test('waits for a subflow, which ends with it; an asynchronous one with its own event alone', async () => {
    const kid = 'states: [{id: until, type: consumeEvent, event: {type: never}, timeout: P1D}]\n';
    const world = await worldWith({
      own: WAITING,
      kid,
      main: `${CANCEL}functions:
- {id: kid, type: subflow, workflow: kid}
- {id: own, type: subflow, workflow: own}
states:
- {id: apart, type: action, async: true, action: {function: own, input: {id: o-2}}, transition: go}
- {id: go, type: action, action: {function: kid}}
`,
    });
    await world.execute('main', '{"id":"o-1"}');
    await settle(world);
    await send(world, 'o-1');
    await settle(world);
    const codes = async () => Object.fromEntries((await runsOf(world)).map(({ path, code }) => [path, code]));
    expect(await codes()).toEqual({ '/main': 'service.cancels.event', '/kid': 'service.cancels.parent', '/own': '' });
    await send(world, 'o-2');
    await settle(world);
    expect(await codes()).toMatchObject({ '/own': 'service.cancels.event' });
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('ends at once if the event came while it began, before it was stored', async () => {
    const world = await worldWith({ main: WAITING });
    let isSent = false;
    world.process.onCall = async () => {
      if (isSent) return;
      isSent = true;
      await send(world, 'o-1');
      // The router finds no listener yet.
      await world.bus.deliver(world.time.clock.now(), async () => {});
    };
    const { id } = await world.execute('main', '{"id":"o-1"}');
    expect((await runs.find(world.reliable, id))?.message).toBe(by('o-1'));
  });

  test('has no listener if it ends in its first commit, and fails if the context cannot be evaluated', async () => {
    const world = await worldWith({
      quick: `${CANCEL}states: [{id: a, type: noop}]\n`,
      wrong: `cancelOn: {type: t, context: {order: jq(.id | error)}}\nstates: [{id: a, type: noop}]\n`,
    });
    await world.execute('quick', '{"id":"o-1"}');
    expect(await listenersOf(world)).toEqual([]);
    const { id } = await world.execute('wrong', '{"id":"o-1"}');
    expect(await runs.find(world.reliable, id)).toMatchObject({
      status: 'failed',
      code: 'service.event.jq',
      message: expect.stringMatching(/^the context of cancelOn /),
    });
  });

  test('is not cancelled by an event that came before it', async () => {
    const world = await worldWith({ main: WAITING });
    await send(world, 'o-1');
    world.time.advance(1_000);
    const { id } = await world.execute('main', '{"id":"o-1"}');
    await settle(world);
    await reconcile(world.reliable, { isExclusive: true });
    expect((await runs.find(world.reliable, id))?.status).toBe('pending');
  });
});

describe('a number or boolean in the context of cancelOn', () => {
  const sendOrder = async (world: World, order: unknown, id: string): Promise<void> => {
    const namespace = await namespaces.need(world.reliable, world.namespace);
    const event = { specversion: '1.0', id, source: 'shop', type: 'order.cancelled', order } as const;
    await receive(world.ports, namespace, event);
  };

  test.each([
    ['{"id":1}', ['2', 2, true, '10'], '1'],
    ['{"id":1}', ['2'], 1],
    ['{"id":"1"}', [2, '2'], 1],
    ['{"id":true}', [false, 'false', 1], 'true'],
    ['{"id":0.5}', [5, '0.55'], 0.5],
  ])('is compared by value: the run of %s is not cancelled by %j', async (input, others, own) => {
    const world = await worldWith({ main: WAITING });
    const { id } = await world.execute('main', input);
    await settle(world);
    for (const [index, order] of others.entries()) await sendOrder(world, order, `other-${index}`);
    await settle(world);
    expect((await runs.find(world.reliable, id))?.status).toBe('pending');
    await sendOrder(world, own, 'own');
    await settle(world);
    expect(await runs.find(world.reliable, id)).toMatchObject({ status: 'failed', code: 'service.cancels.event' });
  });

  test('is compared by value for an event that came before the run waits', async () => {
    const world = await worldWith({ main: WAITING });
    const { id } = await world.execute('main', '{"id":1}');
    await sendOrder(world, 2, 'other');
    await settle(world);
    expect((await runs.find(world.reliable, id))?.status).toBe('pending');
  });
});

test('an event at any moment of a run cancels it once, or comes after its end', async () => {
  const source = `${CANCEL}states:
- {id: nap, type: delay, duration: PT1S, transition: more}
- {id: more, type: delay, duration: PT1S}
`;
  const results = new Set<string>();
  for (let at = 1, isReached = true; isReached; at += 3) {
    const world = await worldWith({ main: source });
    let calls = 0;
    isReached = false;
    world.process.onCall = async () => {
      calls += 1;
      if (calls !== at) return;
      isReached = true;
      await send(world, 'o-1');
      await world.deliver();
    };
    await world.execute('main', '{"id":"o-1"}');
    await world.pass();
    await world.deliver();
    await world.pass();
    const [run] = await runsOf(world);
    results.add(`${isReached} ${run?.status} ${run?.code}`);
    expect(unfinishedOf(world)).toEqual([]);
    expect(await listenersOf(world)).toEqual([]);
  }
  expect([...results].toSorted()).toEqual(['false complete ', 'true failed service.cancels.event']);
});
