import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operations } from '../../clients/api/operations.ts';
import { clientTypes, type Description } from '../../lib/api/docs/client-types.ts';

const description = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Description;

test('the types of requests are generated from the OpenAPI description (else: npm run docs)', () => {
  expect(readFileSync('clients/api/operations.ts', 'utf8')).toBe(clientTypes(description));
});

test('a request names its operation where the service requires it, also one that is alone with its method', () => {
  const alone = Object.values(description.paths).flatMap((methods) =>
    Object.values(methods).filter(
      (one) => one['x-operations'] === undefined && one.parameters?.some(({ name }) => name === 'op'),
    ),
  );
  const rows = new Map<string, { readonly op?: string; readonly path: string }>(Object.entries(operations));
  expect(alone.map(({ operationId }) => [operationId, rows.get(operationId)?.op])).toEqual(
    expect.arrayContaining([
      ['rerunInstance', 'rerun'],
      ['deleteWorkflowService', 'delete-service'],
    ]),
  );
});
