import { describe, expect, test } from 'vitest';
import { type Reading, readingsOf, turnOf } from '../../../lib/domain/workers/queues.ts';

const homeOf = (partitions: number) => ({ id: 'n', spread: [{ from: 0, partitions }] });
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

/** The queries of a reading. */
const queries = ({ parts, isExact }: Reading) => parts.length * (isExact ? 2 : 1);

test('a poll in a namespace with one partition reads it as ever: by two queries', () => {
  expect(readingsOf({ id: 'n', spread: undefined }, 77)).toEqual([{ parts: [0], isExact: true }]);
});

describe.each([1, 2, 3, 4, 5, 7, 8, 11, 16])('in a namespace with %d partitions', (all) => {
  test('the readings of a poll are of each partition once, two at first', () => {
    for (let start = 0; start < all; start += 1) {
      const readings = readingsOf(homeOf(all), start + 5 * all);
      expect(readings.flatMap(({ parts }) => parts).toSorted((a, b) => a - b)).toEqual(numbers(all));
      expect(readings[0]).toEqual({ parts: [start, (start + 1) % all].slice(0, all), isExact: true });
    }
  });

  test('a poll that waits reads every partition in any four turns, with four queries in a turn at most', () => {
    for (let first = 0; first < all; first += 1) {
      const turns = [0, 1, 2, 3].map((turn) => turnOf(homeOf(all), first + turn));
      expect(new Set(turns.flatMap(({ parts }) => parts)).size).toBe(all);
      for (const turn of turns) expect(queries(turn)).toBeLessThanOrEqual(Math.max(all / 4, Math.min(all, 2)) + 1);
      for (const turn of turns) expect(queries(turn)).toBeLessThanOrEqual(4);
    }
  });
});
