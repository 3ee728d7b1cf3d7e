import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, type Json, openClient, rowsOf } from '../access/client.ts';

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const NOOP = 'states:\n- id: a\n  type: noop\n';
const HEADERS = ['Service-Api-Key', 'KEY', 'apikey', 'service-token', 'direktiv-token', 'Direktiv-Api-Key'];

const refusalOf = (status: number, code: string, message: string) => ({
  code: status,
  message,
  Error: message,
  StatusCode: status,
  error: { code, message },
});

let client: Client;

beforeAll(async () => {
  client = await openClient();
  for (const name of ['mine', 'other']) {
    await client.call('PUT', `/api/namespaces/${name}`);
    await client.call('PUT', `/api/namespaces/${name}/tree/wf?op=create-workflow`, { body: NOOP });
  }
});

afterAll(() => client.close());

const version = (headers: Readonly<Record<string, string>>) =>
  client.call('GET', '/api/version', { key: null, headers });

async function keyOf(permission: string, namespaces: readonly string[] = []): Promise<{ key: Json; secret: string }> {
  const made = await client.call('POST', '/api/keys', { json: { name: `${permission} key`, permission, namespaces } });
  expect(made.status, made.text).toBe(200);
  return { key: made.json()['key'] as Json, secret: String(made.json()['secret']) };
}

const statusOf = ({ status }: Answer): number => status;

describe('a request with a key', () => {
  test.each(HEADERS)('is accepted in the header %s, in any case', async (header) => {
    expect((await version({ [header]: client.key })).status).toBe(200);
    expect((await version({ [header.toLowerCase()]: ` ${client.key} ` })).status).toBe(200);
    expect((await version({ [header]: `${client.key}x` })).status).toBe(401);
  });

  test.each(['Bearer', 'bearer', 'BEARER '])('is accepted as Authorization: %s', async (scheme) => {
    expect((await version({ Authorization: `${scheme} ${client.key}` })).status).toBe(200);
  });

  test('is accepted when one of its headers has a valid key, as two of the clients send it', async () => {
    expect((await version({ apikey: '', 'Direktiv-Token': client.key })).status).toBe(200);
    expect((await version({ apikey: 'null', 'Direktiv-Token': client.key })).status).toBe(200);
    expect((await version({ apikey: 'wrong', KEY: client.key })).status).toBe(200);
  });
});

describe('a request without a valid key', () => {
  test.each([
    [{}],
    [{ apikey: '' }],
    [{ 'direktiv-token': 'null' }],
    [{ Authorization: 'Bearer ' }],
    [{ Authorization: 'Basic YTpi' }],
  ])('with %o is 401, and the reply names the header to send', async (headers) => {
    const answer = await version(headers);
    expect(answer.status).toBe(401);
    const message = 'no key: send it in the header Service-Api-Key';
    expect(answer.json()).toEqual(refusalOf(401, 'access_token_missing', message));
  });

  test('is 401 for an unknown key in any form', async () => {
    for (const key of ['wrong', 'x'.repeat(5000), "' or 1=1", '__proto__', '{"S":"x"}']) {
      const answer = await version({ KEY: key });
      const message = 'the key is not known: it was mistyped or deleted';
      expect(answer.json()).toEqual(refusalOf(401, 'access_token_invalid', message));
    }
    expect((await version({ Authorization: client.key })).status).toBe(401);
  });

  test('changes and starts nothing', async () => {
    const answers = await Promise.all([
      client.call('PUT', '/api/namespaces/intruder', { key: null }),
      client.call('POST', '/api/namespaces/mine/tree/wf?op=execute', { key: 'wrong' }),
      client.call('DELETE', '/api/namespaces/mine?recursive=true', { key: null }),
    ]);
    expect(answers.map(statusOf)).toEqual([401, 401, 401]);
    expect((await client.call('GET', '/api/namespaces/intruder/config')).status).toBe(404);
    const { instances } = (await client.call('GET', '/api/namespaces/mine/instances')).json();
    expect(instances?.['results']).toEqual([]);
  });

  test('may read the description of the API, and request its options', async () => {
    expect((await client.call('GET', '/api/openapi.json', { key: null })).status).toBe(200);
    expect((await client.call('OPTIONS', '/api/namespaces', { key: null })).status).toBe(200);
  });
});

