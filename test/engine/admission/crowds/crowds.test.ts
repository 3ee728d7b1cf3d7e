import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { LocalTable } from '../../../../lib/adapters/local/table/table.ts';
import { cases, SEED } from '../../../effort.ts';
import { openDatabase } from '../../world/engine-world.ts';
import { CROWDS, tryCrowd } from './crowd.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

// The log says which lines a crashed process could not write.
vi.spyOn(console, 'error').mockReturnValue();

const STARTS = cases(200, 400);
const SEEDS = Array.from({ length: cases(1, 2) }, (_, index) => SEED + index);

describe.each(CROWDS)('a crowd of starts, with kills, under the $name', (crowd) => {
  test.each(SEEDS)('keeps the limits and the order, and loses none (seed %i)', async (seed) => {
    const { kills, wrong } = await tryCrowd(database, crowd, { starts: STARTS, seed });
    expect(kills).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });
});
