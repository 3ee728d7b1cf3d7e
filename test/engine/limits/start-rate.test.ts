import { describe, expect, test } from 'vitest';
import { StartRate } from '../../../lib/engine/limits/start-rate.ts';

const NOW = 1_000_000;

/** How many starts of a namespace are allowed at one time. */
function allowed(rate: StartRate, namespaceId: string, now: number): number {
  let count = 0;
  while (rate.take(namespaceId, 2, now) === 0) count += 1;
  return count;
}

describe('the starts of a namespace', () => {
  test('are those of ten seconds at once, then so many a second', () => {
    const rate = new StartRate();
    expect(allowed(rate, 'a', NOW)).toBe(20);
    expect(allowed(rate, 'a', NOW + 1000)).toBe(2);
    expect(allowed(rate, 'a', NOW + 4000)).toBe(6);
    expect(allowed(rate, 'a', NOW + 1_000_000)).toBe(20);
  });

  test('that are rejected say when one is allowed', () => {
    const rate = new StartRate();
    allowed(rate, 'a', NOW);
    expect(rate.take('a', 2, NOW)).toBe(500);
    expect(rate.take('a', 2, NOW + 250)).toBe(250);
    expect(rate.take('a', 2, NOW + 500)).toBe(0);
  });

  test('do not count for another, and a clock that runs backwards takes nothing away', () => {
    const rate = new StartRate();
    allowed(rate, 'a', NOW);
    expect(rate.take('b', 2, NOW)).toBe(0);
    expect(rate.take('b', 2, NOW - 5000)).toBe(0);
  });
});
