import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { toJson, toPrettyJson } from '../../lib/language/json.ts';
import { hasExactNumbers, NumberRangeError, numberProblem, parseJson } from '../../lib/language/json-numbers.ts';
import fc from '../fast-check.ts';

const CHANGED = [
  '9007199254740993',
  '-9007199254740993',
  '-9223372036854775808',
  '18446744073709551615',
  '0.1000000000000000055',
  '100000000000000000000000000000000000001',
  '1e-400',
  '12345678901234567890e-5',
];

/** Numbers that a double holds, with the text by which it is printed. */
const KEPT: Readonly<Record<string, string>> = {
  '1E2': '100',
  '1.0': '1',
  '9007199254740992': '9007199254740992',
  '100000000000000000000': '100000000000000000000',
  '0.30000000000000004': '0.30000000000000004',
  '1e0010': '10000000000',
  '0.00000000000000000000': '0',
};

describe('parsing JSON', () => {
  test.each(CHANGED)('keeps %s as it was written, at every place', (number) => {
    for (const text of [
      number,
      `[${number}]`,
      `{"a":{"b":[1,${number},"x"],"c":${number}}}`,
      `{"__proto__":${number}}`,
    ]) {
      expect([toJson(parseJson(text)), JSON.stringify(parseJson(text))]).toEqual([text, text]);
      expect(hasExactNumbers(text)).toBe(true);
    }
    expect(toPrettyJson(parseJson(` { "a" :\n\t${number} } `))).toBe(`{\n  "a": ${number}\n}`);
  });

  test.each(Object.entries(KEPT))('reads %s as a double, which prints as %s', (number, printed) => {
    expect(parseJson(`{"a": ${number}}`)).toEqual({ a: Number(number) });
    expect(toJson(parseJson(number))).toBe(printed);
  });

  test('leaves texts alone that look like numbers or like its own marks', () => {
    const value = { a: 'x, 9007199254740993', b: '\\", 18446744073709551615', c: ['[1e999,"1"]', ':1e400'], d: '\\' };
    const text = `{"n":9007199254740993,"v":${JSON.stringify(value)}}`;
    expect(JSON.stringify(parseJson(text))).toBe(text);
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  });

  test('is JSON.parse for any text without such a number', () => {
    fc.assert(fc.property(fc.json(), (text) => void expect(parseJson(text)).toEqual(JSON.parse(text))));
    expect(() => parseJson('[9007199254740993,]')).toThrow(SyntaxError);
    expect(() => parseJson('[09007199254740993]')).toThrow(SyntaxError);
  });

  test('takes linear time for long texts and deep nesting', () => {
    const deep = `${'['.repeat(50_000)}9007199254740993${']'.repeat(50_000)}`;
    expect(toJson(parseJson(deep))).toBe(deep);
    const digits = '1'.repeat(1_000_000);
    expect(parseJson(`{"a":"${digits}","b":":${digits}"}`)).toEqual({ a: digits, b: `:${digits}` });
    const long = `[0.${'0'.repeat(500_000)}1,"${'\\\\'.repeat(500_000)}"]`;
    expect(JSON.stringify(parseJson(long))).toBe(long);
  });

  test.each([
    ['1e400', '. is 1e400'],
    ['{"a":[0,{"b c":-1E+999}]}', '.a[1]["b c"] is -1E+999'],
    [`[${'9'.repeat(400)}]`, `.[0] is ${'9'.repeat(40)}…`],
  ])('refuses %s, and names its path', (text, path) => {
    expect(() => parseJson(text)).toThrow(NumberRangeError);
    expect(numberProblem(Buffer.from(text))).toContain(path);
  });

  test('finds no number that is too large in other texts', () => {
    for (const text of ['{"a":1e308}', '{"a":":1e400"}', '{"a":1e400', 'no JSON :1e400', ''])
      expect(numberProblem(Buffer.from(text))).toBeUndefined();
  });
});

/** The files that read JSON of Weft itself, of protocols or of another parser, and so use JSON.parse. */
const PLAIN =
  /^lib\/(?:containers|adapters\/local\/table)\/|^lib\/(?:domain\/runs\/tails|language\/(?:json-numbers|jq\/subset\/values\/strings|sandbox\/schema-engine|schemas\/\w+))\.ts$/;

test('JSON that may hold data of users is read by parseJson', () => {
  const files = globSync('{lib,functions,bin/server}/**/*.ts').filter((path) => !PLAIN.test(path));
  expect(files.filter((path) => /\bJSON\.parse\(/.test(readFileSync(path, 'utf8')))).toEqual([]);
});
