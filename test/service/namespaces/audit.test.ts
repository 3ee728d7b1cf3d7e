import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../../../bin/server/service.ts';
import { isChange } from '../../../lib/api/auditing.ts';
import { rows } from '../../../lib/api/registry/routes/index.ts';
import { type Client, clientOf, type Json, openOwnClient, rowsOf } from '../access/client.ts';

const NOOP = 'states:\n- id: a\n  type: noop\n';

let client: Client;
beforeAll(async () => {
  client = await openOwnClient();
});
afterAll(() => client.close());

const entriesOf = async (of: Client, query = ''): Promise<readonly Json[]> =>
  rowsOf((await of.call('GET', `/api/audit?limit=1000&${query}`)).json()['entries']);

const entries = (query?: string): Promise<readonly Json[]> => entriesOf(client, query);

/** The actions since the entries before, the oldest first. */
async function actionsOf(of: Client, work: () => Promise<unknown>): Promise<readonly Json[]> {
  const before = (await entriesOf(of)).length;
  await work();
  const all = await entriesOf(of);
  return all.slice(0, all.length - before).toReversed();
}

/** Starts two runs and sends an event. */
async function startAndSend(of: Client): Promise<void> {
  await of.call('POST', '/api/namespaces/audited/tree/wf?op=execute', { body: '{}' });
  await of.call('GET', '/api/namespaces/audited/tree/wf?op=wait&ref=latest&input.token=swordfish');
  await of.call('POST', '/api/namespaces/audited/broadcast', { body: '{"specversion":"1.0"}' });
}

const HOOK = `start: {type: webhook, verify: {none: true}}\n${NOOP}`;
const TELL = 'states:\n- {id: a, type: setter, variables: [{key: mail, scope: namespace, value: jq(.links)}]}\n';
const ASKS = `functions: [{id: tell, type: subflow, workflow: tell}]
states:
- {id: a, type: approval, subject: s, choices: {approve: null}, notify: {function: tell}}
`;

/** A request to a webhook, one by the link of an approval that does not decide it, and two of strangers. */
async function receiveHooks(of: Client): Promise<void> {
  const home = '/api/namespaces/audited';
  for (const [name, body] of Object.entries({ hook: HOOK, tell: TELL, asks: ASKS })) {
    await of.call('PUT', `${home}/tree/${name}?op=create-workflow`, { body });
  }
  await of.call('POST', `${home}/tree/asks?op=execute`, { body: '{}' });
  await expect.poll(async () => (await of.call('GET', `${home}/vars/mail`)).status, { timeout: 10_000 }).toBe(200);
  const { pathname: link } = new URL(String((await of.call('GET', `${home}/vars/mail`)).json()['approve']));
  for (const path of ['/api/hooks/audited/hook', link, '/api/hooks/audited/none', '/api/hooks/-/approvals/a/b/c']) {
    await of.call('POST', path, { key: null });
  }
}

