import { describe, expect, test } from 'vitest';
import { schemaProblem, violations } from '../../../lib/language/schemas/violations.ts';

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

describe('a pattern', () => {
  test.each([
    ['^\\p{Lu}', 'Ada', 'ada'],
    ['^(?i)abc$', 'ABC', 'ABD'],
    ['^[[:alpha:]]+$', 'abc', 'a1'],
    ['^(?P<y>[0-9]{4})', '2020', '202'],
    ['^.$', '😀', '😀😀'],
    ['^\\p{Letter}+$', 'Köln', 'Köln1'],
    ['^\\u00e9\\u{1F600}$', 'é😀', 'e😀'],
    ['^\\p{Script=Greek}$', 'α', 'a'],
    ['^\\cJ$', '\n', 'J'],
  ])('%s is one of RE2 or of ECMA-262: it accepts %j, not %j', (pattern, good, bad) => {
    expect(violations({ pattern }, good)).toEqual([]);
    expect(violations({ pattern }, bad)).toEqual([`(root): Does not match pattern '${pattern}'`]);
  });

  test('does not replace another one, in the same schema or in another', () => {
    const schema = { properties: { a: { pattern: '^a' }, b: { pattern: '^b' } } };
    expect(violations(schema, { a: 'a', b: 'b' })).toEqual([]);
    expect(violations(schema, { a: 'b', b: 'a' })).toHaveLength(2);
    expect(violations({ pattern: '^c' }, 'c')).toEqual([]);
  });
});

describe('a decimal', () => {
  test.each([
    [19.99, 0.01],
    [4.35, 0.01],
    [0.07, 0.01],
    [1.15, 0.01],
    [0.3, 0.1],
    [1e-7, 1e-9],
    [1e308, 0.5],
    [-2.75, 0.25],
  ])('%d is a multiple of %d', (value, multipleOf) => {
    expect(violations({ multipleOf }, value)).toEqual([]);
  });

  test.each([
    [19.995, 0.01],
    [0.35, 0.1],
    [1e-10, 1e-9],
    [7.5, 2],
  ])('%d is no multiple of %d', (value, multipleOf) => {
    expect(violations({ multipleOf }, value)).toEqual([`(root): Must be a multiple of ${multipleOf}`]);
  });
});

describe('a name of the prototype of objects', () => {
  const ownProto = JSON.parse('{"__proto__": "x"}') as unknown;

  test('is no member of a value that does not have it', () => {
    expect(violations({ required: ['constructor'] }, {})).toEqual(['(root): constructor is required']);
    expect(violations({ required: ['__proto__', 'toString'] }, { toString: 1 })).toHaveLength(1);
    expect(violations({ properties: { valueOf: false } }, {})).toEqual([]);
    expect(violations({ dependencies: { toString: ['a'] } }, {})).toEqual([]);
  });

  test('is a member like any other of a value that has it', () => {
    expect(violations({ required: ['__proto__'] }, ownProto)).toEqual([]);
    const schema = JSON.parse('{"properties": {"__proto__": {"type": "number"}}, "additionalProperties": false}');
    expect(violations(schema, ownProto)).toEqual(['__proto__: Invalid type. Expected: number, given: string']);
    expect(violations({ const: { toString: 1 } }, { toString: 1 })).toEqual([]);
    expect(violations({ const: { toString: 1 } }, { toString: 2 })).toHaveLength(1);
    expect(violations({ items: { type: 'string' }, uniqueItems: true }, ['__proto__', '__proto__'])).toHaveLength(1);
  });
});

describe('a schema without a draft', () => {
  test('may use the keywords of drafts 4, 6 and 7', () => {
    expect(violations({ minimum: 1, exclusiveMinimum: true }, 1)).toHaveLength(1);
    expect(violations({ maximum: 1, exclusiveMaximum: false }, 1)).toEqual([]);
    expect(violations({ id: 'http://example.com/a', exclusiveMinimum: 1 }, 2)).toEqual([]);
  });

  test('has no effect of keywords beside a reference', () => {
    const definitions = { a: { type: 'string' } };
    expect(violations({ $ref: '#/definitions/a', maxLength: 1, type: 'number', definitions }, 'abc')).toEqual([]);
  });
});

describe('a format', () => {
  test('of an address accepts a host without a dot', () => {
    expect(violations({ format: 'email' }, 'ada@localhost')).toEqual([]);
    expect(violations({ format: 'email' }, 'ada@-localhost')).toHaveLength(1);
  });

  test('that drafts 4 to 7 do not define is not checked', () => {
    for (const format of ['int32', 'url', 'duration', 'byte']) expect(violations({ format }, 'x')).toEqual([]);
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
