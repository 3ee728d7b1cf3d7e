import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../lib/language/json-numbers.ts';
import { withAdditions } from '../../../lib/language/schemas/defaults.ts';
import { fit, violations } from '../../../lib/language/schemas/violations.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

/** The data with the defaults of a schema. */
function filled(schema: unknown, text: string): unknown {
  const { violations: found, additions } = fit(schema, text);
  expect(found).toEqual([]);
  // As it comes from the thread that validates.
  const sent = additions && (JSON.parse(JSON.stringify(additions)) as typeof additions);
  return sent === undefined ? parseJson(text) : withAdditions(parseJson(text), sent);
}

describe('the defaults of a schema', () => {
  test.each([
    [object({ a: { default: 1 } }), '{}', { a: 1 }],
    [object({ a: { default: 1 } }), '{"a":null}', { a: null }],
    [object({ a: { default: 1 } }, { required: ['a'] }), '{}', { a: 1 }],
    [object({ a: object({ b: { default: [] } }) }), '{"a":{}}', { a: { b: [] } }],
    [object({ a: { default: {}, ...object({ b: { default: 2 } }) } }), '{}', { a: { b: 2 } }],
    [object({ a: { items: object({ b: { default: 2 } }) } }), '{"a":[{},{"b":1}]}', { a: [{ b: 2 }, { b: 1 }] }],
    [object({ a: { items: [{ default: 1 }, { default: 2 }] } }), '{"a":[5]}', { a: [5, 2] }],
    [object({ constructor: { default: 1 } }), '{}', JSON.parse('{"constructor":1}')],
    [object({ a: { default: { id: 'x', $id: 'y' } } }), '{}', { a: { id: 'x', $id: 'y' } }],
    [{ $ref: '#/definitions/o', definitions: { o: object({ a: { default: 1 } }) } }, '{}', { a: 1 }],
    [{ $schema: 'http://json-schema.org/draft-04/schema#', ...object({ a: { default: 1 } }) }, '{}', { a: 1 }],
    [object({ a: object({ ['__proto__']: {} }) }), '{"a":{"__proto__":{}}}', JSON.parse('{"a":{"__proto__":{}}}')],
    [true, '{"a":1}', { a: 1 }],
  ])('%j are added to %s', (schema, text, expected) => {
    expect(filled(schema, text)).toEqual(expected);
  });

  test('leave the other numbers with all their digits', () => {
    const data = filled(object({ b: { default: 1 } }), '{"a":12345678901234567890}');
    expect(JSON.stringify(data)).toBe('{"a":12345678901234567890,"b":1}');
  });

  test('are not added to a value that does not fit otherwise, nor by a plain validation', () => {
    const schema = object({ a: { default: 1 } }, { required: ['a', 'b'] });
    expect(fit(schema, '{}')).toEqual({ violations: ['(root): b is required'] });
    expect(violations(schema, { b: 1 })).toEqual(['(root): a is required']);
  });

  test('are checked as other values', () => {
    expect(fit(object({ a: { type: 'string', default: 1 } }), '{}').violations).toEqual([
      'a: Invalid type. Expected: string, given: integer',
    ]);
  });
});