describe('a key with less than the permission of an administrator', () => {
  const LEVELS = ['read', 'run', 'write', 'admin'];

  const deeds: readonly (readonly [string, string, (key: string) => Promise<Answer>])[] = [
    ['read', 'lists instances', (key) => client.call('GET', '/api/namespaces/mine/instances', { key })],
    ['read', 'asks jq', (key) => client.call('POST', '/api/jq', { key, json: { query: '.', data: 'e30=' } })],
    ['run', 'runs a workflow', (key) => client.call('GET', '/api/namespaces/mine/tree/wf?op=wait', { key })],
    [
      'write',
      'toggles',
      (key) => client.call('POST', '/api/namespaces/mine/tree/wf?op=toggle', { key, json: { live: true } }),
    ],
    ['admin', 'lists keys', (key) => client.call('GET', '/api/keys', { key })],
    ['admin', 'deletes a namespace', (key) => client.call('DELETE', '/api/namespaces/nosuch', { key })],
  ];

  test.each(LEVELS)('%s has the permissions of its level and of lower levels only', async (level) => {
    const { secret } = await keyOf(level);
    for (const [needed, deed, act] of deeds) {
      const answer = await act(secret);
      const isAllowed = LEVELS.indexOf(level) >= LEVELS.indexOf(needed);
      expect(answer.status === 403, `${level} ${deed}`).toBe(!isAllowed);
      if (isAllowed) continue;
      const message = `this needs a key with the permission '${needed}'; yours has '${level}'`;
      expect(answer.json()).toEqual(refusalOf(403, 'access_token_denied', message));
    }
  });

  test('for a namespace is valid only there', async () => {
    const { secret: key } = await keyOf('write', ['mine']);
    expect((await client.call('GET', '/api/namespaces/mine/tree', { key })).status).toBe(200);
    const denied = await client.call('GET', '/api/namespaces/other/tree', { key });
    const message = "the key is not good for the namespace 'other'";
    expect(denied.json()).toEqual(refusalOf(403, 'access_token_denied', message));
    expect((await client.call('GET', '/api/namespaces/nosuch/tree', { key })).status).toBe(403);
    const { results } = (await client.call('GET', '/api/namespaces', { key })).json();
    expect(rowsOf(results).map(({ name }) => name)).toEqual(['mine']);
    expect((await client.call('GET', '/api/version', { key })).status).toBe(200);
  });

  test('for a namespace is not good for a later one of the same name', async () => {
    await client.call('PUT', '/api/namespaces/again');
    const { secret: key } = await keyOf('read', ['again', 'mine']);
    expect((await client.call('GET', '/api/namespaces/again/tree', { key })).status).toBe(200);
    await client.call('DELETE', '/api/namespaces/again?recursive=true');
    await client.call('PUT', '/api/namespaces/again');
    expect((await client.call('GET', '/api/namespaces/again/tree', { key })).status).toBe(403);
    const { results } = (await client.call('GET', '/api/namespaces', { key })).json();
    expect(rowsOf(results).map(({ name }) => name)).toEqual(['mine']);
  });

  test('for a namespace has no access to others by dots, slashes or the instance of another', async () => {
    const { secret: key } = await keyOf('admin', ['mine']);
    const ran = await client.call('POST', '/api/namespaces/other/tree/wf?op=wait', { json: {} });
    const id = ran.headers.get('service-instance-id');
    expect((await client.call('GET', `/api/namespaces/mine/instances/${id}`, { key })).status).toBe(404);
    expect((await client.call('GET', '/api/namespaces/mine/tree/..%2f..%2fother/tree', { key })).status).toBe(301);
    expect((await client.call('GET', '/api//namespaces//other//tree', { key })).status).toBe(403);
    expect((await client.call('GET', '/api/v2/namespaces/other/tree', { key })).status).toBe(403);
    expect((await client.call('POST', '/api/keys', { key, json: { name: 'x', permission: 'admin' } })).status).toBe(
      403,
    );
    expect((await client.call('GET', '/api/keys', { key })).status).toBe(403);
  });
});

describe('what the key of a request may do', () => {
  const own = (key: string) => client.call('GET', '/api/keys/own', { key });

  test.each([
    ['read', []],
    ['admin', ['mine', 'other']],
  ])('is shown to it: %s in %j', async (permission, namespaces) => {
    const { secret } = await keyOf(permission, namespaces);
    expect((await own(secret)).json()).toEqual({ permission, namespaces });
  });

  test('is everything for the key of the administrator, and is not shown without a key', async () => {
    expect((await own(client.key)).json()).toEqual({ permission: 'admin', namespaces: [] });
    expect((await own('unknown')).status).toBe(401);
  });
});

