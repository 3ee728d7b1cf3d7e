import { beforeEach, describe, expect, test } from 'vitest';
import * as events from '../../../lib/domain/events/events.ts';
import * as instances from '../../../lib/domain/instances/instances.ts';
import type { Namespace } from '../../../lib/domain/namespaces/namespaces.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { createDirectory } from '../../../lib/engine/changes/publishing.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { route } from '../../../lib/engine/events/router.ts';
import { sweep } from '../../../lib/engine/recovery/sweep.ts';
import { eventOf, QuietPorts } from '../world/quiet-ports.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let quiet: QuietPorts;
let namespace: Namespace;

beforeEach(async () => {
  quiet = new QuietPorts();
  namespace = await quiet.namespace('late');
});

const lose = async (id: string): Promise<void> => {
  await receive(quiet.ports, namespace, eventOf(id));
  quiet.messages.length = 0;
};

const sweptAfter = async (milliseconds: number): Promise<string[]> => {
  quiet.now += milliseconds;
  await sweep(quiet.ports);
  return quiet.messages.map(({ id }) => id);
};

const runsOf = async () => {
  const request = { limit: 0, offset: 0, order: [], filter: [] };
  return (await instances.list(quiet.ports, 'late', request)).results;
};

describe('the sweep', () => {
  test('sends an event that was recorded and taken to nobody', async () => {
    await lose('e1');
    expect(await sweptAfter(MINUTE + 1)).toEqual(['e1']);
  });

  test('leaves one that is younger than a minute, was routed, or is older than a day', async () => {
    await lose('old');
    quiet.now += 25 * HOUR;
    await receive(quiet.ports, namespace, eventOf('routed'));
    await quiet.routeAll();
    quiet.now += HOUR;
    await lose('young');
    expect(await sweptAfter(MINUTE - 1)).toEqual([]);
    expect(await sweptAfter(2)).toEqual(['young']);
  });

  test('leaves a delayed one until a minute after it is due', async () => {
    await receive(quiet.ports, namespace, eventOf('delayed'), HOUR);
    expect(await sweptAfter(HOUR)).toEqual([]);
    expect(await sweptAfter(MINUTE)).toEqual(['delayed']);
  });

  test('looks at as many as there are', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => `e${index}`);
    for (const id of ids) await lose(id);
    expect((await sweptAfter(HOUR)).toSorted()).toEqual(ids.toSorted());
  });
});

describe('an event that the namespace tells of itself', () => {
  test('is in the history at once and goes out after a minute', async () => {
    const telling = await quiet.namespace('telling', ['directory.create']);
    await createDirectory(quiet.ports, 'telling', '/d');
    const [later] = quiet.later;
    expect([quiet.later.length, quiet.messages.length]).toEqual([1, 0]);
    expect(later?.at).toBe(quiet.now + MINUTE);
    const { event, due } = await events.need(quiet.ports, telling.id, later?.message.id ?? '');
    expect([event.type, due]).toEqual(['directory.create', quiet.now + MINUTE]);
  });
});

describe('an event that comes again to the router', () => {
  const start = 'start: {type: event, event: {type: t}}\nstates:\n- {id: a, type: noop}\n';

  test('starts no workflow that was stored after everybody had been served', async () => {
    await workflows.create(quiet.ports, 'late', '/before', start);
    await receive(quiet.ports, namespace, eventOf('e1'));
    const [message] = quiet.messages;
    await quiet.routeAll();
    await workflows.create(quiet.ports, 'late', '/after', start);
    if (message !== undefined) await route(quiet.ports, message);
    expect((await runsOf()).map(({ as }) => as)).toEqual(['/before']);
  });

  test('is served to all others when one of them fails, and to that one when it comes again', async () => {
    for (const path of ['/one', '/two', '/three']) await workflows.create(quiet.ports, 'late', path, start);
    await receive(quiet.ports, namespace, eventOf('e1'));
    const [message] = quiet.messages;
    if (message === undefined) throw new Error('nothing was sent');
    let isBroken = true;
    const { executions } = quiet.ports;
    const define: typeof executions.define = async (machine) => {
      if (!isBroken) return executions.define(machine);
      isBroken = false;
      throw new Error('this one fails');
    };
    const broken = { ...quiet.ports, executions: { ...executions, define } };
    await expect(route(broken, message)).rejects.toThrow('this one fails');
    expect(await runsOf()).toHaveLength(2);
    await route(broken, message);
    expect(new Set((await runsOf()).map(({ as }) => as)).size).toBe(3);
    const { isRouted, traces } = await events.need(quiet.ports, namespace.id, 'e1');
    expect([isRouted, traces.map(({ did }) => did)]).toEqual([true, ['started', 'started', 'started']]);
  });

  test('that can start no run is not tried for ever, and explain tells why', async () => {
    await workflows.create(quiet.ports, 'late', '/deep', start);
    const data = JSON.parse(`${'['.repeat(1100)}${']'.repeat(1100)}`) as unknown;
    await receive(quiet.ports, namespace, { ...eventOf('e1'), data });
    await quiet.routeAll();
    const { isRouted, traces } = await events.need(quiet.ports, namespace.id, 'e1');
    expect([isRouted, traces[0]?.did]).toEqual([true, expect.stringMatching(/^nothing: the input is/)]);
  });
});

describe('the events that a workflow collects', () => {
  test('count as long as the lifespan says, also when they come late', async () => {
    const and = 'start: {type: eventsAnd, lifespan: PT1H, events: [{type: a}, {type: b}]}\n';
    await workflows.create(quiet.ports, 'late', '/flow', `${and}states:\n- {id: a, type: noop}\n`);
    const sendAt = async (minutes: number, id: string, type: string): Promise<number> => {
      quiet.now += minutes * MINUTE;
      await receive(quiet.ports, namespace, eventOf(id, type));
      await quiet.routeAll();
      return (await runsOf()).length;
    };
    expect(await sendAt(0, 'a1', 'a')).toBe(0);
    expect(await sendAt(61, 'b1', 'b')).toBe(0);
    expect(await sendAt(60, 'a2', 'a')).toBe(1);
    expect(await sendAt(0, 'b2', 'b')).toBe(1);
    await receive(quiet.ports, namespace, eventOf('a3', 'a'));
    quiet.now += 61 * MINUTE;
    await quiet.routeAll();
    expect(await runsOf()).toHaveLength(1);
  });
});
