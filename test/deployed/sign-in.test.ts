import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIamToken } from '../../lib/adapters/portable/tokens/iam-signing.ts';
import { type Client, openClient, rowsOf } from '../service/access/client.ts';
import { CREDENTIALS, REGION } from './deployment.ts';
import { IAM_AUDIENCE, ISSUER, NAMESPACE } from './issuer/issuer.ts';
import { PROGRAMS, type Program } from './issuer/programs.ts';
import { targetOfWorker } from './target.ts';

const issuer = process.env[ISSUER] ?? '';

let client: Client;

beforeAll(async () => {
  client = await openClient();
  for (const name of [NAMESPACE, 'other']) await client.call('PUT', `/api/namespaces/${name}`);
});
afterAll(() => client?.close());

/** A token for a program, by its secret. */
async function tokenOf({ id, secret }: Program): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const reply = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form) });
  return ((await reply.json()) as { readonly access_token: string }).access_token;
}

/** The statuses of a read and a write in the namespace of the grant, of a read in another one, and of a read of all keys. */
async function statusesWith(token: string): Promise<number[]> {
  const headers = { Authorization: `Bearer ${token}` };
  const calls = [
    ['GET', `/api/namespaces/${NAMESPACE}/vars`],
    ['PUT', `/api/namespaces/${NAMESPACE}/vars/x`],
    ['GET', '/api/namespaces/other/vars'],
    ['GET', '/api/keys'],
  ] as const;
  const replies = await Promise.all(calls.map(([method, path]) => client.call(method, path, { key: null, headers })));
  return replies.map(({ status }) => status);
}

/** The refused writes of a caller in the audit log. */
const refusedOf = async (actor: string) =>
  rowsOf((await client.call('GET', `/api/audit?actor=${encodeURIComponent(actor)}`)).json()['entries']).filter(
    ({ action }) => String(action) === 'setNamespaceVariable',
  );

test.skipIf(issuer === '')(
  'a token of the issuer has the rights of its group, and its program is in the audit log',
  async () => {
    const [reader, stranger] = PROGRAMS;
    expect(await statusesWith(await tokenOf(reader))).toEqual([200, 403, 403, 403]);
    expect(await refusedOf(`oidc:${reader.id}`)).toMatchObject([
      { actor: reader.id, key: `oidc:${reader.id}`, namespace: NAMESPACE, outcome: 'refused', status: 403 },
    ]);
    expect(await statusesWith(await tokenOf(stranger))).toEqual([403, 403, 403, 403]);
    expect(await statusesWith((await tokenOf(reader)).replace(/..$/, 'AA'))).toEqual([401, 401, 401, 401]);
  },
);

test.skipIf(issuer === '')(
  'a token of IAM has the rights of its principal, and its ARN is in the audit log',
  async () => {
    // The STS of the functions: they reach AWS through the proxy.
    const endpoint = new URL(targetOfWorker()?.faults ?? '').origin;
    const token = await signIamToken({ credentials: CREDENTIALS, audience: IAM_AUDIENCE, region: REGION, endpoint });
    expect(await statusesWith(token)).toEqual([200, 403, 403, 403]);
    const arn = 'arn:aws:iam::000000000000:root';
    expect(await refusedOf(arn)).toMatchObject([{ actor: arn, namespace: NAMESPACE, outcome: 'refused', status: 403 }]);
    const ofOther = new URL(endpoint);
    ofOther.port = '9';
    const elsewhere = { credentials: CREDENTIALS, audience: IAM_AUDIENCE, region: REGION, endpoint: ofOther.href };
    expect(await statusesWith(await signIamToken(elsewhere))).toEqual([401, 401, 401, 401]);
  },
);
