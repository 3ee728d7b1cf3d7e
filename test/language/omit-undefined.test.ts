import { expect, test } from 'vitest';
import { omitUndefined } from '../../lib/language/omit-undefined.ts';

test('members whose value is undefined are left out; null, false and an empty text stay', () => {
  expect(omitUndefined({ a: undefined, b: null, c: false, d: '', e: 0 })).toStrictEqual({
    b: null,
    c: false,
    d: '',
    e: 0,
  });
});

test('the given object is not changed', () => {
  const given = { a: undefined };
  omitUndefined(given);
  expect(given).toStrictEqual({ a: undefined });
});

test('a member named __proto__ stays an ordinary member', () => {
  const copy = omitUndefined(JSON.parse('{"__proto__": 1}') as object);
  expect(Object.keys(copy)).toEqual(['__proto__']);
});
