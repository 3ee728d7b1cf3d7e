import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const BRANCHES = 24;
const CHILD = 'states: [{id: a, type: noop, transform: "jq({n: .n})"}]\n';

/** Calls a child for each number at once; the first child that succeeds completes the state. */
function firstOf(branches: number): string {
  const action = (n: number) => `{function: child, input: {n: ${n}}}`;
  const actions = Array.from({ length: branches }, (_, n) => action(n)).join(', ');
  return `functions: [{id: child, type: subflow, workflow: child}]
states: [{id: first, type: parallel, mode: or, actions: [${actions}]}]
`;
}

describe('a parallel state of mode or', () => {
  test.each([
    ['run in one batch', 0],
    ['are cut by a checkpoint', 40],
  ])('returns the result of the first branch when its children %s', async (_how, pace) => {
    const world = new World(database, { msPerRead: pace });
    try {
      await world.store({ child: CHILD, main: firstOf(BRANCHES) });
      const { id } = await world.execute('main', '{}');
      await world.pass();
      const runs = await runsOf(world);
      const main = runs.find((run) => run.id === id);
      expect(main?.status).toBe('complete');
      expect(main?.data['return']).toEqual([{ n: 0 }, ...Array(BRANCHES - 1).fill(null)]);
      expect(runs).toHaveLength(BRANCHES + 1);
      expect(unfinishedOf(world)).toEqual([]);
    } finally {
      await world.close();
    }
  });
});
