import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '../../../bin/server/service.ts';

import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import { signIamToken } from '../../../lib/adapters/portable/tokens/iam-signing.ts';
import { type Sts, startSts } from '../../contract/sts.ts';
import { type Client, clientOf, rowsOf } from '../access/client.ts';

const ACCOUNT = 'arn:aws:sts::123456789012:assumed-role';
const AUDIENCE = 'flows.example.com';

const principalOf = (role: string) => ({
  accessKeyId: `ASIA${role.toUpperCase()}`,
  secretAccessKey: `secret of ${role}`,
  sessionToken: 'session',
  arn: `${ACCOUNT}/${role}/ada`,
  userId: `AROA${role.toUpperCase()}:ada`,
});

let sts: Sts;
let client: Client;

beforeAll(async () => {
  sts = await startSts(['admins', 'team', 'guests'].map(principalOf));
  const principals = {
    'arn:aws:iam::123456789012:role/admins': { permission: 'admin' },
    'arn:aws:iam::123456789012:role/team': { permission: 'write', namespaces: ['a'] },
  } as const;
  const local = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, brand: 'service' };
  const iam = { audience: AUDIENCE, principals };
  const settings = { ...local, databaseEndpoint: undefined, version: packageVersion(), iam, stsEndpoint: sts.url };
  const service = await startService(settings);
  client = clientOf(service.url, service.key, service.close);
  for (const name of ['a', 'b']) await client.call('PUT', `/api/namespaces/${name}`);
});

afterAll(async () => {
  await client.close();
  await sts.close();
});

async function callAs(role: string, method: string, path: string, audience = AUDIENCE) {
  const signing = { credentials: principalOf(role), audience, region: 'eu-west-1', endpoint: sts.url };
  const headers = { Authorization: `Bearer ${await signIamToken(signing)}` };
  return client.call(method, path, { key: null, headers });
}

test('a role of the account has the rights of its principal, and is in the audit log by its session', async () => {
  const statuses = async (role: string) =>
    Promise.all(
      [
        ['GET', '/api/namespaces/a/vars'],
        ['PUT', '/api/namespaces/a/vars/x'],
        ['GET', '/api/namespaces/b/vars'],
        ['GET', '/api/keys'],
      ].map(async ([method = '', path = '']) => (await callAs(role, method, path)).status),
    );
  expect(await statuses('admins')).toEqual([200, 200, 200, 200]);
  expect(await statuses('team')).toEqual([200, 200, 403, 403]);
  const query = encodeURIComponent(`${ACCOUNT}/team/ada`);
  const { entries } = (await client.call('GET', `/api/audit?actor=${query}`)).json();
  const common = { actor: `${ACCOUNT}/team/ada`, key: 'iam:AROATEAM:ada' };
  expect(rowsOf(entries)).toMatchObject([{ ...common, action: 'setNamespaceVariable', outcome: 'done' }]);
});

test('a principal without rights gets its ARN and the setting, and a token for another service the name of this one', async () => {
  const denied = await callAs('guests', 'GET', '/api/namespaces');
  expect([denied.status, denied.json()['error']?.['message']]).toEqual([
    403,
    `no principal with rights here includes ${ACCOUNT}/guests/ada; the rights of principals are in the operator's setting 'principals' of IAM (WEFT_IAM_PRINCIPALS)`,
  ]);
  const refused = await callAs('team', 'GET', '/api/namespaces', 'other.example.com');
  expect([refused.status, refused.json()['error']?.['code']]).toEqual([401, 'access_token_invalid']);
  expect(refused.text).toContain("the header x-weft-audience with the value 'flows.example.com'");
});

test('a token of a principal without rights is not remembered', async () => {
  const signing = { credentials: principalOf('guests'), audience: AUDIENCE, region: 'eu-west-1', endpoint: sts.url };
  const headers = { Authorization: `Bearer ${await signIamToken(signing)}` };
  const before = sts.requests;
  for (let n = 0; n < 2; n += 1) await client.call('GET', '/api/version', { key: null, headers });
  expect(sts.requests - before).toBe(2);
});

test('while STS does not answer, keys are valid', async () => {
  sts.fail(503, 'ServiceUnavailable');
  const away = await callAs('others', 'GET', '/api/version');
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await client.call('GET', '/api/version')).status).toBe(200);
  sts.fail(undefined);
});
