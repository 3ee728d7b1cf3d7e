import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient, rowsOf } from '../access/client.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6}|\.\d{9})?Z$/);
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

const failureOf = (code: number, message: string) => ({ code, message, Error: message, StatusCode: code });

let client: Client;

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

const put = (name: string, body?: string) =>
  client.call('PUT', `/api/namespaces/${name}`, body === undefined ? {} : { body });

const namesOf = async (query: string): Promise<unknown[]> => {
  const list = (await client.call('GET', `/api/namespaces?filter.field=NAME&filter.type=CONTAINS&${query}`)).json();
  return rowsOf(list['results']).map((row) => row['name']);
};

const addNode = (namespace: string) => client.call('PUT', `/api/namespaces/${namespace}/tree/d?op=create-directory`);

describe('creating a namespace', () => {
  test('returns its record and creates an empty root directory', async () => {
    const made = await put('fresh');
    expect(made.status).toBe(200);
    expect(made.headers.get('content-type')).toBe('application/json');
    expect(made.json()).toEqual({ namespace: { createdAt: TIME, updatedAt: TIME, name: 'fresh', oid: UUID } });
    const root = (await client.call('GET', '/api/namespaces/fresh/tree')).json();
    expect(root['node']).toMatchObject({ name: '', path: '/', parent: '/', type: 'directory' });
    expect(root['children']?.['results']).toEqual([]);
  });

  test('is rejected with 409 for a name in use', async () => {
    await put('taken');
    const again = await put('taken');
    expect(again.status).toBe(409);
    expect(again.json()).toEqual(failureOf(409, 'resource already exists'));
  });

  test('succeeds once for many concurrent requests with the same name', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => put('raced')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
  });

  test.each(['a', 'ab', 'has.dot', 'abc..d', 'abc9', 'a_b-c', 'a'.repeat(64)])('accepts the name %s', async (name) => {
    expect((await put(name)).status).toBe(200);
  });

  test.each([
    'A',
    '1abc',
    '-abc',
    'abc-',
    'abc.',
    'UPPER',
    'has%20space',
    '%C3%A9t%C3%A9',
    'a%2Fb',
    'a%00b',
    'a'.repeat(65),
  ])('rejects the name %s with 406 and a hint, and stores nothing', async (name) => {
    const answer = await put(name);
    expect(answer.status).toBe(406);
    expect(answer.json()).toMatchObject(failureOf(406, 'one or more fields has an invalid value'));
    expect(answer.json()['hint']).toContain('the name of a namespace has at most 64 characters');
    expect((await client.call('GET', `/api/namespaces/${name}/config`)).status).toBe(404);
  });

  test('accepts a body that is empty, `{}` or without a mirror, and rejects others', async () => {
    expect((await put('body-object', '{}')).status).toBe(200);
    expect((await put('body-null', 'null')).status).toBe(200);
    expect((await put('body-broken', '{nope')).json()['message']).toMatch(/^invalid character 'n'/);
    expect((await put('body-unknown', '{"uri":"x"}')).json()['message']).toBe('json: unknown field "uri"');
    expect(await namesOf('filter.val=body-')).toEqual(['body-null', 'body-object']);
  });

  test('rejects a mirror with a clear message, and creates no plain namespace instead', async () => {
    const answer = await put('mirrored', '{"url":"https://example.com/repository.git","ref":"main"}');
    expect(answer.status).toBe(406);
    expect(answer.json()['message']).toBe('git mirrors are not supported: follow the repository with `weft sync`');
    expect(await namesOf('filter.val=mirrored')).toEqual([]);
  });
});

