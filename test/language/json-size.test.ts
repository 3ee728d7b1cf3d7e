import { describe, expect, test, vi } from 'vitest';
import { type Bounds, exceededBound, hasMoreNodes, isLarge } from '../../lib/language/json-size.ts';

const BOUNDS: Bounds = { levels: 3, characters: 40, nodes: 6 };
const bytes = (text: string) => Buffer.from(text);

describe('the bound that a value exceeds', () => {
  test.each([
    [[1, 2, 3, 4, 5], undefined],
    [[1, 2, 3, 4, 5, 6], 'nodes'],
    [{ a: { b: 1 }, c: [] }, undefined],
    [[[[[]]]], 'levels'],
    ['x'.repeat(38), undefined],
    ['x'.repeat(39), 'characters'],
    [{ [`${'k'.repeat(40)}`]: 1 }, 'characters'],
    [null, undefined],
  ])('%j: %s', (value, expected) => {
    expect(exceededBound(value, BOUNDS)).toBe(expected);
  });

  test('is found for a part that is measured once and stands at many places', () => {
    const part = Array.from({ length: 200 }, () => 0);
    const shared = [part, [part]];
    expect(exceededBound(shared, { levels: 3, characters: 1000, nodes: 404 })).toBeUndefined();
    expect(exceededBound(shared, { levels: 3, characters: 1000, nodes: 403 })).toBe('nodes');
    expect(exceededBound(shared, { levels: 2, characters: 1000, nodes: 404 })).toBe('levels');
    expect(exceededBound([shared], { levels: 3, characters: 1000, nodes: 500 })).toBe('levels');
  });
});

describe('measuring', () => {
  test('caches few of the lists that are in each other', () => {
    const set = vi.spyOn(WeakMap.prototype, 'set');
    const nested = JSON.parse(`[${Array.from({ length: 50 }, () => '['.repeat(900).concat(']'.repeat(900))).join()}]`);
    expect(exceededBound(nested, { levels: 1000, characters: 1e9, nodes: 1e9 })).toBeUndefined();
    expect(exceededBound(nested, { levels: 1000, characters: 1e9, nodes: 45_000 })).toBe('nodes');
    const cached = set.mock.calls.length;
    set.mockRestore();
    expect(cached).toBeGreaterThan(0);
    expect(cached).toBeLessThan(500);
  });

  test('looks at each of the parts that others have twice only some times', () => {
    let value: unknown = 1;
    for (let level = 0; level < 60; level += 1) value = [value, value];
    expect(exceededBound(value, { levels: 100, characters: 1e300, nodes: 1e9 })).toBe('nodes');
  });
});

describe('data that takes long to format', () => {
  const list = (count: number) => Array.from({ length: count }, (_, n) => n);
  const measured = { v: list(30_000) };
  exceededBound(measured, { levels: 3, characters: 1e9, nodes: 1e9 });
  test.each([
    ['has many values', { v: list(30_000) }, true],
    ['has many values at different places', { a: [list(11_000)], b: { c: list(11_000) } }, true],
    ['has many values and was measured', [measured], true],
    ['has a long text', ['x'.repeat(2_000_000)], true],
    ['has long texts', [list(20).map(() => 'x'.repeat(100_000))], true],
    ['has none of that', { v: list(10_000), text: 'x'.repeat(100_000) }, false],
    ['is a number', 1, false],
    ['is null', null, false],
  ])('%s', (_what, value, expected) => {
    expect(isLarge(value)).toBe(expected);
  });
});

describe('JSON text has more values than allowed', () => {
  test.each([
    ['[0,0,0,0]', 5, false],
    ['[0,0,0,0]', 4, true],
    [' \n[{"a":1},{"a":1}]', 5, false],
    [' \n[{"a":1},{"a":1}]', 4, true],
    ['[[],[]]', 5, false],
    ['["a,b,[{","\\",\\\\",""]', 4, false],
    ['a,b,c,d,e,f,g', 1, false],
    ['', 0, false],
  ])('%j, %i: %s', (text, most, expected) => {
    expect(hasMoreNodes(bytes(text), most)).toBe(expected);
  });

  const objectOf = (count: number, nameOf: (n: number) => string): string =>
    `{${Array.from({ length: count }, (_, n) => `"${nameOf(n)}": 1`).join(',')}}`;
  const repeated = (count: number, text: string): string => `[${Array.from({ length: count }, () => text).join(',')}]`;
  test.each([
    ['an object of 60,000 keys', objectOf(60_000, (n) => `key${n}`), true],
    ['an object of 60,000 integers as keys', objectOf(60_000, (n) => String(n * 7919)), true],
    ['60,000 objects of different keys', `[${Array.from({ length: 60_000 }, (_, n) => `{"key${n}":1}`).join()}]`, true],
    ['an object of 40,000 keys', objectOf(40_000, (n) => `key${n}`), false],
    [
      '100 objects of the same 2,000 keys',
      repeated(
        100,
        objectOf(2000, (n) => `key${n}`),
      ),
      false,
    ],
    ['lists in 900 others', repeated(100, '['.repeat(900) + ']'.repeat(900)), true],
    ['lists in 60 others', repeated(7000, '['.repeat(60) + ']'.repeat(60)), false],
    ['200,000 objects of the same key', repeated(200_000, '{"\\"a":1}'), false],
  ])('by its different keys and its levels: %s', (_what, text, expected) => {
    expect(hasMoreNodes(bytes(text), 500_000)).toBe(expected);
  });
});
