import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { configure } from '../../../lib/domain/namespaces/config.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import * as listenerKeys from '../../../lib/domain/storage/keys/listener-keys.ts';
import { listenerWrites } from '../../../lib/engine/run/commit/listener-writes.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runsOf } from '../world/snapshot.ts';

const WAIT = `cancelOn: {type: stop}
states: [{id: a, type: consumeEvent, event: {type: paid}, timeout: PT1H}]
`;

let database: LocalTable;
let world: World;

beforeEach(async () => {
  database = await openDatabase();
  world = new World(database);
  await world.store({ wait: WAIT });
  await configure(world.reliable, world.namespace, { partitions: 16 });
});
afterEach(() => database.close());

/** A run that waits, with its listeners in another partition than the first. */
async function waitingRun(): Promise<Run> {
  for (;;) {
    const { id } = await world.execute('wait', '{}');
    const run = (await runsOf(world)).find((one) => one.id === id);
    if (run?.wait?.listening?.partition !== undefined) return run;
  }
}

/** The partitions from which the end of a run deletes its listeners. */
async function clearedBy(run: Run): Promise<string[]> {
  const writes = await listenerWrites(world.reliable, run, { ...run, status: 'complete' });
  return writes.map((write) => (write.do === 'delete' ? write.key.pk : `${write.do}!`)).sort();
}

const placesOf = ({ namespaceId }: Run, partition: number): string[] =>
  ['paid', 'stop'].map((type) => listenerKeys.ofType(namespaceId, type, partition).pk).sort();

describe('the listeners of a run that ends are deleted', () => {
  test('in the partition in which they were stored, whatever the namespace has got since', async () => {
    const run = await waitingRun();
    const partition = run.wait?.listening?.partition ?? 0;
    expect(partition).toBeGreaterThan(0);
    const { spread: _, ...settings } = run.settings;
    expect(await clearedBy({ ...run, settings })).toEqual(placesOf(run, partition));
    for (const pk of placesOf(run, partition)) {
      expect((await world.reliable.table.query({ table: 'runs', pk })).items.map(({ owner }) => owner)).toContain(
        run.id,
      );
    }
  });

  test('in the first one if an earlier version stored them', async () => {
    const run = await waitingRun();
    const earlier: Run = JSON.parse(JSON.stringify(run, (name, value) => (name === 'partition' ? undefined : value)));
    expect(earlier.settings).toEqual(run.settings);
    expect(await clearedBy(earlier)).toEqual(placesOf(run, 0));
  });
});
