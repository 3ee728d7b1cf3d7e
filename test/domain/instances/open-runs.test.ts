import { expect, test } from 'vitest';
import { openRunsOf } from '../../../lib/domain/instances/open-runs.ts';
import { openItems } from '../../../lib/domain/storage/open-items.ts';
import type { Ports } from '../../../lib/ports/ports.ts';
import { HOUR_MS } from '../../../lib/time/units.ts';
import { CountedRuns } from '../metrics/counted-runs.ts';

/** A pass over the open runs of a namespace: their keys, and the number of items that it read. */
async function passOver(world: CountedRuns, visitsAll: boolean) {
  const home = await world.namespace();
  let read = 0;
  const { table } = world.needs;
  const counted: typeof table = {
    get: (keys) => table.get(keys),
    write: (writes) => table.write(writes),
    async query(query) {
      const page = await table.query(query);
      read += page.items.length;
      return page;
    },
  };
  const settings = { limits: {} };
  const needs = { ...world.needs, table: counted, settings } as unknown as Ports;
  const extent = { visitsAll, until: Number.POSITIVE_INFINITY, since: 0, knownUntil: Number.POSITIVE_INFINITY };
  const found: string[] = [];
  for await (const items of openItems(needs, openRunsOf(needs, home), extent)) {
    found.push(...items.map(({ key }) => key.pk));
  }
  return { found, read };
}

test('the pass at a start reads no ended run, and the next one none before it', async () => {
  const world = new CountedRuns();
  const home = await world.namespace();
  for (let n = 0; n < 40; n += 1) await world.end(world.newRun(home, 'w'), 'complete');
  const { id } = await world.begin(world.newRun(home, 'w'));
  for (let n = 0; n < 40; n += 1) await world.end(world.newRun(home, 'w'), 'complete');
  world.now += HOUR_MS;
  // One row tells that the cursor may move.
  expect(await passOver(world, true)).toEqual({ found: [`run#${id}`], read: 2 });
  const { found, read } = await passOver(world, false);
  expect(found).toEqual([`run#${id}`]);
  // The run is listed; an ended one is not read.
  expect(read).toBe(1);
});
