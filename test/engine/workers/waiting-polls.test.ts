import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { pollTasks, type WorkerPorts } from '../../../lib/engine/requests/worker-tasks/taking.ts';
import { beginWait, wakePoll } from '../../../lib/engine/workers/waiting-polls.ts';
import type { Settings } from '../../../lib/ports/settings.ts';
import { openDatabase, World } from '../world/engine-world.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const WORK = `functions: [{id: work, type: worker, queue: jobs}]
states: [{id: go, type: action, action: {function: work}}]
`;

let world: World;
let queries: number;
beforeEach(async () => {
  world = new World(database);
  await world.store({ main: WORK });
  queries = 0;
});
afterEach(() => world.close());

/** The ports of the world on a time that passes, whose queries are counted. */
function countedPorts(limits?: Settings['limits']): WorkerPorts {
  const { table, clock, settings, ...others } = world.ports;
  const behind = Date.now() - clock.now();
  const query: typeof table.query = (given) => {
    queries += 1;
    return table.query(given);
  };
  return {
    ...others,
    settings: limits === undefined ? settings : { ...settings, limits },
    clock: { ...clock, now: () => Date.now() - behind },
    table: { get: table.get.bind(table), write: table.write.bind(table), query },
  };
}

const poll = async (ports: WorkerPorts, wait: string) => {
  const home = await namespaces.need(world.reliable, world.namespace);
  return pollTasks(ports, home, 'jobs', { worker: 'w', max: 1, wait, deadline: ports.clock.now() + 60_000 });
};

const POLLS = 100;
/** A poll reads two ranges of the index. */
const OF_READ = 2;

test('the polls that wait for a queue read it as if they were one', async () => {
  const ports = countedPorts();
  await Promise.all(Array.from({ length: POLLS }, () => poll(ports, 'PT2S')));
  // Each poll reads once at its beginning and at most once at its end; in between, shared readings serve all polls.
  expect(queries).toBeLessThan(OF_READ * (2 * POLLS + 20));
});

test('a task wakes one of the polls that wait', async () => {
  const ports = countedPorts();
  const all = Array.from({ length: POLLS }, () => poll(ports, 'PT6S'));
  while (queries < OF_READ * POLLS) await new Promise((resolve) => setTimeout(resolve, 5));
  queries = 0;
  await world.execute('main', '{}');
  await world.pass(world.time.clock.now() + 1);
  expect(await Promise.race(all)).toMatchObject([{ state: 'go' }]);
  expect(queries).toBeLessThan(POLLS);
  const taken = (await Promise.all(all)).flat();
  expect(taken).toHaveLength(1);
});

test('a task that is offered while a poll reads the queue makes it read again at once', async () => {
  const waiting = beginWait(() => 0, 'n', 'jobs', 5);
  wakePoll('n', 'jobs');
  expect(await waiting.wait(60_000)).toEqual({ why: 'offer' });
  expect(await waiting.wait(1)).toBeUndefined();
  waiting.end();
});

test('a poll whose timer rings a little early reads the queue all the same', async () => {
  let now = 0;
  const waiting = beginWait(() => now, 'n', 'jobs', 5);
  now = 9.5;
  expect(await waiting.wait(10)).toEqual({ why: 'turn', turn: 6 });
  waiting.end();
});

test('a poll that waits occupies one of the places for requests that wait', async () => {
  const ports = countedPorts({ waitingRequests: 2 });
  const waiting = [poll(ports, 'PT1S'), poll(ports, 'PT1S')];
  await Promise.all(waiting.map((one) => Promise.race([one, new Promise((resolve) => setTimeout(resolve, 100))])));
  await expect(poll(ports, 'PT1S')).rejects.toMatchObject({ code: 'too-many', retryAfter: 10 });
  // A poll that does not wait needs none.
  expect(await poll(ports, 'PT0S')).toEqual([]);
  expect(await Promise.all(waiting)).toEqual([[], []]);
  expect(await poll(ports, 'PT1S')).toEqual([]);
});
