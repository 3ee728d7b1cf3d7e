import { expect, test } from 'vitest';
import { createWorkflow } from '../../../lib/engine/changes/publishing.ts';
import type { Processor } from '../../../lib/ports/processor.ts';
import { openWorlds } from '../world/worlds.ts';

const worldWith = openWorlds();

const delays = (count: number): string =>
  `states:\n${Array.from({ length: count }, (_, at) => `- {id: s${at}, type: delay, duration: PT1S, transition: s${at + 1}}\n`).join('')}- {id: s${count}, type: noop}\n`;

test.each([
  ['of many states takes a turn for large data', 150, 1],
  ['of few states takes none', 5, 0],
])('the definition of the machine of a workflow %s', async (_, count, expected) => {
  const world = await worldWith({});
  const turns: string[] = [];
  const processor: Processor = {
    mayCompute: () => true,
    takeTurn: async () => {},
    takeLargeTurn: async (tenant) => void turns.push(tenant),
    holdInput: (_tenant, _bytes, work) => work(),
  };
  const text = { namespace: world.namespace, path: '/large', source: delays(count) };
  await createWorkflow({ ...world.reliable, processor }, text);
  expect(turns).toEqual(Array.from({ length: expected }, () => world.namespace));
});
