import { afterAll, afterEach, beforeAll } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { openDatabase, World } from './engine-world.ts';

/**
 * Opens a database for the tests of a file. Returns the function that makes a world in it with these workflows by their paths;
 * the world is closed after its test.
 */
export function openWorlds(): (sources: Readonly<Record<string, string>>) => Promise<World> {
  let database: LocalTable;
  beforeAll(async () => {
    database = await openDatabase();
  });
  afterAll(() => database.close());
  const worlds: World[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
  });
  return async (sources) => {
    const world = new World(database);
    worlds.push(world);
    await world.store(sources);
    return world;
  };
}
