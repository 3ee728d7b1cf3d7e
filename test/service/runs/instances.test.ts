import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Json, openClient, rowsOf } from '../access/client.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6}|\.\d{9})?Z$/);
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const ABSENT = '00000000-0000-0000-0000-000000000000';

const WORKFLOWS: Readonly<Record<string, string>> = {
  'a/two.yaml': `
states:
- id: first
  type: noop
  log: 'jq({note: .x})'
  metadata: {seen: jq(.x)}
  transition: second
- id: second
  type: noop
`,
  fails: 'states:\n- id: a\n  type: error\n  error: my.code\n  message: no\n',
  breaks: 'states:\n- id: a\n  type: noop\n  transform: jq(.[0])\n',
  loops: 'states:\n- id: a\n  type: noop\n  transition: b\n- id: b\n  type: noop\n  transition: a\n',
};

const failureOf = (code: number, message: string) => ({ code, message, Error: message, StatusCode: code });

let client: Client;
/** The ids of ended instances, the oldest first. */
const ids: string[] = [];

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/demo');
  await client.call('PUT', '/api/namespaces/empty');
  await client.call('PUT', '/api/namespaces/demo/tree/a?op=create-directory');
  for (const [name, body] of Object.entries(WORKFLOWS)) {
    const stored = await client.call('PUT', `/api/namespaces/demo/tree/${name}?op=create-workflow`, { body });
    expect(stored.status, stored.text).toBe(200);
  }
  for (const name of ['a/two.yaml', 'fails', 'a/two.yaml', 'breaks'])
    ids.push(await waitFor(name, '{"x":1,"private":2}'));
});

afterAll(() => client.close());

async function waitFor(name: string, body: string): Promise<string> {
  const answer = await client.call('POST', `/api/namespaces/demo/tree/${name}?op=wait`, { body });
  return String(answer.headers.get('service-instance-id'));
}

async function start(name: string, body = '{}'): Promise<string> {
  const answer = await client.call('POST', `/api/namespaces/demo/tree/${name}?op=execute`, { body });
  return String(answer.json()['instance']);
}

const get = (path: string) => client.call('GET', `/api/namespaces/demo/instances${path}`);
const recordOf = async (id: string): Promise<Json> => (await get(`/${id}`)).json()['instance'] as Json;
const cancel = (id: string) => client.call('POST', `/api/namespaces/demo/instances/${id}/cancel`);

async function listed(query: string): Promise<number[]> {
  const list = (await get(`?${query}`)).json()['instances'];
  return rowsOf(list?.['results']).map((row) => ids.indexOf(String(row['id'])));
}

async function decoded(path: string): Promise<string> {
  return Buffer.from(String((await get(path)).json()['data']), 'base64').toString();
}

