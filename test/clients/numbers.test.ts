import { expect, test } from 'vitest';
import { parseJson, printJson } from '../../clients/api/numbers.ts';

const nested = (depth: number): string => `${'['.repeat(depth)}12345678901234567890${']'.repeat(depth)}`;

test.each([
  '9007199254740993',
  '-123456789012345678901234567890',
  '[{"id":9007199254740993,"text":"9007199254740993"},1e400,-1e-400]',
  '{"pi":3.14159265358979323846,"as a double prints it":0.30000000000000004}',
])('JSON of users leaves as it came: %s', (text) => {
  expect(printJson(parseJson(text))).toBe(text);
});

test.each([
  ['9007199254740992', 9007199254740992],
  ['100000000000000000000000', 1e23],
  ['1.50000000000000000000', 1.5],
  ['0.00000000000000000000', 0],
  ['[true,12e2]', [true, 1200]],
  ['{"a":1,"b":"1234567890123456789"}', { a: 1, b: '1234567890123456789' }],
])('a number that a double keeps is a number: %s', (text, value) => {
  expect(parseJson(text)).toStrictEqual(value);
});

test('a number that keeps its text computes as a double', () => {
  const id = parseJson('9007199254740993') as number;
  expect([`${id}`, String(id), id + 1, id.toFixed(1)]).toEqual([
    '9007199254740993',
    '9007199254740993',
    2 ** 53,
    '9007199254740992.0',
  ]);
});

test('a bigint is an integer of JSON', () => {
  expect(printJson({ id: 12345678901234567890n })).toBe('{"id":12345678901234567890}');
});

test('deep JSON is parsed, and what is not JSON throws', () => {
  expect(parseJson(nested(50_000))).toBeInstanceOf(Array);
  expect(() => parseJson('{12345678901234567890}')).toThrow(SyntaxError);
});
