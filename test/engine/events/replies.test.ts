import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { openDatabase, World } from '../world/engine-world.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const between = Array.from(
  { length: 60 },
  (_, n) => `  - {id: s${n}, type: noop, transition: ${n < 59 ? `s${n + 1}` : 'hear'}}`,
);
const sourceOf = (first: string): string => `states:
  - {id: ask, type: generateEvent, transition: ${first}, event: {type: ask, source: test}}
  - {id: rest, type: delay, duration: PT20S, transition: s0}
${between.join('\n')}
  - {id: hear, type: consumeEvent, timeout: PT1M, event: {type: reply}}
`;

/** Runs the workflow; the reply comes as soon as the event is published. Returns how the run ended. */
async function statusOf(source: string): Promise<string | undefined> {
  const world = new World(database, { msPerRead: 50 });
  try {
    await world.store({ main: source });
    const namespace = await namespaces.need(world.reliable, world.namespace);
    let isSent = false;
    let hasReplied = false;
    world.process.onCall = async (name) => {
      const isDue = isSent && !hasReplied;
      isSent ||= name === 'bus.publish';
      if (!isDue) return;
      hasReplied = true;
      await receive(world.reliable, namespace, { specversion: '1.0', id: 'r', source: 'test', type: 'reply' });
    };
    const { id } = await world.execute('main', '{}');
    await world.pass();
    expect(hasReplied).toBe(true);
    return (await runs.find(world.reliable, id))?.status;
  } finally {
    await world.close();
  }
}

test('a wait receives the reply to an event that its run sent, although checkpoints are between them', async () => {
  expect(await statusOf(sourceOf('s0'))).toBe('complete');
});

test('a wait receives no event from before another wait', async () => {
  expect(await statusOf(sourceOf('rest'))).toBe('failed');
});
