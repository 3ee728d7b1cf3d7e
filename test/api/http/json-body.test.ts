import { expect, test } from 'vitest';
import { decodeJson } from '../../../lib/api/http/json-body.ts';
import { inputs } from '../../../lib/api/registry/shapes/inputs.ts';

const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);

test.each([
  ['a text', '"owner"', '"owner"'],
  ['an object', '{"is": "owner"}', 'object'],
  ['lists in lists, too deep to be written again,', DEEP, 'array'],
])('%s instead of one of several values is rejected, with the values in the message', (_what, permission, shown) => {
  const body = Buffer.from(`{"name": "a", "permission": ${permission}, "namespaces": []}`);
  const text = `json: field permission cannot be ${shown}; it is one of worker, read, run, write, admin`;
  expect(() => decodeJson(body, inputs.key, false)).toThrow(text);
});
