import { describe, expect, test } from 'vitest';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { createWorkflow } from '../../../lib/engine/changes/publishing.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { route } from '../../../lib/engine/routing/router.ts';
import { MAX_NODES } from '../../../lib/language/json-size.ts';
import { IS_FULL } from '../../effort.ts';
import { CrashedError } from '../world/crashing-ports.ts';
import type { World } from '../world/engine-world.ts';
import { runsOf } from '../world/snapshot.ts';
import { openWorlds } from '../world/worlds.ts';

const openWorld = openWorlds();

async function worldWith(batch: string, more = ''): Promise<World> {
  const world = await openWorld({});
  const source = `start: {type: event, event: {type: reading}, batch: ${batch}}
${more}states: [{id: a, type: noop}]
`;
  await createWorkflow(world.ports, { namespace: world.namespace, path: '/readings', source });
  return world;
}

async function send(world: World, ids: readonly number[], device = 'd-1', data: unknown = 1): Promise<void> {
  const namespace = await namespaces.need(world.reliable, world.namespace);
  for (const id of ids) {
    await receive(world.ports, namespace, {
      specversion: '1.0',
      id: `e${id}`,
      source: 's',
      type: 'reading',
      device,
      data,
    });
  }
}

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** The status and the ids of the events of each run, in the order of these texts. */
async function shown(world: World): Promise<string[]> {
  const found = await runsOf(world);
  const texts = found.map((run) => {
    const events = (run.data['events'] ?? []) as readonly { readonly id: string }[];
    return `${runs.isQueued(run) ? 'queued' : run.status} ${events.map(({ id }) => id).join(' ')}`;
  });
  return texts.sort();
}

describe('a start with a batch', () => {
  test('gives one run the events of a time', async () => {
    const world = await worldWith('{size: 10, for: PT5S}');
    await send(world, [0, 1, 2]);
    await world.deliver();
    expect(await shown(world)).toEqual(['queued e0 e1 e2']);
    await world.pass();
    expect(await shown(world)).toEqual(['complete e0 e1 e2']);
  });

  test('begins at once with as many events as may be', async () => {
    const world = await worldWith('{size: 2, for: PT1H}');
    await send(world, range(5));
    const before = world.time.clock.now();
    await world.deliver();
    await world.pass(before + 1000);
    expect(await shown(world)).toEqual(['complete e0 e1', 'complete e2 e3', 'queued e4']);
    await world.pass();
    expect(await shown(world)).toEqual(['complete e0 e1', 'complete e2 e3', 'complete e4']);
  });

  test('collects the events of each key apart', async () => {
    const world = await worldWith('{size: 10, for: PT5S, key: jq(.device)}');
    await send(world, [0], 'a');
    await send(world, [1], 'b');
    await send(world, [2], 'a');
    await world.deliver();
    await world.pass();
    expect(await shown(world)).toEqual(['complete e0 e2', 'complete e1']);
  });

  test('stores a run that failed for an event whose key cannot be evaluated', async () => {
    const world = await worldWith('{size: 10, for: PT5S, key: jq(error("none"))}');
    await send(world, [0]);
    await world.deliver();
    expect((await runsOf(world)).map(({ status, code }) => [status, code])).toEqual([
      ['failed', 'service.flow.refused'],
    ]);
  });

  test('makes another run where the events are too large together', async () => {
    const world = await worldWith('{size: 10, for: PT5S}');
    for (const id of range(3)) await send(world, [id], 'd-1', Array(Math.floor(MAX_NODES * 0.4)).fill(1));
    await world.deliver();
    await world.pass();
    expect(await shown(world)).toEqual(['complete e0 e1', 'complete e2']);
  });

  test('takes an event once, however often it is delivered, also after the run has begun', async () => {
    const world = await worldWith('{size: 2, for: PT5S}');
    await send(world, [0, 1]);
    const messages = [...world.bus.messages];
    for (const again of [1, 2]) {
      for (const message of messages) await world.process.work(() => route(world.ports, message));
      if (again === 1) await world.pass();
    }
    await world.deliver();
    await world.pass();
    expect(await shown(world)).toEqual(['complete e0 e1']);
  });

  test.each(['before', 'after'] as const)(
    'loses and doubles no event, if the process crashes %s an operation',
    async (when) => {
      for (let at = 1; ; at += IS_FULL ? 1 : 3) {
        const world = await worldWith('{size: 2, for: PT5S}', 'rate: {limit: 1, per: PT5S}\n');
        await send(world, range(5));
        world.process.crashAt({ at, when });
        const work = async () => {
          await world.deliver();
          await world.pass();
        };
        await work().catch((error: unknown) => {
          if (!(error instanceof CrashedError)) throw error;
        });
        const { hasCrashed } = world.process;
        if (hasCrashed) {
          await world.restart();
          await work();
        }
        const found = await shown(world);
        const ids = found.flatMap((text) => text.split(' ').slice(1)).sort();
        expect([at, ids]).toEqual([at, range(5).map((id) => `e${id}`)]);
        expect([at, found.every((text) => text.startsWith('complete'))]).toEqual([at, true]);
        if (!hasCrashed) break;
        expect(at).toBeLessThan(200);
      }
    },
  );
});
