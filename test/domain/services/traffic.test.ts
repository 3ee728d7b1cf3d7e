import { describe, expect, test } from 'vitest';
import { choose, divided, percentOf, type Share, withNew } from '../../../lib/domain/services/traffic.ts';

/** Shares as text: `2:30 1:70`. */
const shown = (shares: readonly Share[]) =>
  shares.map(({ generation, percent }) => `${generation}:${percent}`).join(' ');
const shares = (text: string): Share[] =>
  text.split(' ').map((one) => {
    const [generation, percent] = one.split(':').map(Number);
    return { generation: generation ?? 0, percent: percent ?? 0 };
  });
const GENERATIONS = new Map([1, 2, 3].map((generation) => [`s-0000${generation}`, generation]));
const targets = (text: string) =>
  shares(text).map(({ generation, percent }) => ({ revision: `s-0000${generation}`, percent }));

describe('with a new revision', () => {
  test.each([
    ['1:100', 2, 100, '2:100'],
    ['1:100', 2, 0, '1:100'],
    ['1:100', 2, 1, '2:1 1:99'],
    ['1:100', 2, 33, '2:33 1:67'],
    ['2:33 1:67', 3, 50, '3:50 1:50'],
    ['2:50 1:50', 3, 20, '3:20 2:80'],
    ['2:50 1:50', 3, 0, '2:50 1:50'],
    ['2:50 1:50', 3, 100, '3:100'],
  ])('traffic of %s with generation %i at %i percent becomes %s', (before, generation, percent, after) => {
    expect(shown(withNew(shares(before), generation, percent))).toBe(after);
  });

  test.each([-1, 101, 1.5, Number.NaN])('%d percent is rejected', (percent) => {
    expect(() => withNew(shares('1:100'), 2, percent)).toThrow('trafficPercent');
  });
});

describe('a division of the traffic', () => {
  test('with a very long name of a revision is rejected with a short message', () => {
    const revision = 'x'.repeat(1_000_000);
    expect(() => divided([{ revision, percent: 100 }], GENERATIONS)).toThrow(/^unknown revision x{200}$/);
  });

  test.each([
    ['1:100', '1:100'],
    ['1:60 2:40', '2:40 1:60'],
    ['1:0 2:100 3:0', '2:100'],
  ])('of %s results in %s', (given, after) => {
    expect(shown(divided(targets(given), GENERATIONS))).toBe(after);
  });

  test.each([
    ['1:50', 'add up to 50'],
    ['1:50 2:60', 'add up to 110'],
    ['1:100 1:0', 'named twice'],
    ['1:-50 2:150', 'values[0].percent is -50'],
    ['1:30 2:30 3:40', 'between two only'],
    ['4:100', 'unknown revision s-00004'],
  ])('of %s is rejected', (given, message) => {
    expect(() => divided(targets(given), GENERATIONS)).toThrow(message);
  });

  test('without targets is rejected', () => {
    expect(() => divided([], GENERATIONS)).toThrow('no traffic defined');
    expect(() => divided(undefined, GENERATIONS)).toThrow('no traffic values');
  });
});

describe('a call', () => {
  test('takes each revision in proportion to its share', () => {
    const taken = Array.from({ length: 1000 }, (_, index) => choose(shares('2:20 1:80'), `call-${index}`));
    const newer = taken.filter((generation) => generation === 2).length;
    expect(newer).toBeGreaterThan(150);
    expect(newer).toBeLessThan(250);
  });

  test('takes the same revision for the same seed, and a single one for every seed', () => {
    expect(choose(shares('2:20 1:80'), 'x')).toBe(choose(shares('2:20 1:80'), 'x'));
    for (const seed of ['a', 'b', 'c']) expect(choose(shares('7:100'), seed)).toBe(7);
  });
});

test('a revision without a share has no traffic', () => {
  expect([1, 2].map((generation) => percentOf(shares('1:100'), generation))).toEqual([100, 0]);
});