describe('the audit log', () => {
  test('contains every request that could change something: who, what, from where, and how it ended', async () => {
    const [create, refused] = await actionsOf(client, async () => {
      await client.call('PUT', '/api/namespaces/audited', { headers: { 'User-Agent': 'a test' } });
      await client.call('PUT', '/api/namespaces/audited');
    });
    expect(create).toMatchObject({
      actor: 'admin',
      key: 'admin',
      action: 'createNamespace',
      namespace: 'audited',
      target: { namespace: 'audited' },
      outcome: 'done',
      status: 200,
      client: 'a test',
    });
    expect(String(create?.['address'])).toMatch(/^(::ffff:)?127\.0\.0\.1$|^::1$/);
    expect(refused).toMatchObject({ action: 'createNamespace', outcome: 'refused', status: 409 });
  });

  test('names the key of the caller, and contains what a key is not allowed to do', async () => {
    const json = { name: 'reader', permission: 'read', namespaces: [] };
    const { secret, key } = (await client.call('POST', '/api/keys', { json })).json();
    const [denied] = await actionsOf(client, () =>
      client.call('DELETE', '/api/namespaces/audited', { key: String(secret) }),
    );
    expect(denied).toMatchObject({ actor: 'reader', key: key?.['id'], action: 'deleteNamespace', status: 403 });
    const [created] = await entries(`actor=admin`);
    expect(created?.['target']).toEqual({ name: 'reader', permission: 'read', namespaces: '[]' });
    expect(await entries('actor=reader')).toHaveLength(1);
  });

  test('contains no starts of runs and no sent events by default', async () => {
    await client.call('PUT', '/api/namespaces/audited/tree/wf?op=create-workflow', { body: NOOP });
    expect(await actionsOf(client, () => startAndSend(client))).toEqual([]);
  });

  test('contains the decisions by links of approvals, with the namespace of their run, and no other webhook', async () => {
    const done = await actionsOf(client, () => receiveHooks(client));
    const received = done.filter(({ action }) => String(action) === 'receiveWebhook');
    expect(received).toMatchObject([
      { actor: '', namespace: 'audited', outcome: 'refused', target: { hook: expect.stringMatching(/\/approve$/) } },
    ]);
  });

  test('contains starts of runs and sent events, also those of a GET, if the settings ask for all', async () => {
    const settings = {
      port: 0,
      host: '127.0.0.1',
      data: undefined,
      apiKey: undefined,
      brand: 'service',
      version: 'v0',
    };
    const service = await startService({ ...settings, databaseEndpoint: undefined, audit: { scope: 'all' } });
    const other = clientOf(service.url, service.key, () => service.close());
    await other.call('PUT', '/api/namespaces/audited');
    await other.call('PUT', '/api/namespaces/audited/tree/wf?op=create-workflow', { body: NOOP });
    const done = await actionsOf(other, () => startAndSend(other));
    expect(done.map(({ action }) => action)).toEqual(['executeWorkflow', 'waitWorkflow', 'broadcastEvent']);
    expect(done[1]?.['target']).toEqual({ namespace: 'audited', node: 'wf', ref: 'latest' });
    const hooked = await actionsOf(other, () => receiveHooks(other));
    const received = hooked.filter(({ action }) => String(action) === 'receiveWebhook');
    expect(received.map(({ status, namespace, target }) => [Number(status), namespace, target])).toEqual([
      [202, 'audited', { hook: 'audited/hook' }],
      [400, 'audited', { hook: expect.stringMatching(/^-\/approvals\/[0-9a-f-]{36}\/approve$/) }],
    ]);
    await other.close();
  });

  test('contains no body and no secret', async () => {
    const done = await actionsOf(client, async () => {
      await client.call('PUT', '/api/namespaces/audited/secrets/token', { body: 'swordfish' });
      await client.call('PUT', '/api/namespaces/audited/vars/v?op=x', { body: 'swordfish' });
      const json = { reg: 'https://registry.example', data: 'user:swordfish' };
      await client.call('POST', '/api/functions/registries/namespaces/audited', { json });
    });
    expect(done.map(({ action }) => action)).toEqual([
      'createSecret',
      'setNamespaceVariable',
      'createNamespaceRegistry',
    ]);
    expect(done[2]?.['target']).toMatchObject({ reg: 'https://registry.example' });
    expect(JSON.stringify(await entries())).not.toContain('swordfish');
  });

  test('contains no request that only reads, computes or has no valid key', async () => {
    const done = await actionsOf(client, async () => {
      await client.call('GET', '/api/namespaces');
      await client.call('POST', '/api/jq', { json: { query: '.', data: 'e30=' } });
      await client.call('DELETE', '/api/namespaces/audited', { key: 'wrong' });
      await client.call('PUT', '/api/nowhere');
    });
    expect(done).toEqual([]);
  });

  test('outlives the namespace', async () => {
    await client.call('DELETE', '/api/namespaces/audited?recursive=true');
    expect((await entries('namespace=audited'))[0]).toMatchObject({ action: 'deleteNamespace', outcome: 'done' });
  });

  test('is for administrators of all namespaces only', async () => {
    await client.call('PUT', '/api/namespaces/mine');
    const keyOf = async (permission: string, namespaces: readonly string[]) => {
      const made = await client.call('POST', '/api/keys', { json: { name: permission, permission, namespaces } });
      return String(made.json()['secret']);
    };
    const statusFor = async (key: string) => (await client.call('GET', '/api/audit', { key })).status;
    expect(await statusFor(await keyOf('write', []))).toBe(403);
    expect(await statusFor(await keyOf('admin', ['mine']))).toBe(403);
    expect(await statusFor(await keyOf('admin', []))).toBe(200);
  });

  test.each(['start=yesterday', 'limit=x', 'cursor=x'])('rejects %s with 400', async (query) => {
    expect((await client.call('GET', `/api/audit?${query}`)).status).toBe(400);
  });
});

test('every route that is not for reading is recorded', () => {
  const unrecorded = rows.filter(([, route]) => route.method !== 'GET' && !isChange(route)).map(([id]) => id);
  expect(unrecorded.toSorted()).toEqual(['runJq', 'validateRef', 'validateRouter', 'validateWorkflow']);
  const gets = rows.filter(([, route]) => route.method === 'GET' && isChange(route)).map(([id]) => id);
  expect(gets).toEqual(['waitWorkflow']);
});