describe('an instance', () => {
  test('has its record, its flow and its workflow', async () => {
    const instance = {
      createdAt: TIME,
      updatedAt: TIME,
      id: ids[0],
      as: '/a/two.yaml',
      status: 'complete',
      errorCode: '',
      errorMessage: '',
      invoker: 'api',
    };
    expect((await get(`/${ids[0]}`)).json()).toEqual({
      namespace: 'demo',
      instance,
      invokedBy: '',
      flow: ['first', 'second'],
      workflow: { path: 'a/two.yaml', name: 'two.yaml', parent: 'a', revision: UUID },
    });
    expect((await get(`/${ids[0]?.toUpperCase()}`)).json()['instance']).toEqual(instance);
  });

  test('that failed has its error, of its own or of the language', async () => {
    expect(await recordOf(ids[1] ?? '')).toMatchObject({ status: 'failed', errorCode: 'my.code', errorMessage: 'no' });
    expect(await recordOf(ids[3] ?? '')).toMatchObject({ status: 'failed', errorCode: 'service.jq.badCommand' });
  });

  test('has its input without private, and text or an empty input unchanged', async () => {
    const shown = (await get(`/${ids[0]}/input`)).json();
    expect(shown).toEqual({ namespace: 'demo', instance: await recordOf(ids[0] ?? ''), data: expect.any(String) });
    expect(await decoded(`/${ids[0]}/input`)).toBe('{\n  "x": 1\n}');
    expect(await decoded(`/${await waitFor('a/two.yaml', 'words')}/input`)).toBe('words');
    expect(await decoded(`/${await start('a/two.yaml', '')}/input`)).toBe('');
  });

  test('has its output, which is empty after a failure', async () => {
    expect(await decoded(`/${ids[0]}/output`)).toBe('{\n  "x": 1\n}');
    expect(await decoded(`/${ids[3]}/output`)).toBe('');
    expect(await decoded(`/${ids[0]}/metadata`)).toBe('{\n  "seen": 1\n}');
  });

  test.each(['', '/input', '/output', '/metadata', '/logs'])('that does not exist is 404%s', async (view) => {
    expect((await get(`/${ABSENT}${view}`)).json()).toEqual(failureOf(404, 'instance not found'));
    expect((await get(`/abc${view}`)).json()).toEqual(failureOf(500, 'invalid UUID length: 3'));
    expect((await get(`/${'x'.repeat(36)}${view}`)).json()).toEqual(failureOf(500, 'invalid UUID format'));
    const gone = await client.call('GET', `/api/namespaces/nosuch/instances/${ids[0]}${view}`);
    expect(gone.json()).toEqual(failureOf(404, 'namespace not found'));
    const foreign = await client.call('GET', `/api/namespaces/empty/instances/${ids[0]}${view}`);
    expect(foreign.json()).toEqual(failureOf(404, 'instance not found'));
  });

  test('remains after its workflow is deleted', async () => {
    await client.call('PUT', '/api/namespaces/demo/tree/brief?op=create-workflow', { body: WORKFLOWS['fails'] ?? '' });
    const id = await waitFor('brief', '{}');
    await client.call('DELETE', '/api/namespaces/demo/tree/brief?op=delete-node');
    expect(await recordOf(id)).toMatchObject({ id, as: '/brief', status: 'failed' });
    expect((await get(`/${id}/logs`)).status).toBe(200);
  });
});

