import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cases } from '../../effort.ts';
import { type Answer, type Client, openClient } from '../access/client.ts';

const FOREVER = '[limit(1; repeat(empty))]';

/**
 * A workflow that validates a number within sixty lists. Each of them doubles the work of the schema, which takes one of
 * the types at every level.
 */
const doubling = (types: string) => `states:
- id: a
  type: setter
  variables: [{key: x, scope: instance, value: 1}]
  transform: {v: ${'['.repeat(60)}1${']'.repeat(60)}}
  transition: b
- id: b
  type: validate
  schema:
    definitions: {a: {type: [${types}], allOf: [{items: {$ref: '#/definitions/a'}}, {items: {$ref: '#/definitions/a'}}]}}
    properties: {v: {$ref: '#/definitions/a'}}
`;

const WORKFLOWS: Readonly<Record<string, string>> = {
  'loops-in-jq': `states:\n- id: a\n  type: noop\n  transform: 'jq({a: ${FOREVER}})'\n`,
  'loops-in-js': "states:\n- id: a\n  type: noop\n  transform: 'js(while (true) {})'\n",
  'eats-in-jq': "states:\n- id: a\n  type: noop\n  transform: 'jq({a: [range(1e12)]})'\n",
  'eats-in-js':
    "states:\n- id: a\n  type: noop\n  transform: 'js(let a = []; for (;;) a.push(new Array(100000).fill(a)))'\n",
  'loops-in-schema': doubling('array, integer'),
  // The number is a violation each time it is reached.
  'floods-in-schema': doubling('array'),
  validates: 'states:\n- {id: a, type: validate, schema: {type: object}}\n',
  quick: 'states:\n- id: a\n  type: noop\n',
};

let client: Client;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/endless');
  for (const [name, body] of Object.entries(WORKFLOWS)) {
    const stored = await client.call('PUT', `/api/namespaces/endless/tree/${name}?op=create-workflow`, { body });
    expect(stored.status, stored.text).toBe(200);
  }
});

afterAll(() => client.close());

const wait = (name: string) => client.call('GET', `/api/namespaces/endless/tree/${name}?op=wait`);
const ask = (query: string) => client.call('POST', '/api/jq', { json: { query, data: 'e30=' } });

type Endless = readonly [where: string, start: () => Promise<Answer>, status: number, reason: RegExp];

/** Each of them takes ten seconds of a core, two in the playground. */
const ENDLESS: readonly Endless[] = [
  ['in js', () => wait('loops-in-js'), 500, /service\.jq\.badCommand: .*(timeout|interrupted)/s],
  ['in the jq playground', () => ask(FOREVER), 400, /timeout after 2 s/],
  ['in a JSON Schema', () => wait('loops-in-schema'), 500, /service\.schema\.failed: .*timeout after 10 s/s],
  ['in jq', () => wait('loops-in-jq'), 500, /service\.jq\.badCommand: .*timeout after 10 s/s],
];

describe('a program that never ends', () => {
  test.each(ENDLESS.slice(0, cases(3, 4)))(
    '%s is stopped with a clear error, and other requests get their replies meanwhile',
    async (_, start, status, reason) => {
      const endless = start();
      expect((await wait('quick')).status).toBe(200);
      expect((await client.call('GET', '/api/version')).status).toBe(200);
      const answer = await endless;
      expect(answer.status).toBe(status);
      expect(answer.text).toMatch(reason);
      expect((await ask('[.a] | length')).json()['results']).toEqual(['1']);
    },
  );
});

describe('a JSON Schema with endless violations', () => {
  test('is stopped with a clear error, and the next validation runs', async () => {
    const answer = await wait('floods-in-schema');
    expect(answer.status).toBe(500);
    expect(answer.text).toContain(
      'service.schema.failed: subject could not be validated: the JSON Schema could not be applied: more than 20000 violations',
    );
    expect((await wait('validates')).status).toBe(200);
  });
});

describe('endless programs of one tenant', () => {
  const js = "states:\n- id: a\n  type: noop\n  transform: 'js(return {a: data.n + 1})'\n";

  test('do not keep a script of another from running', async () => {
    await client.call('PUT', '/api/namespaces/other');
    await client.call('PUT', '/api/namespaces/other/tree/js?op=create-workflow', { body: js });
    const attacks = [...Array.from({ length: 6 }, () => ask(FOREVER)), wait('loops-in-js'), wait('loops-in-js')];
    const isOver = Promise.all(attacks).then(() => true);
    await client.call('GET', '/api/version');
    const answer = await client.call('POST', '/api/namespaces/other/tree/js?op=wait', { json: { n: 1 } });
    expect(answer.json()).toEqual({ a: 2 });
    expect(await Promise.race([isOver, Promise.resolve(false)])).toBe(false);
    await isOver;
  });

  test('are rejected with 429 when too many of them wait', async () => {
    const answers = await Promise.all(Array.from({ length: 23 }, () => ask(FOREVER)));
    const rejected = answers.filter(({ status }) => status === 429);
    expect(rejected.map(({ text }) => text)).toEqual([
      expect.stringContaining('20 jq requests of this key wait; try again later'),
    ]);
    expect(rejected[0]?.headers.get('Retry-After')).toBe('1');
  });
});

describe('a program that exceeds the memory limit', () => {
  test.each([
    ['in jq', () => wait('eats-in-jq'), 500, /service\.jq\.badCommand: .*(out of memory|timeout)/s],
    ['in js', () => wait('eats-in-js'), 500, /service\.jq\.badCommand: .*(out of memory|timeout)/s],
    ['in the jq playground', () => ask('[range(1e12)]'), 400, /out of memory|timeout/],
    [
      'in the jq playground, as text',
      () => ask('reduce range(40) as $i ("xxxxxxxx"; . + .)'),
      400,
      /memory|large|long/,
    ],
  ])('%s is stopped with a clear error, and the next program runs', async (_, start, status, reason) => {
    const answer = await start();
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(reason);
    expect((await ask('[.a] | length')).json()['results']).toEqual(['1']);
  });
});
