import { beforeEach, describe, expect, test, vi } from 'vitest';
import * as events from '../../../lib/domain/events/events.ts';
import * as instances from '../../../lib/domain/instances/instances.ts';
import type { Namespace } from '../../../lib/domain/namespaces/namespaces.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { createDirectory } from '../../../lib/engine/changes/publishing.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { reconcile } from '../../../lib/engine/recovery/reconciler.ts';
import { route } from '../../../lib/engine/routing/router.ts';
import { eventOf, MemoryPorts } from '../world/memory-ports.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let memory: MemoryPorts;
let namespace: Namespace;

beforeEach(async () => {
  memory = new MemoryPorts();
  namespace = await memory.namespace('late');
});

const loseEvent = async (id: string): Promise<void> => {
  await receive(memory.ports, namespace, eventOf(id));
  memory.messages.length = 0;
};

/** The events that a pass of the reconciler publishes. */
const publishedAfter = async (milliseconds: number): Promise<string[]> => {
  memory.now += milliseconds;
  memory.delayed.length = 0;
  await reconcile(memory.ports, { isExclusive: false });
  return memory.delayed.map(({ message }) => message.id);
};

const runsOf = async () => {
  const request = { limit: 0, offset: 0, order: [], filter: [] };
  return (await instances.list(memory.ports, 'late', request)).results;
};

describe('the reconciler', () => {
  test('publishes an event that was recorded and not routed, and again ever less often', async () => {
    await loseEvent('e1');
    expect(await publishedAfter(MINUTE)).toEqual(['e1']);
    const names = new Set<string>();
    const { publishAt } = memory.ports.bus;
    const bus = {
      ...memory.ports.bus,
      publishAt: async (...call: Parameters<typeof publishAt>) => void names.add(call[1]),
    };
    for (let minutes = 0; minutes < 24 * 60; minutes += 1) {
      memory.now += MINUTE;
      await reconcile({ ...memory.ports, bus }, { isExclusive: false });
    }
    expect(names.size).toBe(10);
  });

  test('publishes at once, at a start, what is not routed, and what is due later at its time', async () => {
    await loseEvent('now');
    await receive(memory.ports, namespace, eventOf('later'), HOUR);
    memory.delayed.length = 0;
    await reconcile(memory.ports, { isExclusive: true });
    const found = memory.delayed.map(({ at, message: { id } }) => [id, at - memory.now]);
    expect(new Map(found as [string, number][])).toEqual(
      new Map([
        ['now', 0],
        ['later', HOUR],
      ]),
    );
  });

  test('reads an event once, when it was routed', async () => {
    await receive(memory.ports, namespace, eventOf('routed'));
    await memory.routeAll();
    await publishedAfter(HOUR);
    const reads = vi.spyOn(memory.ports.table, 'get');
    await publishedAfter(HOUR);
    const keys = reads.mock.calls.flatMap(([all]) => all.map(({ pk }) => pk));
    expect(keys.filter((pk) => pk.startsWith('events#'))).toEqual([]);
  });

  test('ignores an event that is younger than a minute, was routed, or is older than a day', async () => {
    await loseEvent('old');
    memory.now += 25 * HOUR;
    await receive(memory.ports, namespace, eventOf('routed'));
    await memory.routeAll();
    memory.now += HOUR;
    await loseEvent('young');
    expect(await publishedAfter(MINUTE - 1)).toEqual([]);
    expect(await publishedAfter(1)).toEqual(['young']);
  });

  test('ignores a delayed event until a minute after it is due', async () => {
    await receive(memory.ports, namespace, eventOf('delayed'), HOUR);
    expect(await publishedAfter(HOUR)).toEqual([]);
    expect(await publishedAfter(MINUTE)).toEqual(['delayed']);
  });

  test('sends any number of events', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => `e${index}`);
    for (const id of ids) await loseEvent(id);
    expect((await publishedAfter(HOUR)).toSorted()).toEqual(ids.toSorted());
  });
});