describe('the list of instances', () => {
  // Only the four first instances: those of other tests have another input.
  const first = async (query: string) => (await listed(query)).filter((index) => index >= 0);

  test('has the newest first, with namespace and page', async () => {
    expect(await first('')).toEqual([3, 2, 1, 0]);
    const list = (await get('?limit=2&offset=1')).json();
    expect(list).toMatchObject({
      namespace: 'demo',
      instances: { pageInfo: { order: [], filter: [], limit: 2, offset: 1 } },
    });
    const total = Number(list['instances']?.['pageInfo']?.['total']);
    expect(rowsOf(list['instances']?.['results'])).toHaveLength(2);
    expect(await listed(`limit=2&offset=${total - 2}`)).toEqual([1, 0]);
    expect(await listed(`offset=${total + 5}`)).toEqual([]);
  });

  test.each([
    ['order.field=CREATED&order.direction=ASC', [0, 1, 2, 3]],
    ['order.field=ID', [3, 2, 1, 0]],
    ['order.field=ID&order.direction=ASC', [0, 1, 2, 3]],
    ['order.field=ID&order.direction=up', [3, 2, 1, 0]],
    ['filter.field=STATUS&filter.type=MATCH&filter.val=complete', [2, 0]],
    ['filter.field=STATUS&filter.type=CONTAINS&filter.val=fail', [3, 1]],
    ['filter.field=STATUS&filter.type=MATCH&filter.val=pending', []],
    ['filter.field=AS&filter.type=CONTAINS&filter.val=wo.y', [2, 0]],
    ['filter.field=AS&filter.type=WORKFLOW&filter.val=a/two', [2, 0]],
    ['filter.field=AS&filter.type=WORKFLOW&filter.val=two', []],
    ['filter.field=TRIGGER&filter.type=MATCH&filter.val=api', [3, 2, 1, 0]],
    ['filter.field=TRIGGER&filter.type=CONTAINS&filter.val=instance', []],
    ['filter.field=TRIGGER&filter.type=MATCH&filter.val=top', [3, 2, 1, 0]],
    ['filter.field=CREATED&filter.type=AFTER&filter.val=2020-01-01T00:00:00Z', [3, 2, 1, 0]],
    ['filter.field=CREATED&filter.type=BEFORE&filter.val=2020-01-01T00:00:00Z', []],
    ['filter.field=AS&filter.type=WORKFLOW&filter.val=&limit=0', [3, 2, 1, 0]],
    [
      'filter.field=STATUS&filter.type=MATCH&filter.val=failed&filter.field=AS&filter.type=CONTAINS&filter.val=break',
      [3],
    ],
  ])('accepts %s', async (query, expected) => {
    expect(await first(query)).toEqual(expected);
  });

  test.each([
    ['limit=abc', "limit is 'abc', which is not a 32-bit integer"],
    ['order.field=A&order.field=B', 'bad ordering arguments: send one order.direction for each order.field'],
    ['filter.field=A', 'bad filtering arguments: send one filter.type and one filter.val for each filter.field'],
    ['filter.field=CREATED&filter.type=AFTER&filter.val=soon', "'soon' is not an RFC 3339 time"],
  ])('rejects %s, also where there are none', async (query, message) => {
    for (const namespace of ['demo', 'empty']) {
      const answer = await client.call('GET', `/api/namespaces/${namespace}/instances?${query}`);
      expect(answer.json()).toEqual(failureOf(500, message));
    }
  });

  test('has the children of a run at once, as the web interface of the original asks for them', async () => {
    const namespace = '/api/namespaces/family';
    await client.call('PUT', namespace);
    const put = (name: string, body: string) =>
      client.call('PUT', `${namespace}/tree/${name}?op=create-workflow`, { body });
    await put('child', 'states: [{id: a, type: noop}]');
    const each = "{id: a, type: foreach, array: 'jq([{n: 1}, {n: 2}, {n: 3}])', action: {function: f}}";
    await put('parent', `functions: [{id: f, type: subflow, workflow: child}]\nstates: [${each}]\n`);
    await client.call('GET', `${namespace}/tree/parent?op=wait`);
    const list = (query: string) => client.call('GET', `${namespace}/instances?limit=51&offset=0&${query}`);
    const [{ id } = {}] = rowsOf(
      (await list('filter.field=AS&filter.type=WORKFLOW&filter.val=parent')).json()['instances']?.['results'],
    ) as Json[];
    const children = (await list(`filter.field=TRIGGER&filter.type=MATCH&filter.val=instance:${id}`)).json();
    expect(rowsOf(children['instances']?.['results'])).toHaveLength(3);
  });

  test('is empty in an empty namespace and 404 for an unknown one', async () => {
    const none = (await client.call('GET', '/api/namespaces/empty/instances')).json();
    expect(none['instances']).toMatchObject({ results: [], edges: [], totalCount: 0 });
    const missing = await client.call('GET', '/api/namespaces/nosuch/instances');
    expect(missing.json()).toEqual(failureOf(404, 'namespace not found'));
  });
});

