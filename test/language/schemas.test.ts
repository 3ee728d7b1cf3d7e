import { describe, expect, test } from 'vitest';
import { schemaProblem, violations } from '../../lib/language/schemas.ts';

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#';

describe('a schema', () => {
  test.each([
    [{ type: 'object' }],
    [true],
    [false],
    [{}],
    [{ $schema: DRAFT_4, minimum: 1, exclusiveMinimum: true }],
    [{ $schema: 'http://json-schema.org/draft-06/schema#', exclusiveMinimum: 1 }],
    [{ $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'string' }],
    [{ type: 'string', format: 'made-up', unknown: 1 }],
    [{ definitions: { a: { type: 'string' } }, $ref: '#/definitions/a' }],
  ])('%j is valid', (schema) => {
    expect(schemaProblem(schema)).toBeUndefined();
  });

  test.each([
    [{ type: 'text' }],
    [5],
    ['string'],
    [[]],
    [null],
    [{ pattern: '(' }],
    [{ $ref: 'https://example.com/schema' }],
    [{ $schema: DRAFT_4, exclusiveMinimum: 1 }],
    [{ properties: { a: 5 } }],
  ])('%j is invalid', (schema) => {
    expect(schemaProblem(schema)).toBeTypeOf('string');
  });
});

describe('schemas with the same $id', () => {
  const NAME = 'https://example.com/name';

  test('do not refer to each other', () => {
    expect(violations({ $id: NAME, type: 'string' }, 1)).toHaveLength(1);
    expect(violations({ $id: NAME, type: 'number' }, 1)).toEqual([]);
    expect(violations({ definitions: { a: { $id: `${NAME}/a`, type: 'string' } } }, 1)).toEqual([]);
    expect(violations({ definitions: { a: { $id: `${NAME}/a`, type: 'number' } } }, 1)).toEqual([]);
    expect(schemaProblem({ $ref: NAME })).toBeTypeOf('string');
    expect(schemaProblem({ $ref: `${NAME}/a` })).toBeTypeOf('string');
  });

  test('do not replace the meta-schema', () => {
    const meta = 'http://json-schema.org/draft-07/schema';
    expect(schemaProblem({ $id: meta, type: 'string' })).toBeTypeOf('string');
    expect(schemaProblem({ type: 'text' })).toBeTypeOf('string');
    expect(violations({ $ref: `${meta}#` }, { type: 'text' })).not.toEqual([]);
  });

  test('are rejected each time, with the same problem', () => {
    const bad = { $schema: DRAFT_4, $id: NAME, minimum: 'x' };
    expect(schemaProblem(bad)).toBe(schemaProblem(bad));
    expect(schemaProblem(bad)).toBeTypeOf('string');
  });

  test('are validated correctly when there are hundreds of them', () => {
    for (let least = 0; least < 350; least += 1) {
      const schema = { $id: NAME, minimum: least, definitions: { a: { $id: 'inner', const: least } }, $ref: 'inner' };
      expect(violations(schema, least)).toEqual([]);
      expect(violations({ ...schema }, least + 1)).toHaveLength(1);
    }
  });
});

describe('violations', () => {
  test.each([
    [{ required: ['name'] }, {}, ['(root): name is required']],
    [{ properties: {}, additionalProperties: false }, { zz: 1 }, ['(root): Additional property zz is not allowed']],
    [
      { properties: { name: { type: 'string' } } },
      { name: 5 },
      ['name: Invalid type. Expected: string, given: integer'],
    ],
    [{ properties: { age: { minimum: 18 } } }, { age: 3 }, ['age: Must be greater than or equal to 18']],
    [{ properties: { k: { enum: ['a', 'b'] } } }, { k: 'c' }, ['k: k must be one of the following: "a", "b"']],
    [{ items: { type: 'number' } }, [1, 'x'], ['1: Invalid type. Expected: number, given: string']],
    [
      { properties: { a: { properties: { b: { maxLength: 1 } } } } },
      { a: { b: 'xy' } },
      ['a.b: String length must be less than or equal to 1'],
    ],
    [{ properties: { 'a/b': { const: 1 } } }, { 'a/b': 2 }, ['a/b: a/b does not match: 1']],
    [{ format: 'email' }, 'x', ["(root): Does not match format 'email'"]],
    [{ type: ['string', 'null'] }, 1.5, ['(root): Invalid type. Expected: string,null, given: number']],
    [false, 1, ['(root): nothing is allowed']],
    [true, 1, []],
    [{ type: 'object' }, {}, []],
  ])('of %j by %j', (schema, value, expected) => {
    expect(violations(schema, value)).toEqual(expected);
  });

  test('are all returned, not only the first', () => {
    expect(violations({ required: ['a', 'b'], maxProperties: 0 }, { c: 1 })).toHaveLength(3);
  });

  test('follow the draft that the schema names', () => {
    expect(violations({ $schema: DRAFT_4, minimum: 1, exclusiveMinimum: true }, 1)).toHaveLength(1);
    expect(violations({ exclusiveMinimum: 1 }, 1)).toHaveLength(1);
    expect(violations({ $schema: DRAFT_4, id: 'x', type: 'string' }, 'a')).toEqual([]);
  });

  test('are one for a schema that refers to itself without end', () => {
    expect(violations({ $ref: '#' }, {})).toEqual(['(root): nested too deeply to be checked']);
  });

  test('of a pattern are found in linear time', () => {
    expect(violations({ pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`)).toHaveLength(1);
  });
});

test('a schema may contain text that looks like the code of its validator', () => {
  const schema = { required: ['errors++;'], properties: { 'errors++;': { const: 'errors = vErrors.length;' } } };
  expect(violations(schema, { 'errors++;': 'errors = vErrors.length;' })).toEqual([]);
  expect(violations(schema, {})).toEqual(['(root): errors++; is required']);
});
