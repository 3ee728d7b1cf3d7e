import { expect, test } from 'vitest';
import { ownMember, textOf } from '../../lib/language/own-members.ts';

test('a member is found by its name, and a name that every object has is no member', () => {
  const counts: Readonly<Record<string, number>> = JSON.parse('{"one":1,"constructor":2,"__proto__":3}');
  expect(['one', 'constructor', '__proto__', 'toString'].map((name) => ownMember(counts, name))).toEqual([
    1,
    2,
    3,
    undefined,
  ]);
  expect(ownMember(undefined, 'one')).toBeUndefined();
});

test('a text stays as it is, and another value becomes JSON, whatever its members are', () => {
  expect(['a', 1, null, undefined, { toString: 1 }, [{ toString: 1 }]].map(textOf)).toEqual([
    'a',
    '1',
    'null',
    '',
    '{"toString":1}',
    '[{"toString":1}]',
  ]);
});
