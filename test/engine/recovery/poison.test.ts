import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { CrashedError } from '../world/crashing-ports.ts';
import { openDatabase, World } from '../world/engine-world.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

vi.spyOn(console, 'error').mockReturnValue();

function ignoreCrash(error: unknown): void {
  if (!(error instanceof CrashedError)) throw error;
}

const MAX_STARTS = 20;

test('a run whose step kills the process each time crashes after 10 starts, and the others go on', async () => {
  const poison = new Set<string>();
  const world: World = new World(database, {
    deliver: (input, step) => {
      if (poison.has(input.run)) world.process.crashAt({ at: 1, when: 'before' });
      return step(input);
    },
  });
  try {
    await world.store({ main: 'states: [{id: nap, type: delay, duration: PT10S}]\n' });
    const other = await world.execute('main', '{}');
    const { id } = await world.execute('main', '{}');
    poison.add(id);
    let starts = 0;
    for (; starts < MAX_STARTS && (await runs.isPending(world.reliable, id)); starts += 1) {
      await world.pass().catch(ignoreCrash);
      if (world.process.hasCrashed) await world.restart().catch(ignoreCrash);
    }
    await world.pass();
    expect(starts).toBeLessThan(MAX_STARTS);
    expect((await runs.find(world.reliable, id))?.status).toBe('crashed');
    expect((await runs.find(world.reliable, other.id))?.status).toBe('complete');
  } finally {
    await world.close();
  }
});
