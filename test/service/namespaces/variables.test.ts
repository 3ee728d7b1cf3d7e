import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, type Json, openClient, rowsOf } from '../access/client.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6}|\.\d{9})?Z$/);
const DEMO = '/api/namespaces/demo';
const ABSENT = '00000000-0000-0000-0000-000000000000';
const NAME_RULE = 'one or more fields has an invalid value';

/** Sets a variable of each scope, reads each, and keeps one of an instance. */
const WORKFLOW = `functions: []
states:
- id: read
  type: getter
  variables:
  - { key: fromApi, scope: workflow }
  - { key: shared, scope: namespace }
  transition: write
- id: write
  type: setter
  variables:
  - { key: counted, scope: workflow, value: 'jq(.var.fromApi + 1)' }
  - { key: shared2, scope: namespace, mimeType: 'text/plain', value: written }
  - { key: own, scope: instance, value: { a: 1 } }
  transform: 'jq({ read: .var })'
`;
const NOOP = 'states:\n- id: a\n  type: noop\n';

let client: Client;
let instance: string;

/** The path of a scope's variables, and the owner in its replies. */
interface Scope {
  readonly name: 'namespace' | 'workflow' | 'instance';
  list(query?: string): string;
  one(variable: string, op: 'var' | 'set-var' | 'delete-var'): string;
  owner(): object;
}

const SCOPES: readonly Scope[] = [
  {
    name: 'namespace',
    list: (query = '') => `${DEMO}/vars?${query}`,
    one: (variable) => `${DEMO}/vars/${variable}`,
    owner: () => ({ namespace: 'demo' }),
  },
  {
    name: 'workflow',
    list: (query = '') => `${DEMO}/tree/wf?op=vars&${query}`,
    one: (variable, op) => `${DEMO}/tree/wf?op=${op}&var=${variable}`,
    owner: () => ({ namespace: 'demo', path: '/wf' }),
  },
  {
    name: 'instance',
    list: (query = '') => `${DEMO}/instances/${instance}/vars?${query}`,
    one: (variable) => `${DEMO}/instances/${instance}/vars/${variable}`,
    owner: () => ({ namespace: 'demo', instance }),
  },
];

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', DEMO);
  for (const [path, body] of [
    ['wf', NOOP],
    ['using', WORKFLOW],
  ]) {
    expect((await client.call('PUT', `${DEMO}/tree/${path}?op=create-workflow`, { body: body ?? '' })).status).toBe(
      200,
    );
  }
  await client.call('PUT', `${DEMO}/tree/dir?op=create-directory`);
  instance = String((await client.call('GET', `${DEMO}/tree/wf?op=wait`)).headers.get('service-instance-id'));
});

afterAll(() => client.close());

const typed = (type: string | undefined): Record<string, string> =>
  type === undefined ? {} : { 'Content-Type': type };

/** A body of bytes: the client adds no content type to it. */
const put = (scope: Scope, name: string, value: string | Uint8Array, type?: string) =>
  client.call('PUT', scope.one(name, 'set-var'), { body: Buffer.from(value), headers: typed(type) });
const get = (scope: Scope, name: string) => client.call('GET', scope.one(name, 'var'));
const remove = (scope: Scope, name: string) => client.call('DELETE', scope.one(name, 'delete-var'));
const list = async (scope: Scope, query = '') => (await client.call('GET', scope.list(query))).json();
const namesIn = (answer: Json): unknown[] => rowsOf(answer['variables']?.['results']).map(({ name }) => name);

function refusalOf(answer: Answer): [number, unknown] {
  return [answer.status, answer.json()['message']];
}

const checksumOf = (value: string) => createHash('sha256').update(value).digest('hex');

