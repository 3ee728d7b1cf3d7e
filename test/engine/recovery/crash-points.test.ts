import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
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

describe('after a crash and a start, without waiting, nothing is left open and a repeated request gets the same result', () => {
  test.each(workloads.map((workload) => [workload.name, workload] as const))('%s', async (_name, workload) => {
    const { points, wrong } = await tryCrashPoints(database, workload, false);
    expect(wrong).toEqual([]);
    expect(points).toBeGreaterThan(0);
  });
});