describe('keys', () => {
  test('are shown once with their secret, and are listed without it', async () => {
    const { key, secret } = await keyOf('run', ['mine', 'other']);
    const record = {
      id: UUID,
      name: 'run key',
      permission: 'run',
      namespaces: ['mine', 'other'],
      createdAt: expect.any(String),
    };
    expect(key).toEqual(record);
    expect(secret.length).toBeGreaterThanOrEqual(32);
    const list = await client.call('GET', '/api/keys');
    expect(rowsOf(list.json()['keys'])).toContainEqual(record);
    expect(list.text).not.toContain(secret);
    expect(list.headers.get('cache-control')).toBe('no-store');
  });

  test('are invalid after they are deleted', async () => {
    const { key, secret } = await keyOf('admin');
    expect((await version({ KEY: secret })).status).toBe(200);
    const gone = await client.call('DELETE', `/api/keys/${key['id']}`);
    expect([gone.status, gone.text]).toEqual([200, '']);
    expect((await version({ KEY: secret })).status).toBe(401);
    const again = await client.call('DELETE', `/api/keys/${key['id']}`);
    expect([again.status, again.json()['message']]).toEqual([404, 'key not found']);
  });

  test.each([
    ['', 400, 'EOF'],
    ['{}', 400, 'json: field name is missing'],
    ['{"name":"x"}', 400, 'json: field permission is missing; it is one of worker, read, run, write, admin'],
    [
      '{"name":"x","permission":"root"}',
      400,
      'json: field permission cannot be "root"; it is one of worker, read, run, write, admin',
    ],
    ['{"name":1,"permission":"read"}', 400, 'json: cannot unmarshal number into field name of type string'],
    [
      '{"name":"x","permission":"read","namespaces":[1]}',
      400,
      'json: cannot unmarshal number into field namespaces.0 of type string',
    ],
    ['{"name":"x","permission":"read","spaces":[]}', 400, 'json: unknown field "spaces"'],
    ['{"name":"x","permission":"read","namespaces":["nosuch"]}', 404, "namespace 'nosuch' not found: create it first"],
    ['{"name":"","permission":"read"}', 406, 'a key needs a name of 1 to 200 characters'],
    ['{"name":"x","permission":"read","namespaces":["A"]}', 406, 'one or more fields has an invalid value'],
  ])('are not created from %s', async (body, status, message) => {
    const before = (await client.call('GET', '/api/keys')).text;
    const answer = await client.call('POST', '/api/keys', { body });
    expect([answer.status, answer.json()['message']]).toEqual([status, message]);
    expect((await client.call('GET', '/api/keys')).text).toBe(before);
  });
});

test.each([
  ['GET', '/api/keys'],
  ['POST', '/api/keys'],
  ['DELETE', '/api/keys/none'],
  ['GET', '/api/namespaces/mine/secrets'],
  ['PUT', '/api/namespaces/mine/secrets/token'],
  ['GET', '/api/namespaces/none/secrets'],
  ['GET', '/api/functions/registries/global'],
  ['GET', '/api/functions/registries/namespaces/mine'],
])('no cache keeps the reply to %s %s, also when it is an error', async (method, path) => {
  for (const key of [undefined, 'a wrong key']) {
    const body = method === 'PUT' ? 'swordfish' : undefined;
    const answer = await client.call(method, path, { ...(key && { key }), ...(body && { body }) });
    expect([path, answer.headers.get('cache-control')]).toEqual([path, 'no-store']);
  }
});

test('the partitions of a namespace are set by an administrator alone', async () => {
  await client.call('PUT', '/api/namespaces/spread');
  const { secret } = await keyOf('write');
  const set = (partitions: unknown, key?: string) =>
    client.call('PATCH', '/api/namespaces/spread/config', {
      json: { partitions },
      ...(key === undefined ? {} : { key }),
    });
  const refused = await set(4, secret);
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("the setting 'partitions'")]);
  const { partitions } = (await set(4)).json();
  expect(partitions).toBe(4);
  for (const wrong of [2, 17]) expect((await set(wrong)).text).toContain('can be 4 to 16: it never gets less');
  expect((await set('many')).text).toContain('partitions');
  await client.call('PUT', '/api/namespaces/spread/tree/wf?op=create-workflow', { body: NOOP });
  expect((await client.call('POST', '/api/namespaces/spread/tree/wf?op=wait', { json: {} })).status).toBe(200);
});

test('the limits of a namespace are changed by an administrator alone; other settings are not', async () => {
  await client.call('PUT', '/api/namespaces/limited');
  const { secret } = await keyOf('write');
  const set = (json: object, key?: string) =>
    client.call('PATCH', '/api/namespaces/limited/config', { json, ...(key === undefined ? {} : { key }) });
  expect((await set({ limits: { startsPerSecond: 20, workflows: 5 } })).status).toBe(200);
  for (const limits of [{ startsPerSecond: 0 }, { startsPerSecond: 1000 }, { activeRuns: 5 }, { workflows: 6 }]) {
    const refused = await set({ limits }, secret);
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining("the setting 'limits' needs a key with the permission 'admin'"),
    ]);
  }
  const kept = await set({ record: 'flow', limits: { startsPerSecond: 20, workflows: 5 } }, secret);
  expect([kept.status, kept.json()['record'], kept.json()['limits']]).toEqual([
    200,
    'flow',
    { startsPerSecond: 20, workflows: 5 },
  ]);
});
