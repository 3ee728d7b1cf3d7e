import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runs } from './admission-world.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function worldWith(sources: Readonly<Record<string, string>>): Promise<World> {
  const world = new World(database, {});
  worlds.push(world);
  await world.store(sources);
  return world;
}

const nap = (concurrency: string, more = ''): string =>
  `concurrency: ${concurrency}\n${more}states: [{id: nap, type: delay, duration: PT10S}]\n`;

describe('a workflow with a limit', () => {
  test('runs as many as may be and queues the others, which begin in their order', async () => {
    const world = await worldWith({ main: nap('{limit: 2, key: jq(.k)}') });
    const ids: string[] = [];
    for (const [n, k] of ['a', 'a', 'a', 'b', 'a'].entries()) {
      ids.push((await world.execute('main', JSON.stringify({ k, n }))).id);
    }
    expect(await runs(world)).toEqual(['0 pending', '1 pending', '2 queued', '3 pending', '4 queued']);
    await world.pass(world.time.clock.now() + 11_000);
    expect(await runs(world)).toEqual(['0 complete', '1 complete', '2 pending', '3 complete', '4 pending']);
    await world.pass();
    expect(await runs(world)).toEqual(['0', '1', '2', '3', '4'].map((n) => `${n} complete`));
  });
});
