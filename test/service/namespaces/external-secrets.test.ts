import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../../../bin/server/service.ts';
import { readSettings } from '../../../bin/server/settings.ts';
import { type Client, clientOf, type Json, rowsOf } from '../access/client.ts';

const KID = 'states:\n- {id: echo, type: noop}\n';
const READER = `functions: [{id: kid, type: subflow, workflow: kid}]
states:
- id: a
  type: action
  action: {function: kid, secrets: [T], input: {value: jq(.secrets.T)}}
  catch: [{error: secrets.missing, transition: end}]
- {id: end, type: noop}
`;
const HOOK = 'start: {type: webhook, verify: {github: T}}\nstates: [{id: a, type: noop}]\n';

/** The environment of the service, which a test changes. */
const variables: Record<string, string | undefined> = {
  WEFT_SECRET_SOURCES: '*=env:SHARED_* team=env:TEAM_TOKEN *=env:APIKEY *=env:toString',
  APIKEY: 'the-key-of-the-administrator',
  PORT: '0',
};

let service: Service;
let client: Client;

beforeAll(async () => {
  service = await startService({ ...readSettings(variables), data: undefined });
  client = clientOf(service.url, service.key, () => service.close());
  for (const name of ['team', 'other']) {
    await client.call('PUT', `/api/namespaces/${name}`);
    const sources = { kid: KID, reader: READER, hook: HOOK };
    for (const [path, body] of Object.entries(sources)) {
      const stored = await client.call('PUT', `/api/namespaces/${name}/tree/${path}?op=create-workflow`, { body });
      expect(stored.status, stored.text).toBe(200);
    }
  }
});

afterAll(() => client.close());

/** Stores a reference as the secret T. */
const refer = (namespace: string, body: string, query = '?reference=true', method: 'PUT' | 'PATCH' = 'PUT') =>
  client.call(method, `/api/namespaces/${namespace}/secrets/T${query}`, { body });

const run = async (namespace: string): Promise<Json> =>
  (await client.call('POST', `/api/namespaces/${namespace}/tree/reader?op=wait`, { json: {} })).json();

const list = async (namespace: string) =>
  rowsOf(((await client.call('GET', `/api/namespaces/${namespace}/secrets`)).json()['secrets'] as Json)['results']);

describe('a secret of an environment variable', () => {
  test('is read when an action uses it, and shown as its reference', async () => {
    variables['SHARED_A'] = 'sesame';
    expect(await refer('other', 'env:SHARED_A\n', '?reference=true&cache=PT0S')).toMatchObject({ status: 200 });
    expect((await run('other'))['return']).toEqual({ value: 'sesame' });
    variables['SHARED_A'] = 'rotated';
    expect((await run('other'))['return']).toEqual({ value: 'rotated' });
    expect(await list('other')).toEqual([{ name: 'T', initialized: true, reference: 'env:SHARED_A', cache: 'PT0S' }]);
  });

  test('can be one that exists later, and is an error that a state catches until then', async () => {
    delete variables['SHARED_B'];
    await refer('other', 'env:SHARED_B', '?reference=true', 'PATCH');
    expect((await run('other'))['error']).toEqual({
      code: 'service.secrets.missing',
      msg: "secret 'T' (env:SHARED_B): the process has no such environment variable",
    });
  });

  test('is missing if only every object has such a name', async () => {
    await refer('other', 'env:toString');
    expect((await run('other'))['error']).toMatchObject({ code: 'service.secrets.missing' });
  });

  test.each([
    [
      'other',
      'env:TEAM_TOKEN',
      403,
      "namespace 'other' may not use env:TEAM_TOKEN; it may use env:SHARED_*, env:APIKEY, env:toString",
    ],
    ['other', 'aws-sm:weft/other/a', 403, "namespace 'other' may not use aws-sm:weft/other/a"],
    ['other', 'sesame', 400, 'the body is no reference to a secret'],
  ])('is refused for %s: %s', async (namespace, reference, status, message) => {
    const answer = await refer(namespace, reference);
    expect([answer.status, answer.json()['message']]).toEqual([status, expect.stringContaining(message)]);
  });

  test.each(['?cache=PT5M', '?reference=true&cache=soon', '?reference=yes'])('is refused with %s', async (query) => {
    expect(await refer('team', 'env:SHARED_A', query)).toMatchObject({ status: 400 });
  });

  test('of the service itself is refused when it is read', async () => {
    await refer('team', 'env:APIKEY');
    const answer = await client.call('POST', '/api/namespaces/team/tree/reader?op=wait', { json: {} });
    expect(answer.text).toContain('service.secrets.refused');
    expect(answer.text).toContain('it belongs to the service itself');
    expect(answer.text).not.toContain(variables['APIKEY']);
  });

  test('verifies the requests of a webhook', async () => {
    variables['TEAM_TOKEN'] = 'hook-key';
    await refer('team', 'env:TEAM_TOKEN');
    const post = (key: string) => {
      const sum = createHmac('sha256', key).update('{}').digest('hex');
      const headers = { 'x-hub-signature-256': `sha256=${sum}`, 'content-type': 'application/json' };
      return fetch(`${service.url}/api/hooks/team/hook`, { method: 'POST', body: '{}', headers });
    };
    expect((await post('hook-key')).status).toBe(202);
    expect((await post('another')).status).toBe(404);
    await refer('team', 'env:SHARED_NONE');
    expect((await post('hook-key')).status).toBe(404);
    const lines = (await client.call('GET', '/api/namespaces/team/logs')).text;
    expect(lines).not.toContain('hook-key');
  });
});