describe('the list of namespaces', () => {
  beforeAll(async () => {
    for (const name of ['list-c', 'list-a', 'list-b']) await put(name);
  });

  test('is ordered by name, with the requested page', async () => {
    const list = (
      await client.call(
        'GET',
        '/api/namespaces?limit=2&offset=1&filter.field=NAME&filter.type=CONTAINS&filter.val=list-',
      )
    ).json();
    expect(rowsOf(list['results']).map((row) => row['name'])).toEqual(['list-b', 'list-c']);
    expect(list['results']).toEqual(
      Array.from({ length: 2 }, () => expect.objectContaining({ createdAt: TIME, updatedAt: TIME, oid: UUID })),
    );
    expect(list['pageInfo']).toMatchObject({
      order: [],
      filter: [{ field: 'NAME', type: 'CONTAINS', val: 'list-' }],
      limit: 2,
      offset: 1,
      total: 3,
    });
  });

  test.each([
    ['order.field=NAME&order.direction=DESC', ['list-c', 'list-b', 'list-a']],
    ['order.field=name&order.direction=desc', ['list-a', 'list-b', 'list-c']],
    ['order.field=NAME', ['list-a', 'list-b', 'list-c']],
    ['limit=-1', ['list-a', 'list-b', 'list-c']],
    ['limit=0', ['list-a', 'list-b', 'list-c']],
    ['offset=5', []],
    ['offset=-5&limit=1', ['list-a']],
    ['first=2', ['list-a', 'list-b']],
    ['last=1', ['list-c']],
    ['first=-1', []],
    ['last=-1', []],
  ])('accepts %s', async (query, names) => {
    expect(await namesOf(`filter.val=list-&${query}`)).toEqual(names);
  });

  test('follows the cursors of the oldest clients', async () => {
    const path = '/api/namespaces?filter.field=NAME&filter.type=CONTAINS&filter.val=list-&first=2';
    const page = (await client.call('GET', path)).json();
    expect(page['totalCount']).toBe(3);
    expect(page['pageInfo']).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const after = encodeURIComponent(String(page['pageInfo']?.['endCursor']));
    const rest = (await client.call('GET', `${path}&after=${after}`)).json();
    expect(rowsOf(rest['edges']).map((edge) => edge['node']?.['name'])).toEqual(['list-c']);
  });

  test.each([
    'limit=abc',
    'offset=1.5',
    'limit=99999999999',
    'order.field=NAME&order.field=NAME&order.direction=ASC',
    'filter.field=NAME',
  ])('rejects %s with 400 and a clear message', async (query) => {
    const answer = await client.call('GET', `/api/namespaces?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.text).toMatch(/^Bad Request\n.*(limit|offset|order|filter)/);
  });
});

describe('deleting a namespace', () => {
  test('returns an empty reply and deletes the namespace', async () => {
    await put('short');
    const gone = await client.call('DELETE', '/api/namespaces/short');
    expect([gone.status, gone.text, gone.headers.get('content-type')]).toEqual([200, '', null]);
    const again = await client.call('DELETE', '/api/namespaces/short');
    expect(again.status).toBe(404);
    expect(again.json()).toEqual(failureOf(404, 'namespace not found'));
  });

  test.each(['', '?recursive=false', '?recursive=yes', '?recursive='])(
    'with nodes is rejected when it is requested %s',
    async (query) => {
      await put('full');
      await addNode('full');
      const refused = await client.call('DELETE', `/api/namespaces/full${query}`);
      expect(refused.status).toBe(500);
      expect(refused.json()['message']).toBe(
        'refusing to delete non-empty namespace without explicit recursive argument',
      );
      expect((await client.call('GET', '/api/namespaces/full/tree/d')).status).toBe(200);
    },
  );

  test.each(['true', '1', 't', 'T', 'TRUE', 'True'])('with nodes succeeds with recursive=%s', async (flag) => {
    await put('full');
    await addNode('full');
    expect((await client.call('DELETE', `/api/namespaces/full?recursive=${flag}`)).status).toBe(200);
    expect((await client.call('GET', '/api/namespaces/full/tree/d')).status).toBe(404);
  });

  test('leaves no data for a new namespace with its name', async () => {
    await put('phoenix');
    await addNode('phoenix');
    await client.call('PATCH', '/api/namespaces/phoenix/config', { json: { broadcast: { 'workflow.create': true } } });
    await client.call('DELETE', '/api/namespaces/phoenix?recursive=true');
    await put('phoenix');
    const root = (await client.call('GET', '/api/namespaces/phoenix/tree')).json();
    expect(root['children']?.['results']).toEqual([]);
    const { broadcast } = (await client.call('GET', '/api/namespaces/phoenix/config')).json();
    expect(broadcast?.['workflow.create']).toBe(false);
  });
});

test('a namespace whose state machines are all defined shows none that waits', async () => {
  await put('machines');
  await client.call('PUT', '/api/namespaces/machines/tree/w?op=create-workflow', {
    body: 'states: [{id: a, type: noop}]',
  });
  const shown = await client.call('GET', '/api/namespaces/machines/definitions');
  expect([shown.status, shown.json()]).toEqual([200, { defined: 0, waiting: 0, waitingInAll: 0, failed: [] }]);
});

describe('the configuration of a namespace', () => {
  beforeAll(async () => {
    await put('config');
  });

  const patch = (body: string) => client.call('PATCH', '/api/namespaces/config/config', { body });
  const get = async () => (await client.call('GET', '/api/namespaces/config/config')).json();

  test('shows a broadcast that the original does not know only where it is switched on', async () => {
    await client.call('PUT', '/api/namespaces/late');
    const patch = async (isOn: boolean) =>
      (
        await client.call('PATCH', '/api/namespaces/late/config', { json: { broadcast: { 'instance.late': isOn } } })
      ).json()['broadcast'];
    expect(await patch(true)).toMatchObject({ 'instance.late': true, 'instance.failed': false });
    expect(Object.keys((await patch(false)) ?? {})).toHaveLength(17);
  });

  test('has the mail server of functions that name none, and refuses one that cannot be used', async () => {
    await put('mailing');
    const patch = (mail: unknown) => client.call('PATCH', '/api/namespaces/mailing/config', { json: { mail } });
    const mail = { host: 'smtp.example.com', port: 465, user: 'USER', password: 'PASSWORD', from: 'Shop <a@b.test>' };
    expect((await patch({ ...mail, tls: null })).json()['mail']).toEqual(mail);
    expect((await patch(null)).json()['mail']).toEqual(mail);
    for (const [change, text] of [
      [{ host: 'a b' }, 'mail.host: must be the name or the address of a server'],
      [{ port: 0 }, 'mail.port: must be a number from 1 to 65535'],
      [{ user: '' }, 'mail.user: required beside password: both are names of secrets'],
      [{ from: 'shop' }, 'mail.from: must be an address such as'],
    ] as const) {
      const refused = await patch({ ...mail, ...change });
      expect([refused.status, refused.text]).toEqual([406, expect.stringContaining(text)]);
    }
    expect((await patch({})).json()).not.toHaveProperty('mail');
  });

  test('says where alerts go, and refuses two targets', async () => {
    await client.call('PUT', '/api/namespaces/alerting');
    const patch = (alerts: object) => client.call('PATCH', '/api/namespaces/alerting/config', { json: { alerts } });
    const alerts = { workflow: 'ops/alert', within: 'PT10M' };
    expect((await patch(alerts)).json()['alerts']).toEqual(alerts);
    expect((await client.call('GET', '/api/namespaces/alerting/config')).json()['alerts']).toEqual(alerts);
    const text = "alerts.workflow: '/ops/alert' does not exist; no alert arrives before a workflow is stored there";
    expect((await patch(alerts)).json()['warnings']).toEqual([text]);
    await client.call('PUT', '/api/namespaces/alerting/tree/ops?op=create-directory');
    const workflow = '/api/namespaces/alerting/tree/ops/alert?op=create-workflow';
    await client.call('PUT', workflow, { body: 'states: [{id: a, type: noop}]' });
    expect((await patch(alerts)).json()).not.toHaveProperty('warnings');
    expect((await patch({ workflow: 'ops' })).json()['warnings']).toEqual([expect.stringContaining('is a directory')]);
    expect((await patch(alerts)).status).toBe(200);
    expect(await patch({ ...alerts, url: 'https://a.example' })).toMatchObject({ status: 406 });
    const signed = { url: 'https://a.example', secret: 'SIGN' };
    const unset = "alerts.secret: 'SIGN' has no value; no alert is sent before it has one";
    expect((await patch(signed)).json()).toMatchObject({ alerts: signed, warnings: [unset] });
    expect(await patch({ workflow: 'a', secret: 'SIGN' })).toMatchObject({ status: 406 });
    expect((await patch({ mail: 'a@b.example' })).json()['message']).toContain('unknown field "mail"');
    expect((await patch({})).json()).not.toHaveProperty('alerts');
  });

  test('has 17 broadcasts, all disabled by default', async () => {
    await put('untouched');
    const { broadcast } = (await client.call('GET', '/api/namespaces/untouched/config')).json();
    expect(Object.keys(broadcast ?? {})).toHaveLength(17);
    expect(new Set(Object.values(broadcast ?? {}))).toEqual(new Set([false]));
  });

  test('changes only the given fields, and returns all', async () => {
    await patch('{"broadcast":{"workflow.create":true}}');
    const answer = await patch('{"broadcast":{"instance.failed":true,"workflow.create":null}}');
    expect(answer.status).toBe(200);
    expect(answer.json()['broadcast']).toMatchObject({ 'workflow.create': true, 'instance.failed': true });
    expect(await get()).toEqual(answer.json());
    expect((await patch('{}')).json()).toEqual(answer.json());
    expect((await patch('{"BROADCAST":{"Instance.Failed":false}}')).json()['broadcast']?.['instance.failed']).toBe(
      false,
    );
  });

  test.each([
    ['', 'EOF'],
    ['{nope', /^invalid character 'n' looking for beginning of object key string/],
    [
      '{"broadcast":{"workflow.create":"yes"}}',
      /^json: cannot unmarshal string into Go struct field ConfigBroadcast\.broadcast\.workflow\.create of type bool$/,
    ],
    ['{"broadcast":{"workflow.made":true}}', 'json: unknown field "workflow.made"'],
    ['{"cast":{}}', 'json: unknown field "cast"'],
    ['[]', /^json: cannot unmarshal array into the body of type object$/],
    ['{"broadcast":{"constructor":true}}', 'json: unknown field "constructor"'],
    ['{"__proto__":{"broadcast":{}}}', 'json: unknown field "__proto__"'],
  ])('rejects %s with a clear message and changes nothing', async (body, message) => {
    const before = await get();
    const answer = await patch(body);
    expect(answer.status).toBe(500);
    expect(answer.json()['message']).toMatch(message);
    expect(await get()).toEqual(before);
  });

  test('is 404 for an unknown namespace', async () => {
    expect((await client.call('GET', '/api/namespaces/nosuch/config')).json()).toEqual(
      failureOf(404, 'namespace not found'),
    );
    const patched = await client.call('PATCH', '/api/namespaces/nosuch/config', { body: '{}' });
    expect(patched.json()).toEqual(failureOf(404, 'namespace not found'));
  });
});
