import { describe, expect, test } from 'vitest';
import { inputSchema } from '../../web/data/workflow/input-schema.ts';

const SCHEMA = {
  required: ['order', 'express'],
  properties: { order: { type: 'string' }, express: { type: 'boolean', default: false } },
};
const VALIDATE = { id: 'a', type: 'validate', schema: { properties: { name: {} } } };

const shown = (document: unknown) =>
  inputSchema(document)?.map(({ name, isRequired, example }) => ({ name, isRequired, example }));

describe('the form for the input of a workflow', () => {
  test('has the fields of its input, of which those with a default may be left out', () => {
    const fields = [
      { name: 'order', isRequired: true, example: undefined },
      { name: 'express', isRequired: false, example: false },
    ];
    expect(shown({ input: SCHEMA, states: [{ id: 'a', type: 'noop' }] })).toEqual(fields);
    expect(shown({ input: SCHEMA, states: [VALIDATE] })).toEqual(fields);
  });

  test('has those of a first state that validates, and none without a schema', () => {
    expect(shown({ states: [VALIDATE] })).toEqual([{ name: 'name', isRequired: false, example: undefined }]);
    expect(shown({ states: [{ id: 'a', type: 'noop' }] })).toBeUndefined();
    expect(shown(undefined)).toBeUndefined();
  });
});
