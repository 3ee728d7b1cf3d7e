import { describe, expect, test } from 'vitest';
import { parseJson } from '../../lib/language/json-numbers.ts';
import { changes, differences, differenceText } from '../../lib/testing/matching/differences.ts';
import fc from '../fast-check.ts';

const found = (expected: unknown, actual: unknown): string[] =>
  differences(expected, actual).map((one) => differenceText(one, 'output'));

describe('differences', () => {
  test('compares the expected members of objects, at any depth', () => {
    expect(found({ a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 })).toEqual([]);
    expect(found({ a: { b: 1 } }, { a: { b: 2 } })).toEqual(['output.a.b: expected 1, found 2']);
    expect(found({ 'order.paid': 1 }, {})).toEqual(['output["order.paid"]: expected 1, found nothing']);
  });

  test('compares lists item by item, which must have the same length', () => {
    expect(found([{ a: 1 }, 2], [{ a: 1, b: 2 }, 2])).toEqual([]);
    expect(found([1, 2], [1, 3])).toEqual(['output[1]: expected 2, found 3']);
    expect(found([1], [1, 2])).toEqual(['output: expected [1], found [1,2]']);
  });

  test('compares numbers that a double would change by their digits', () => {
    const [one, same, other] = ['9007199254740993', '9007199254740993', '9007199254740995'].map((text) =>
      parseJson(`{"a":${text}}`),
    );
    expect([found(one, same), found(one, other)]).toEqual([
      [],
      ['output.a: expected 9007199254740993, found 9007199254740995'],
    ]);
    expect([changes(one, same), changes(one, other).length]).toEqual([[], 1]);
  });

  test('null expects null or nothing', () => {
    expect(found({ a: null }, {})).toEqual([]);
    expect(found({ a: null }, { a: null })).toEqual([]);
    expect(found({ a: null }, { a: 0 })).toEqual(['output.a: expected null, found 0']);
  });

  test('a text is no number, and an object no list', () => {
    expect(found({ a: '1' }, { a: 1 })).toEqual(['output.a: expected "1", found 1']);
    expect(found({}, [])).toEqual(['output: expected {}, found []']);
  });

  test('a date without quotes, which YAML reads as a time, is hinted at', () => {
    expect(found({ day: '2026-01-31T00:00:00Z' }, { day: '2026-01-31' })).toEqual([
      'output.day: expected "2026-01-31T00:00:00Z", found "2026-01-31"; ' +
        "YAML reads a date without quotes as a time: write '2026-01-31' in quotes",
    ]);
  });

  test('every value matches itself, and has no changes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const copy = JSON.parse(JSON.stringify(value)) as unknown;
        expect(differences(JSON.parse(JSON.stringify(value)), copy)).toEqual([]);
        expect(changes(JSON.parse(JSON.stringify(value)), copy)).toEqual([]);
      }),
    );
  });

  test('changes finds members that were added and removed', () => {
    expect(changes({ a: 1, b: 2 }, { a: 1, c: 3 })).toEqual([
      { path: '.b', expected: 2, actual: undefined },
      { path: '.c', expected: undefined, actual: 3 },
    ]);
  });
});
