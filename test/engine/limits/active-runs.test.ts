import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { execute } from '../../../lib/engine/requests/start/start.ts';
import { openDatabase, World } from '../world/engine-world.ts';

let database: LocalTable;
let world: World;
beforeAll(async () => {
  database = await openDatabase();
});
afterEach(() => world.close());
afterAll(() => database.close());

/** The state before the wait takes a moment, in which other requests come. */
const WAITS = `states:
- {id: a, type: noop, transform: 'js(return {n: 1})', transition: nap}
- {id: nap, type: delay, duration: PT10S}
`;

test('runs that begin in requests at the same time count as active', async () => {
  world = new World(database);
  await world.store({ main: WAITS });
  const settings = { ...world.ports.settings, limits: { activeRuns: 3 } };
  const invocation = { namespace: world.namespace, path: '/main', ref: '', input: Buffer.from('{}') };
  const starts = Array.from({ length: 20 }, () => execute({ ...world.ports, settings }, invocation));
  const results = await Promise.allSettled(starts);
  const rejected = results
    .filter(({ status }) => status === 'rejected')
    .map((one) => 'reason' in one && one.reason.code);
  expect(rejected).toEqual(Array.from({ length: 17 }, () => 'too-many'));
  await world.pass();
  // Runs that have ended make room.
  expect((await execute({ ...world.ports, settings }, invocation)).run.status).toBe('pending');
});