describe('an event that a namespace sends about itself', () => {
  test('is in the history at once and is published after a minute', async () => {
    const sender = await memory.namespace('sender', ['directory.create']);
    await createDirectory(memory.ports, 'sender', '/d');
    const [later] = memory.delayed;
    expect([memory.delayed.length, memory.messages.length]).toEqual([1, 0]);
    expect(later?.at).toBe(memory.now + MINUTE);
    const { event, due } = await events.need(memory.ports, sender.id, later?.message.id ?? '');
    expect([event.type, due]).toEqual(['directory.create', memory.now + MINUTE]);
  });
});

describe('an event that the router gets again', () => {
  const start = 'start: {type: event, event: {type: t}}\nstates:\n- {id: a, type: noop}\n';

  test('does not start a workflow that was stored after its routing was complete', async () => {
    await workflows.create(memory.ports, 'late', '/before', start);
    await receive(memory.ports, namespace, eventOf('e1'));
    const [message] = memory.messages;
    await memory.routeAll();
    await workflows.create(memory.ports, 'late', '/after', start);
    if (message !== undefined) await route(memory.ports, message);
    expect((await runsOf()).map(({ as }) => as)).toEqual(['/before']);
  });

  test('is delivered to the others when one listener fails, and to that one the next time', async () => {
    for (const path of ['/one', '/two', '/three']) await workflows.create(memory.ports, 'late', path, start);
    await receive(memory.ports, namespace, eventOf('e1'));
    const [message] = memory.messages;
    if (message === undefined) throw new Error('nothing was sent');
    let isBroken = true;
    const { executions } = memory.ports;
    const define: typeof executions.define = async (machine) => {
      if (!isBroken) return executions.define(machine);
      isBroken = false;
      throw new Error('this one fails');
    };
    const settings = { ...memory.ports.settings, startBudgetMs: 0 };
    const broken = { ...memory.ports, settings, executions: { ...executions, define } };
    await expect(route(broken, message)).rejects.toThrow('this one fails');
    expect(await runsOf()).toHaveLength(2);
    await route(broken, message);
    expect(new Set((await runsOf()).map(({ as }) => as)).size).toBe(3);
    const { isRouted, traces } = await events.need(memory.ports, namespace.id, 'e1');
    expect([isRouted, traces.map(({ did }) => did)]).toEqual([true, ['started', 'started', 'started']]);
  });

  test('that cannot start a run is not retried, and explain shows why', async () => {
    await workflows.create(memory.ports, 'late', '/deep', start);
    const data = JSON.parse(`${'['.repeat(1100)}${']'.repeat(1100)}`) as unknown;
    await receive(memory.ports, namespace, { ...eventOf('e1'), data });
    await memory.routeAll();
    const { isRouted, traces } = await events.need(memory.ports, namespace.id, 'e1');
    expect([isRouted, traces[0]?.did]).toEqual([true, expect.stringMatching(/^nothing: the input is/)]);
  });
});

describe('the events that a workflow collects', () => {
  test('count for the lifespan, also when they are delivered late', async () => {
    const and = 'start: {type: eventsAnd, lifespan: PT1H, events: [{type: a}, {type: b}]}\n';
    await workflows.create(memory.ports, 'late', '/flow', `${and}states:\n- {id: a, type: noop}\n`);
    const sendAt = async (minutes: number, id: string, type: string): Promise<number> => {
      memory.now += minutes * MINUTE;
      await receive(memory.ports, namespace, eventOf(id, type));
      await memory.routeAll();
      return (await runsOf()).length;
    };
    expect(await sendAt(0, 'a1', 'a')).toBe(0);
    expect(await sendAt(61, 'b1', 'b')).toBe(0);
    expect(await sendAt(60, 'a2', 'a')).toBe(0);
    expect(await sendAt(59, 'b3', 'b')).toBe(1);
    expect(await sendAt(0, 'b2', 'b')).toBe(1);
    await receive(memory.ports, namespace, eventOf('a3', 'a'));
    memory.now += 61 * MINUTE;
    await memory.routeAll();
    expect(await runsOf()).toHaveLength(1);
  });
});
