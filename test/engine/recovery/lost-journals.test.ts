import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const SOURCES = {
  main: `functions: [{id: kid, type: subflow, workflow: kid}]
states:
- {id: set, type: setter, variables: [{key: n, scope: namespace, value: 1}], transition: one}
- {id: one, type: delay, duration: PT10S, transition: go}
- {id: go, type: foreach, array: 'jq([{n: 1}, {n: 2}])', action: {function: kid}, transition: two}
- {id: two, type: delay, duration: PT10S}
`,
  kid: 'states: [{id: nap, type: delay, duration: PT10S}]\n',
  quick: 'states: [{id: a, type: noop}]\n',
};

const MACHINES = ['machines'];
const EXECUTIONS = ['executions', 'threads', 'owed'];

describe('the journal of executions', () => {
  test.each([
    ['is lost', [...MACHINES, ...EXECUTIONS]],
    ['has lost its machines', MACHINES],
    ['has lost its executions', EXECUTIONS],
    ['has lost what its executions do', ['threads']],
  ])('%s: new runs start, and those that were pending go on', async (_how, tables) => {
    for (const after of [0, 5, 15, 25]) {
      const world = new World(database);
      try {
        await world.store(SOURCES);
        await world.execute('main', '{}');
        await world.pass(world.time.clock.now() + after * 1000);
        await world.restartWithout(...tables);
        await world.execute('main', '{}');
        await world.execute('quick', '{}');
        await world.pass();
        await world.reconcileLater();
        await world.pass();
        const statuses = (await runsOf(world)).map(({ path, status }) => `${path} ${status}`).sort();
        const kids = Array.from({ length: 4 }, () => '/kid complete');
        const expected = [...kids, '/main complete', '/main complete', '/quick complete'];
        expect({ after, statuses, open: unfinishedOf(world) }).toEqual({ after, statuses: expected, open: [] });
      } finally {
        await world.close();
      }
    }
  });
});
