import { expect, test } from 'vitest';
import { placeOf } from '../../../lib/language/yaml/places.ts';

const TEXT = `states:
- id: first
  type: noop
  transform: jq(.a)
- {id: second, type: noop, log: jq(.b), transform: jq(.a)}
- type: noop
  id: "third"
  transform:
    b: jq(.c)
`;

test.each([
  ['a short text', TEXT],
  ['a text that is too long to be parsed for each failure', `${TEXT}# ${'x'.repeat(20_000)}\n`],
])('an expression of a state is found in %s', (_, source) => {
  expect(placeOf(source, 'first', 'jq(.a)')).toEqual({ line: 4, column: 14 });
  expect(placeOf(source, 'second', 'jq(.a)')).toEqual({ line: 5, column: 52 });
  expect(placeOf(source, 'third', 'jq(.c)')).toEqual({ line: 9, column: 8 });
  expect(placeOf(source, 'secon', 'jq(.a)')).toBeUndefined();
  expect(placeOf(source, 'fourth', '')).toBeUndefined();
});
