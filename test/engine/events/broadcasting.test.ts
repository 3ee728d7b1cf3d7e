import { expect, test } from 'vitest';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { broadcast } from '../../../lib/engine/events/broadcasting.ts';
import type { Processor } from '../../../lib/ports/processor.ts';
import { openWorlds } from '../world/worlds.ts';

const worldWith = openWorlds();

const eventOf = (id: string) => ({ specversion: '1.0', id, source: 'tests', type: 'one' });

test('a batch of events is accepted in turns of its namespace, so that a long one keeps no other tenant waiting', async () => {
  const world = await worldWith({});
  const turns: string[] = [];
  let asked = 0;
  const processor: Processor = {
    // Every second event is the last of a turn.
    mayCompute: () => ++asked % 2 === 1,
    takeTurn: async (tenant) => void turns.push(tenant),
    takeLargeTurn: async () => {},
    holdInput: (_tenant, _bytes, work) => work(),
  };
  const namespace = await namespaces.need(world.reliable, world.namespace);
  const body = Buffer.from(JSON.stringify(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(eventOf)));
  const headers = { 'content-type': 'application/cloudevents-batch+json' };
  await broadcast({ ...world.reliable, processor }, namespace, { headers, body });
  expect(turns).toEqual(Array.from({ length: 3 }, () => world.namespace));
});
