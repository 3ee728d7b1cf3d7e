import { beforeEach, describe, expect, test } from 'vitest';
import * as events from '../../../lib/domain/events/events.ts';
import * as instances from '../../../lib/domain/instances/instances.ts';
import type { Namespace } from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import type { Route } from '../../../lib/domain/tree/nodes.ts';
import * as refs from '../../../lib/domain/tree/refs.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { divideStarts } from '../../../lib/engine/changes/publishing.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { route } from '../../../lib/engine/routing/router.ts';
import { startByClock } from '../../../lib/engine/routing/starts.ts';
import { eventOf, MemoryPorts } from '../world/memory-ports.ts';

const MANY = 300;
const EVENT = '{type: event, event: {type: t}}';
const CRON = '{type: scheduled, cron: "* * * * *"}';
const sourceOf = (start: string, version: string) =>
  `start: ${start}\nstates:\n- {id: a, type: noop, transform: {version: ${version}}}\n`;

let memory: MemoryPorts;
let namespace: Namespace;

beforeEach(async () => {
  memory = new MemoryPorts();
  namespace = await memory.namespace('shares');
});

/** A workflow whose revision `v1` gets three of four starts, and `latest` one. */
async function divided(start: string) {
  const { ports } = memory;
  const first = await workflows.create(ports, 'shares', '/flow', sourceOf(start, 'one'));
  await refs.tag(ports, first.node, '', 'v1');
  const second = await workflows.update(ports, first, sourceOf(start, 'two'));
  const share = async (routes: readonly Route[]) => {
    const { namespace: home, node } = await workflows.open(ports, 'shares', '/flow');
    await divideStarts(ports, { namespace: home, node }, { live: true, routes });
  };
  await share([
    { ref: 'v1', weight: 75 },
    { ref: 'latest', weight: 25 },
  ]);
  return { id: first.node.id, share, one: first.revision.id, two: second.revision.id };
}

async function startedBy(): Promise<runs.Run[]> {
  const { results } = await instances.list(memory.ports, 'shares', toListRequest({}));
  const found = await runs.findMany(
    memory.ports,
    results.map(({ id }) => id),
  );
  return found.filter((run) => run !== undefined);
}

const shareOf = (all: readonly runs.Run[], revision: string): number =>
  all.filter((run) => run.revision === revision).length / all.length;

describe('a workflow whose starts are divided among revisions', () => {
  test('is started by events in the proportion of the weights', async () => {
    const { one, two } = await divided(EVENT);
    for (let number = 0; number < MANY; number += 1) await receive(memory.ports, namespace, eventOf(`e${number}`));
    await memory.routeAll();
    const all = await startedBy();
    expect(all).toHaveLength(MANY);
    expect(shareOf(all, one)).toBeGreaterThan(0.65);
    expect(shareOf(all, one)).toBeLessThan(0.85);
    expect(shareOf(all, one) + shareOf(all, two)).toBe(1);
  });

  test('is started by the clock in the proportion of the weights, and once for each planned time', async () => {
    const { id, one } = await divided(CRON);
    const target = { id, namespace: 'shares', workflow: '/flow' };
    for (let minute = 0; minute < MANY; minute += 1) {
      for (const _ of ['once', 'again']) await startByClock(memory.ports, target, memory.now + minute * 60_000);
    }
    const all = await startedBy();
    expect(all).toHaveLength(MANY);
    expect(shareOf(all, one)).toBeGreaterThan(0.65);
    expect(shareOf(all, one)).toBeLessThan(0.85);
  });

  test('chooses the same revision when an event is delivered again after a crash of the router', async () => {
    const { two } = await divided(EVENT);
    const { ports } = memory;
    for (let number = 0; number < 40; number += 1) {
      await receive(ports, namespace, eventOf(`e${number}`));
      const [message] = memory.messages.splice(0);
      if (message === undefined) throw new Error('nothing was sent');
      // The write that crashes names the revision that was chosen.
      const chosen: string[] = [];
      const table: typeof ports.table = {
        ...ports.table,
        get: (keys) => ports.table.get(keys),
        query: (query) => ports.table.query(query),
        write: async (writes) => {
          const run = writes.find((write) => write.do === 'put' && write.item.pk.startsWith('run#'));
          if (run?.do !== 'put') return ports.table.write(writes);
          chosen.push(String(run.item['revision']));
          if (chosen.length < 3) throw new Error('the router crashes');
          return ports.table.write(writes);
        },
      };
      for (const _ of ['first', 'second']) {
        await expect(route({ ...ports, table }, message)).rejects.toThrow('the router crashes');
      }
      await route({ ...ports, table }, message);
      expect(new Set(chosen).size, chosen.join()).toBe(1);
    }
    expect(shareOf(await startedBy(), two)).toBeGreaterThan(0);
  });

  test('keeps the run that was stored when the weights change before the event is delivered again', async () => {
    const { share, one, two } = await divided(EVENT);
    await receive(memory.ports, namespace, eventOf('e1'));
    const [message] = memory.messages.splice(0);
    if (message === undefined) throw new Error('nothing was sent');
    await route(memory.ports, message);
    const [before] = await startedBy();
    await share([{ ref: before?.revision === one ? 'latest' : 'v1', weight: 1 }]);
    const { key } = await events.need(memory.ports, namespace.id, 'e1');
    await memory.ports.table.write([{ do: 'update', key, set: { routed: false, trace: '[]' } }]);
    await route(memory.ports, message);
    const after = await startedBy();
    expect(after.map(({ id, revision }) => [id, revision])).toEqual([[before?.id, before?.revision]]);
    expect([one, two]).toContain(before?.revision);
    expect(memory.started).toEqual([]);
  });
});
