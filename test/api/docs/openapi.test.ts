import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { openapi, schemas } from '../../../lib/api/docs/openapi.ts';
import { rows } from '../../../lib/api/registry/routes/index.ts';

type Json = Record<string, unknown>;

interface Content {
  readonly schema: Json;
  readonly examples: Record<string, { readonly value: unknown }>;
}

interface Operation extends Json {
  readonly operationId: string;
  readonly parameters: readonly { name: string; in: string; required?: boolean; example?: unknown; schema: Json }[];
  readonly responses: Json;
  readonly security?: unknown;
  readonly tags: readonly string[];
  readonly requestBody?: { readonly content: Record<string, Content> };
  readonly 'x-operations'?: readonly { operationId: string; op?: string }[];
}

interface Description extends Json {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Json };
  readonly tags: readonly { name: string }[];
}

const description = openapi() as unknown as Description;
const operations = Object.entries(description.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

function* refsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref') yield inner as string;
    else yield* refsIn(inner);
  }
}

describe('the OpenAPI description', () => {
  test('has its version and is valid JSON', () => {
    expect(description).toMatchObject({ openapi: '3.1.1', info: { title: 'Weft', version: '1.0.0' } });
    expect(JSON.parse(JSON.stringify(description))).toEqual(description);
  });

  test('describes every route, alone or among those with the same method and path', () => {
    const described = operations.flatMap(({ operation }) => {
      const several = operation['x-operations'];
      return several === undefined ? [operation.operationId] : several.map(({ operationId }) => operationId);
    });
    expect(described.toSorted()).toEqual(rows.map(([id]) => id).toSorted());
  });

  test('has a unique name for each operation', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('has no paths that differ only in the names of their parameters', () => {
    const paths = Object.keys(description.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
  });

  test('declares exactly the parameters of the path, each once', () => {
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1]);
      expect(inPath.map(({ name }) => name)).toEqual(named);
      expect(inPath.every(({ required }) => required === true)).toBe(true);
      const keys = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  test('requires `op` if every route of the operation has one', () => {
    const opOf = (path: string, method: string) =>
      description.paths[path]?.[method]?.parameters.find(({ name }) => name === 'op');
    expect(opOf('/namespaces/{namespace}/tree/{node}', 'put')).toMatchObject({ required: true });
    expect(opOf('/namespaces/{namespace}/tree/{node}', 'get')).toMatchObject({ required: false });
    expect(opOf('/namespaces', 'get')).toBeUndefined();
  });

  test('has no broken references', () => {
    const known = new Set(Object.keys(description.components.schemas).map((name) => `#/components/schemas/${name}`));
    expect([...refsIn(description)].filter((ref) => !known.has(ref))).toEqual([]);
    const tags = new Set(description.tags.map(({ name }) => name));
    expect(operations.flatMap(({ operation }) => operation.tags).filter((tag) => !tags.has(tag))).toEqual([]);
  });

  test('has valid JSON Schema and examples that match it', () => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, validateFormats: false });
    ajv.addSchema({ $id: 'weft', components: { schemas: schemas() } });
    ajv.addVocabulary(['components']);
    const checkOf = (schema: unknown) =>
      ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"weft#/components')));
    for (const name of Object.keys(schemas())) checkOf({ $ref: `#/components/schemas/${name}` });
    for (const { operation } of operations) {
      for (const { schema, example } of operation.parameters) {
        if (example !== undefined) expect(checkOf(schema)(example), operation.operationId).toBe(true);
      }
      const { schema, examples = {} } = operation.requestBody?.content['application/json'] ?? {};
      for (const { value } of Object.values(examples)) {
        expect(checkOf(schema)(value), operation.operationId).toBe(true);
      }
    }
  });

  test('requires a key except where the registry does not', () => {
    const open = operations.filter(({ operation }) => JSON.stringify(operation.security) === '[]');
    expect(open.map(({ operation }) => operation.operationId)).toEqual([
      'receiveWebhookByGet',
      'receiveWebhookByPut',
      'receiveWebhook',
      'getDescription',
      'getWorkflowSchema',
      'getSignIn',
      'redeemSignIn',
    ]);
    const asking = operations.filter(({ operation }) => '401' in operation.responses && '403' in operation.responses);
    expect(asking).toHaveLength(operations.length - open.length);
  });
});
