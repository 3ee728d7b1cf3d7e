import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { IS_FULL } from '../../effort.ts';
import { openDatabase } from '../world/engine-world.ts';
import { tryCrashPoints } from './crash-points.ts';
import { workloads } from './workloads.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

// The log says which lines a crashed process could not write.
vi.spyOn(console, 'error').mockReturnValue();

/** The workloads whose runs wait for events or decisions. */
const TABLE_WAITS = new Set([
  'an event that wakes a run',
  'an event that wakes a run, which waits for more',
  'a request that starts a run, which waits again and again',
  'a decision of an approval',
]);

const inTable = workloads
  .filter(({ name }) => TABLE_WAITS.has(name))
  .map((workload) => ({ ...workload, name: `${workload.name}, and waits in the table`, waits: 'table' as const }));

describe('after a crash and a start, without waiting, nothing is left open and a repeated request gets the same result', () => {
  test.each([...workloads, ...inTable].map((workload) => [workload.name, workload] as const))(
    '%s',
    async (_name, workload) => {
      const { points, wrong } = await tryCrashPoints(database, workload, IS_FULL ? 'each' : 'some');
      expect(wrong).toEqual([]);
      expect(points).toBeGreaterThan(0);
    },
  );
});