describe.each(SCOPES)('variables of a $name', (scope) => {
  test('are set, read unchanged, listed and deleted', async () => {
    const made = await put(scope, 'first', '{"a": 1}', 'application/json; charset=utf-8');
    const described = { checksum: checksumOf('{"a": 1}'), mimeType: 'application/json; charset=utf-8' };
    expect(made.json()).toEqual({
      ...scope.owner(),
      key: 'first',
      createdAt: TIME,
      updatedAt: TIME,
      totalSize: '8',
      ...described,
    });
    const read = await get(scope, 'first');
    expect([read.status, read.text]).toEqual([200, '{"a": 1}']);
    expect(read.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const listed = await list(scope);
    expect(listed).toMatchObject(scope.owner());
    expect(rowsOf(listed['variables']?.['results'])).toEqual([
      { name: 'first', createdAt: TIME, updatedAt: TIME, size: '8', ...described },
    ]);
    const gone = await remove(scope, 'first');
    expect([gone.status, gone.text, gone.headers.get('content-type')]).toEqual([200, '', null]);
    for (const answer of [await get(scope, 'first'), await remove(scope, 'first')]) {
      expect(refusalOf(answer)).toEqual([404, 'var_ref not found']);
    }
    expect(namesIn(await list(scope))).toEqual([]);
  });

  test('keep their creation time and type when only their value is set again', async () => {
    const made = (await put(scope, 'again', '<b>x</b>', 'text/x-mine')).json();
    const next = (await put(scope, 'again', 'y')).json();
    expect(next).toMatchObject({ createdAt: made['createdAt'], mimeType: 'text/x-mine', totalSize: '1' });
    expect((await put(scope, 'again', 'y', 'text/csv')).json()['mimeType']).toBe('text/csv');
    expect((await get(scope, 'again')).headers.get('content-type')).toBe('text/csv');
  });

  test.each([
    ['{"a":1}', 'application/json'],
    ['just text', 'text/plain; charset=utf-8'],
    ['', 'text/plain'],
    ['\u0000\u0001', 'application/octet-stream'],
  ])('without a type get one by their content: %j', async (value, type) => {
    await remove(scope, 'sniffed');
    expect((await put(scope, 'sniffed', value)).json()['mimeType']).toBe(type);
    const read = await get(scope, 'sniffed');
    expect([read.text, read.headers.get('content-type')]).toEqual([value, type]);
  });

  test('can have any bytes of any number', async () => {
    for (const size of [0, 256, 300_000]) {
      const bytes = Uint8Array.from({ length: size }, (_, index) => index % 256);
      expect((await put(scope, 'bytes', bytes, 'image/x-raw')).json()['totalSize']).toBe(String(size));
      expect(Buffer.compare((await get(scope, 'bytes')).bytes, bytes)).toBe(0);
    }
  });

  test.each(['_abc', 'abc_', '1a', 'a%20b', 'a$', '%C3%A9', 'a'.repeat(1001)])(
    'cannot have the name %s',
    async (name) => {
      expect(refusalOf(await put(scope, name, 'x'))).toEqual([406, NAME_RULE]);
      expect((await get(scope, name)).status).toBe(404);
      expect((await remove(scope, name)).status).toBe(404);
    },
  );

  test('are listed by name, in pages, and with filters', async () => {
    for (const { name } of rowsOf((await list(scope))['variables']?.['results'])) await remove(scope, String(name));
    for (const name of ['b', 'A', 'c.d', 'a']) await put(scope, name, name);
    expect(namesIn(await list(scope))).toEqual(['A', 'a', 'b', 'c.d']);
    expect(namesIn(await list(scope, 'order.field=NAME&order.direction=DESC'))).toEqual(['c.d', 'b', 'a', 'A']);
    expect(namesIn(await list(scope, 'filter.field=NAME&filter.type=CONTAINS&filter.val=.'))).toEqual(['c.d']);
    const page = await list(scope, 'limit=2&offset=1');
    expect(namesIn(page)).toEqual(['a', 'b']);
    expect(page['variables']?.['pageInfo']).toMatchObject({ limit: 2, offset: 1, total: 4, order: [], filter: [] });
    const bad = await client.call('GET', scope.list('limit=x'));
    expect(refusalOf(bad)).toEqual([500, expect.stringContaining('32-bit integer')]);
  });
});

describe('owners of variables', () => {
  test.each([
    ['/api/namespaces/nope/vars', 'namespace not found'],
    ['/api/namespaces/nope/vars/v', 'namespace not found'],
    [`${DEMO}/tree/nope?op=vars`, "inode not found at '/nope'"],
    [`${DEMO}/tree/nope?op=var&var=v`, "inode not found at '/nope'"],
    [`${DEMO}/instances/${ABSENT}/vars`, 'instance not found'],
    [`${DEMO}/instances/${ABSENT}/vars/v`, 'instance not found'],
  ])('must exist: %s', async (path, message) => {
    expect(refusalOf(await client.call('GET', path))).toEqual([404, message]);
  });

  test('cannot be directories', async () => {
    for (const [method, op] of [
      ['GET', 'vars'],
      ['GET', 'var&var=v'],
      ['PUT', 'set-var&var=v'],
      ['DELETE', 'delete-var&var=v'],
    ] as const) {
      expect(refusalOf(await client.call(method, `${DEMO}/tree/dir?op=${op}`))).toEqual([500, 'not a workflow']);
    }
  });

  test('that are workflows need the name of the variable', async () => {
    const unnamed = await client.call('PUT', `${DEMO}/tree/wf?op=set-var`, { body: 'x' });
    expect(refusalOf(unnamed)).toEqual([406, NAME_RULE]);
    expect((await client.call('GET', `${DEMO}/tree/wf?op=var`)).status).toBe(404);
  });

  test('have separate variables', async () => {
    const [ofNamespace, ofWorkflow, ofInstance] = SCOPES as readonly [Scope, Scope, Scope];
    await put(ofNamespace, 'only', 'n');
    await put(ofWorkflow, 'only', 'w');
    expect((await get(ofInstance, 'only')).status).toBe(404);
    expect([(await get(ofNamespace, 'only')).text, (await get(ofWorkflow, 'only')).text]).toEqual(['n', 'w']);
    const other = await client.call('GET', `${DEMO}/tree/using?op=var&var=only`);
    expect(other.status).toBe(404);
  });
});

describe('the reply to a browser', () => {
  const [scope] = SCOPES as readonly [Scope];

  test('has no guessed type, and never runs with the rights of the service', async () => {
    await put(scope, 'page', '<script>alert(1)</script>', 'text/html');
    const { headers } = await get(scope, 'page');
    expect(headers.get('content-type')).toBe('text/html');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe('sandbox');
  });

  test('has no type if the type that a workflow set is invalid in a header', async () => {
    const body = `states:
- id: a
  type: setter
  variables:
  - { key: odd, scope: namespace, mimeType: "text/plain\\r\\nX-Injected: 1", value: text }
  - { key: far, scope: namespace, mimeType: "text/\\u00e9", value: text }
`;
    await client.call('PUT', `${DEMO}/tree/odd?op=create-workflow`, { body });
    const ran = await client.call('GET', `${DEMO}/tree/odd?op=wait`);
    expect([ran.status, ran.text]).toEqual([200, '{}']);
    for (const name of ['odd', 'far']) {
      const { status, headers } = await get(scope, name);
      expect([status, headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-injected')).toBeNull();
    }
  });
});

describe('a run', () => {
  test('reads variables that a client set, and a client reads those of a run, also after its end', async () => {
    const ofUsing = (op: string, name: string) => `${DEMO}/tree/using?op=${op}&var=${name}`;
    const json = { 'Content-Type': 'application/json' };
    await client.call('PUT', ofUsing('set-var', 'fromApi'), { body: '41', headers: json });
    await client.call('PUT', `${DEMO}/vars/shared`, { body: '"all"', headers: json });
    const ran = await client.call('GET', `${DEMO}/tree/using?op=wait`);
    expect(ran.json()).toEqual({ read: { fromApi: 41, shared: 'all' } });
    expect((await client.call('GET', ofUsing('var', 'counted'))).json()).toBe(42);
    const written = await client.call('GET', `${DEMO}/vars/shared2`);
    expect([written.text, written.headers.get('content-type')]).toEqual([
      expect.stringContaining('written'),
      'text/plain',
    ]);
    const own = `${DEMO}/instances/${ran.headers.get('service-instance-id')}/vars`;
    expect((await client.call('GET', `${own}/own`)).json()).toEqual({ a: 1 });
    expect((await client.call('PUT', `${own}/later`, { body: 'x' })).status).toBe(200);
    expect(namesIn((await client.call('GET', own)).json())).toEqual(['later', 'own']);
  });
});

describe('broadcasts', () => {
  const KINDS = ['create', 'update', 'delete'];

  async function eventsOf(prefix: string): Promise<readonly Json[]> {
    const found = (await client.call('GET', `${DEMO}/events?order.field=RECEIVED&order.direction=ASC`)).json();
    const all = rowsOf(found['events']?.['results']).filter(({ type }) => String(type).startsWith(prefix));
    return all.map(({ cloudevent }) => JSON.parse(Buffer.from(String(cloudevent), 'base64').toString()) as Json);
  }

  test.each(SCOPES)('contain changes and deletions of variables of a $name, once they are enabled', async (scope) => {
    const prefix = `${scope.name}.variable.`;
    await put(scope, 'quiet', 'x');
    expect(await eventsOf(prefix)).toEqual([]);
    const broadcast = Object.fromEntries(KINDS.map((kind) => [prefix + kind, true]));
    await client.call('PATCH', `${DEMO}/config`, { json: { broadcast } });
    // Events of one millisecond have no defined order.
    await put(scope, 'changed', '12345');
    await setTimeout(2);
    await put(scope, 'changed', '123');
    await setTimeout(2);
    await remove(scope, 'changed');
    const events = await eventsOf(prefix);
    const facts = {
      WorkflowPath: scope.name === 'workflow' ? '/wf' : '',
      InstanceID: scope.name === 'instance' ? instance : '',
      Key: 'changed',
      Scope: scope.name,
    };
    expect(events.map(({ type, source, data }) => ({ type, source, data }))).toEqual([
      { type: `${prefix}create`, source: 'service', data: { ...facts, TotalSize: 5 } },
      { type: `${prefix}update`, source: 'service', data: { ...facts, TotalSize: 3 } },
      { type: `${prefix}delete`, source: 'service', data: { ...facts, TotalSize: 3 } },
    ]);
  });
});

describe('a value of the maximum size', () => {
  const MAX_VALUE_BYTES = 128 * 1024 * 1024;

  test.skipIf(process.env['SERVICE_URL'] !== undefined)(
    'is stored completely, and one byte more is rejected; other bodies are limited to 32 MiB',
    async () => {
      await client.call('PUT', '/api/namespaces/long');
      const body = Buffer.alloc(MAX_VALUE_BYTES, 'weft');
      const path = '/api/namespaces/long/vars/big';
      const stored = await client.call('PUT', path, { body, headers: { 'Content-Type': 'application/octet-stream' } });
      expect(stored.json()).toMatchObject({ totalSize: String(MAX_VALUE_BYTES), mimeType: 'application/octet-stream' });
      expect(Buffer.compare((await client.call('GET', path)).bytes, body)).toBe(0);

      const longer = await client.call('PUT', path, { body: Buffer.alloc(MAX_VALUE_BYTES + 1) }).catch(() => undefined);
      expect([413, undefined]).toContain(longer?.status);
      const config = await client.call('PUT', '/api/namespaces/other', {
        body: body.subarray(0, MAX_VALUE_BYTES / 4 + 1),
      });
      expect([config.status, config.json()['message']]).toEqual([
        413,
        expect.stringContaining('at most 33554432 bytes'),
      ]);
    },
  );
});
