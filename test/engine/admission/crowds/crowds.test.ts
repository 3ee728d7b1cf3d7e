import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { LocalTable } from '../../../../lib/adapters/local/table/table.ts';
import { cases, SEED } from '../../../effort.ts';
import { openDatabase } from '../../world/engine-world.ts';
import { CROWDS, type Crowd, tryCrowd } from './crowd.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

// The log says which lines a crashed process could not write.
vi.spyOn(console, 'error').mockReturnValue();

const STARTS = cases(200, 400);
/** Calls that a rate holds back have the fewest other tests with kills. */
const countOf = ({ subject, limits }: Crowd): number =>
  subject === 'calls' && limits.begin !== undefined ? cases(3, 20) : cases(1, 2);
const seedsOf = (crowd: Crowd): number[] => Array.from({ length: countOf(crowd) }, (_, index) => SEED + index);

describe.each(CROWDS)('a crowd of starts, with kills, under the $name', (crowd) => {
  test.each(seedsOf(crowd))('keeps the limits and the order, and loses none (seed %i)', async (seed) => {
    const { kills, wrong } = await tryCrowd(database, crowd, { starts: STARTS, seed });
    expect(kills).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });
});
