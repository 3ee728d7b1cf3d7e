import { createHmac } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient } from '../access/client.ts';

const NAMESPACE = 'typed';
const TREE = `/api/namespaces/${NAMESPACE}/tree`;
const INPUT = `input:
  required: [order]
  properties:
    order: {$ref: '#/definitions/id'}
    express: {type: boolean, default: false}
  definitions: {id: {type: string, minLength: 2}}
`;
const OUTPUT = 'output: {required: [status], properties: {status: {type: string}}}\n';
const SHIP = `${INPUT}${OUTPUT}states: [{id: ship, type: noop, transform: 'jq(. + {status: "sent"})'}]\n`;
const NOOP = 'states: [{id: a, type: noop}]\n';
const HOOK = `start: {type: webhook, verify: {github: HOOK}}
input: {properties: {body: {required: [order]}}}
${NOOP}`;

let client: Client;

const store = (path: string, body: string) => client.call('PUT', `${TREE}/${path}?op=create-workflow`, { body });

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', `/api/namespaces/${NAMESPACE}`);
  await client.call('PUT', `${TREE}/orders?op=create-directory`);
  await client.call('PUT', `/api/namespaces/${NAMESPACE}/secrets/HOOK`, { body: 'seal' });
  const sources = {
    'orders/ship': SHIP,
    plain: NOOP,
    hook: HOOK,
    'by-event': `start: {type: event, event: {type: e}}\n${NOOP}`,
    off: NOOP,
  };
  for (const [path, source] of Object.entries(sources)) expect((await store(path, source)).status).toBe(200);
  await client.call('POST', `${TREE}/off?op=toggle`, { json: { live: false } });
});

afterAll(() => client.close());

const MESSAGE =
  'the input does not match the schema of the workflow: order: String length must be greater than or equal to 2';

describe('a start with an input that does not fit', () => {
  test.each(['execute', 'wait'])('is answered with 400 and the paths of the mistakes by op=%s', async (op) => {
    const reply = await client.call('POST', `${TREE}/orders/ship?op=${op}`, { json: { order: 'x' } });
    const violations = ['order: String length must be greater than or equal to 2'];
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({ code: 400, message: MESSAGE, violations });
    const runs = (await client.call('GET', `/api/namespaces/${NAMESPACE}/instances`)).json();
    expect(runs['instances']).toMatchObject({ results: [] });
  });

  test('is answered with 400 by a webhook', async () => {
    const body = '{"total":1}';
    const seal = `sha256=${createHmac('sha256', 'seal').update(body).digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'X-Hub-Signature-256': seal };
    const reply = await client.call('POST', `/api/hooks/${NAMESPACE}/hook`, { body, headers });
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({ violations: ['body: order is required'] });
  });
});

test('a schema that is not valid, or allows no object, is rejected when it is stored', async () => {
  for (const [field, message] of [
    ['input: {type: text}', 'invalid schema'],
    ['output: {type: array}', 'the data of a run is an object'],
    [
      'input: {properties: {n: {type: integer, default: x}}}',
      'the default of n does not fit its schema: Invalid type. Expected: integer, given: string',
    ],
    [
      'input: {properties: {a: {properties: {b: {enum: [1], default: 2}}}}}',
      'the default of a.b does not fit its schema: (root) must be one of the following: 1',
    ],
    [
      'input: {properties: {l: {items: {$ref: "#/definitions/d", default: 0}}}, definitions: {d: {minimum: 1}}}',
      'the default of l.[] does not fit its schema: Must be greater than or equal to 1',
    ],
  ] as const) {
    const reply = await store('wrong', `${field}\n${NOOP}`);
    expect(reply.status).toBe(406);
    expect(JSON.stringify(reply.json())).toContain(message);
  }
});

test('the OpenAPI description of a namespace has the workflows that a request can start, with their schemas', async () => {
  const reply = await client.call('GET', `/api/namespaces/${NAMESPACE}/openapi.json`);
  expect(reply.status).toBe(200);
  const description = reply.json() as unknown as {
    readonly openapi: string;
    readonly paths: Record<string, { readonly post: Record<string, never> }>;
  };
  expect(description.openapi).toBe('3.1.1');
  const prefix = `/namespaces/${NAMESPACE}/tree`;
  expect(Object.keys(description.paths)).toEqual([`${prefix}/hook`, `${prefix}/orders/ship`, `${prefix}/plain`]);
  const { post } = description.paths[`${prefix}/orders/ship`] as { readonly post: object };
  expect(post).toMatchObject({
    parameters: [{ name: 'op', schema: { enum: ['wait'] } }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { type: 'object', required: ['order'] } } },
    },
    responses: { 200: { content: { 'application/json': { schema: { required: ['status'] } } } } },
  });
  const { schema } = (post as { requestBody: { content: Record<string, { schema: object }> } }).requestBody.content[
    'application/json'
  ] as { schema: object };
  // Read as a part of the description: its references lead into the schema itself.
  const fits = new Ajv2020({ strict: false }).compile(schema);
  expect([fits({ order: 'o-1' }), fits({ order: 'x' })]).toEqual([true, false]);
  const output = await client.call('POST', `/api${prefix}/orders/ship?op=wait`, { json: { order: 'o-1' } });
  expect(output.json()).toEqual({ order: 'o-1', express: false, status: 'sent' });
});