describe('cancelling', () => {
  async function untilOver(id: string): Promise<Json> {
    for (;;) {
      const record = await recordOf(id);
      if (String(record['status']) !== 'pending') return record;
      await setTimeout(20);
    }
  }

  test('ends an endless run, which counts as failed and is found as cancelled', async () => {
    const id = await start('loops');
    expect(await recordOf(id)).toMatchObject({ status: 'pending', errorCode: '', as: '/loops' });
    const answer = await cancel(id);
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([200, '', null]);
    const code = { errorCode: 'service.cancels.api', errorMessage: 'cancelled by api request' };
    expect(await untilOver(id)).toMatchObject({ status: 'failed', ...code });
    expect(await decoded(`/${id}/output`)).toBe('');
    const query = '?filter.field=STATUS&filter.type=MATCH&filter.val=cancelled';
    expect(rowsOf((await get(query)).json()['instances']?.['results']).map((row) => row['id'])).toEqual([id]);
    const before = await recordOf(id);
    await setTimeout(300);
    expect(await recordOf(id)).toEqual(before);
    expect((await cancel(id)).status).toBe(200);
    expect(await recordOf(id)).toEqual(before);
  });

  test('changes nothing of a run that has ended, and is 404 for an unknown one', async () => {
    const before = await recordOf(ids[0] ?? '');
    expect((await cancel(ids[0] ?? '')).status).toBe(200);
    expect(await recordOf(ids[0] ?? '')).toEqual(before);
    expect((await cancel(ABSENT)).json()).toEqual(failureOf(404, 'instance not found'));
    expect((await cancel('abc')).json()).toEqual(failureOf(500, 'invalid UUID length: 3'));
  });
});

describe('the log of an instance', () => {
  const texts = async (query: string): Promise<unknown[]> =>
    rowsOf((await get(`/${ids[0]}/logs?${query}`)).json()['results']).map((line) => line['msg']);

  const all = [
    'Preparing workflow triggered by api.',
    'Running state logic (step:1) -- first',
    '{\n  "note": 1\n}',
    'Transitioning to next state: second (2).',
    'Running state logic (step:2) -- second',
    'Workflow completed.',
  ];

  test('has every line with its time, level and tags, the oldest first', async () => {
    const log = (await get(`/${ids[0]}/logs`)).json();
    expect(log).toMatchObject({ namespace: 'demo', instance: ids[0], pageInfo: { limit: 0, offset: 0, total: 6 } });
    const lines = rowsOf(log['results']);
    expect(lines.map(({ msg }) => msg)).toEqual(all);
    const times = lines.map(({ t }) => String(t));
    expect(new Set(times).size).toBe(times.length);
    const tags = {
      callpath: '/',
      'instance-id': ids[0],
      invoker: 'api',
      namespace: 'demo',
      'namespace-id': UUID,
      recipientType: 'instance',
      workflow: '/a/two.yaml',
      'workflow-id': UUID,
    };
    expect(lines[0]).toEqual({ t: TIME, level: 'info', msg: all[0], tags });
    expect(lines[1]?.['tags']).toEqual({ ...tags, 'state-id': 'first' });
  });

  test.each([
    ['limit=2&offset=1', all.slice(1, 3)],
    ['filter.field=QUERY&filter.type=MATCH&filter.val=a/two.yaml::second::', all.slice(4)],
    ['filter.field=QUERY&filter.type=MATCH&filter.val=::first::', all.slice(1, 4)],
    ['filter.field=QUERY&filter.type=MATCH&filter.val=other::::', []],
    ['filter.field=LEVEL&filter.type=STARTING&filter.val=info', all],
    ['filter.field=LEVEL&filter.type=STARTING&filter.val=error', []],
    ['first=1', all.slice(0, 1)],
  ])('accepts %s', async (query, expected) => {
    expect(await texts(query)).toEqual(expected);
  });

  test('has the reason of a failure at the level error', async () => {
    const query = 'filter.field=LEVEL&filter.type=STARTING&filter.val=error';
    const [line, ...rest] = rowsOf((await get(`/${ids[1]}/logs?${query}`)).json()['results']);
    expect(line).toMatchObject({ level: 'error', msg: "Workflow failed with error 'my.code': no" });
    expect(rest).toEqual([]);
    expect((await get(`/${ids[0]}/logs?limit=x`)).status).toBe(400);
  });
});
