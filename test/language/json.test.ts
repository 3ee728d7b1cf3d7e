import { describe, expect, test } from 'vitest';
import { isObject, setMember, sortedKeys, toJson, toPrettyJson } from '../../lib/language/json.ts';
import fc from '../fast-check.ts';

describe('JSON text', () => {
  test.each([
    [{ b: 1, a: { d: [], c: {} } }, '{"a":{"c":{},"d":[]},"b":1}'],
    ['<a href="x">&\u2028\u2029', '"\\u003ca href=\\"x\\"\\u003e\\u0026\\u2028\\u2029"'],
    ['\b\f\n\t\\b \\f', '"\\u0008\\u000c\\n\\t\\\\b \\\\f"'],
    [{ '<': 1 }, '{"\\u003c":1}'],
    [1e21, '1e+21'],
    [1e-7, '1e-7'],
    [-0, '-0'],
    [[Number.NaN, Number.POSITIVE_INFINITY], '[null,null]'],
    [{ a: undefined, b: null }, '{"b":null}'],
    [{ '\uffff': 1, '\u{10000}': 2 }, '{"\uffff":1,"\u{10000}":2}'],
    ['half \ud83d', '"half \ufffd"'],
    [undefined, 'null'],
  ])('of %j is %s', (value, expected) => {
    expect(toJson(value)).toBe(expected);
  });

  test('is indented by two spaces, with empty containers on one line', () => {
    expect(toPrettyJson({ b: [1, {}], a: [] })).toBe('{\n  "a": [],\n  "b": [\n    1,\n    {}\n  ]\n}');
    expect(toPrettyJson('x')).toBe('"x"');
  });

  test('does not indent a value whose indentation is longer than texts can be', () => {
    const deep = `[${Array.from({ length: 500 }, () => `${'['.repeat(900)}1${']'.repeat(900)}`).join(',')}]`;
    expect(toPrettyJson(JSON.parse(deep))).toBe(deep);
    const long = JSON.stringify({ a: Array.from({ length: 1000 }, () => ({ b: 1 })) }, undefined, 2);
    expect(toPrettyJson(JSON.parse(long))).toBe(long);
  });

  test('is parsed back to the same value, in both forms and for any order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' }), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        expect(JSON.parse(toJson(plain))).toEqual(plain);
        expect(JSON.parse(toPrettyJson(plain))).toEqual(plain);
      }),
    );
    expect(toPrettyJson(JSON.parse('{"z":[{"b":1,"a":2}],"10":1,"9":2}'))).toBe(
      JSON.stringify({ '10': 1, '9': 2, z: [{ a: 2, b: 1 }] }, undefined, 2).replace(
        /"9": 2,\n {2}"10": 1/,
        '"10": 1,\n  "9": 2',
      ),
    );
  });

  test.each([
    ['{"b":1,"10":2,"9":3,"a":4}', '{"10":2,"9":3,"a":4,"b":1}'],
    ['{"b":{"d":1,"c":2},"a":[{"f":1,"e":-0}]}', '{"a":[{"e":-0,"f":1}],"b":{"c":2,"d":1}}'],
    ['{"b":1,"__proto__":{"d":1,"c":[]}}', '{"__proto__":{"c":[],"d":1},"b":1}'],
    ['[{"b":1,"a":2},{"a":3,"b":4},{"b":5,"a":6},{"c":7,"a":8}]', null],
    [
      '{"a":[[{"y":1,"x":2}],{"1":1}],"\\ud83d\\ude00":1,"\\uffff":2}',
      '{"a":[[{"x":2,"y":1}],{"1":1}],"\uffff":2,"\u{1f600}":1}',
    ],
  ])('of %s has its keys in order at every level, and the value stays as it is', (text, expected) => {
    const value = JSON.parse(text) as unknown;
    expect(toJson(value)).toBe(expected ?? '[{"a":2,"b":1},{"a":3,"b":4},{"a":6,"b":5},{"a":8,"c":7}]');
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  test('is formatted for a value that is nested more deeply than the call stack allows; a cycle is rejected', () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 20_000; depth += 1) deep = { a: deep };
    expect(toJson(deep)).toHaveLength(20_000 * 6 + 2);
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => toJson(cycle)).toThrow(RangeError);
  });
});

test('isObject is true for objects, and false for arrays, null and scalars', () => {
  expect([{}, [], null, 'x', undefined].map(isObject)).toEqual([true, false, false, false, false]);
});

test('keys are sorted by their UTF-8 bytes', () => {
  expect(sortedKeys({ '\u{10000}': 1, '\uffff': 1, b: 1, B: 1 })).toEqual(['B', 'b', '\uffff', '\u{10000}']);
});

test('a member named __proto__ is an ordinary member', () => {
  const target: Record<string, unknown> = {};
  setMember(target, '__proto__', 1);
  expect(JSON.stringify(target)).toBe('{"__proto__":1}');
  expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
});
