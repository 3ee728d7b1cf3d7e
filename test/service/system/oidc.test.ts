import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startService } from '../../../bin/server/service.ts';
import { readSettings } from '../../../bin/server/settings.ts';
import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import { iamIn } from '../../../lib/domain/credentials/iam.ts';
import { oidcIn } from '../../../lib/domain/credentials/oidc.ts';
import { type Issuer, startIssuer } from '../../contract/issuer.ts';
import { type Client, clientOf, rowsOf } from '../access/client.ts';

let issuer: Issuer;
let client: Client;

beforeAll(async () => {
  issuer = await startIssuer();
  const groups = {
    admins: { permission: 'admin' },
    readers: { permission: 'read' },
    team: { permission: 'write', namespaces: ['a', 'b'] },
    other: { permission: 'read', namespaces: ['c'] },
    robots: { permission: 'worker', namespaces: ['a'] },
    heads: { permission: 'admin', namespaces: ['a', 'd'] },
  } as const;
  const oidc = { issuer: issuer.url, audience: ['weft'], groups, client: issuer.client };
  const local = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, brand: 'service' };
  const service = await startService({ ...local, databaseEndpoint: undefined, version: packageVersion(), oidc });
  client = clientOf(service.url, service.key, service.close);
  for (const name of ['a', 'b', 'c']) await client.call('PUT', `/api/namespaces/${name}`);
});

beforeEach(() => issuer.fail(undefined));

afterAll(async () => {
  await client.close();
  await issuer.close();
});

/** Sends a request with a token of a user in these groups. */
async function callAs(groups: readonly string[] | undefined, method: string, path: string, claims = {}) {
  const token = await issuer.sign({ groups, sub: `u-${groups}`, ...claims });
  return client.call(method, path, { key: null, headers: { Authorization: `Bearer ${token}` } });
}

const PUT_VARIABLE = ['PUT', '/api/namespaces/a/vars/x'] as const;

describe('a token', () => {
  test('gives the permission of its group, in the namespaces of the group', async () => {
    const statuses = async (groups: readonly string[]) =>
      Promise.all(
        [
          ['GET', '/api/namespaces/a/vars'],
          PUT_VARIABLE,
          ['PUT', '/api/namespaces/c/vars/x'],
          ['GET', '/api/namespaces/c/vars'],
          ['GET', '/api/keys'],
        ].map(async ([method = '', path = '']) => (await callAs(groups, method, path)).status),
      );
    expect(await statuses(['admins'])).toEqual([200, 200, 200, 200, 200]);
    expect(await statuses(['readers'])).toEqual([200, 403, 403, 200, 403]);
    expect(await statuses(['team'])).toEqual([200, 200, 403, 403, 403]);
    expect(await statuses(['other', 'unknown'])).toEqual([403, 403, 403, 200, 403]);
    expect(await statuses(['robots'])).toEqual([403, 403, 403, 403, 403]);
    // Of several groups, those count that include the namespace.
    expect(await statuses(['team', 'readers'])).toEqual([200, 200, 403, 200, 403]);
    expect(await statuses(['team', 'other'])).toEqual([200, 200, 403, 200, 403]);
  });

  test('does not extend the permission of one group to the namespaces of another', async () => {
    const setOf = async (groups: readonly string[]) => {
      const token = await issuer.sign({ groups, sub: 'u-mixed' });
      const headers = { Authorization: `Bearer ${token}` };
      const json = { egress: ['10.0.0.0/8'] };
      return (await client.call('PATCH', '/api/namespaces/a/config', { key: null, headers, json })).status;
    };
    expect(await setOf(['heads'])).toBe(403);
    expect(await setOf(['readers', 'heads'])).toBe(403);
    expect(await setOf(['admins', 'heads'])).toBe(200);
  });

  test('creates no namespace that its groups name, also not again', async () => {
    expect((await callAs(['heads'], 'PUT', '/api/namespaces/d')).status).toBe(403);
    expect((await callAs(['heads', 'readers'], 'PUT', '/api/namespaces/d')).status).toBe(403);
    expect((await callAs(['admins'], 'PUT', '/api/namespaces/d')).status).toBe(200);
    expect((await callAs(['heads'], 'DELETE', '/api/namespaces/d')).status).toBe(200);
    expect((await callAs(['heads'], 'PUT', '/api/namespaces/d')).status).toBe(403);
  });

  test('shows the namespaces of its groups alone', async () => {
    const namesAs = async (groups: readonly string[]) =>
      rowsOf((await callAs(groups, 'GET', '/api/namespaces')).json()['results']).map(({ name }) => name);
    expect(await namesAs(['team'])).toEqual(['a', 'b']);
    expect(await namesAs(['team', 'other'])).toEqual(['a', 'b', 'c']);
    expect(await namesAs(['readers'])).toEqual(['a', 'b', 'c']);
    expect((await callAs(['team'], 'GET', '/api/keys/own')).json()).toMatchObject({
      permission: 'write',
      namespaces: ['a', 'b'],
    });
    expect((await callAs(['readers', 'team'], 'GET', '/api/keys/own')).json()).toEqual({
      permission: 'read',
      namespaces: [],
      grants: [
        { permission: 'read', namespaces: [] },
        { permission: 'write', namespaces: ['a', 'b'] },
      ],
    });
  });

  test('may be in a header for keys, for clients that can set no other', async () => {
    const token = await issuer.sign({ groups: ['readers'] });
    expect((await client.call('GET', '/api/version', { key: token })).status).toBe(200);
    const headers = { 'Direktiv-Api-Key': token };
    expect((await client.call('GET', '/api/version', { key: null, headers })).status).toBe(200);
  });

  test('is in the audit log by its name and subject', async () => {
    await callAs(['team'], ...PUT_VARIABLE, { sub: 'u-77', email: 'ada@example.com' });
    await callAs(['readers'], ...PUT_VARIABLE, { sub: 'u-78', email: 'eve@example.com' });
    const logged = async (actor: string) =>
      rowsOf((await client.call('GET', `/api/audit?actor=${encodeURIComponent(actor)}`)).json()['entries']);
    expect(await logged('ada@example.com')).toMatchObject([
      { actor: 'ada@example.com', key: 'oidc:u-77', action: 'setNamespaceVariable', namespace: 'a', outcome: 'done' },
    ]);
    expect(await logged('oidc:u-78')).toMatchObject([{ actor: 'eve@example.com', outcome: 'refused', status: 403 }]);
  });
});

describe('a token is refused', () => {
  const errorOf = async (groups: readonly string[] | undefined, claims = {}) => {
    const reply = await callAs(groups, 'GET', '/api/namespaces', claims);
    return [reply.status, reply.json()['error']?.['code'], reply.json()['error']?.['message']];
  };

  test('with 401 and the reason', async () => {
    expect(await errorOf(['admins'], { exp: 1 })).toEqual([
      401,
      'access_token_invalid',
      'the token has expired: sign in again',
    ]);
    expect((await errorOf(['admins'], { aud: 'x' }))[2]).toContain('for another audience');
    expect((await errorOf(['admins'], { iss: 'https://x.example.com' }))[2]).toContain('of another issuer');
  });

  test('with 403, the claim and the setting, if no group has rights', async () => {
    const setting = "the rights of groups are in the operator's setting 'groups' of OIDC (WEFT_OIDC_GROUPS)";
    const claim = "the claim 'groups' of the token";
    expect(await errorOf(['x'])).toEqual([
      403,
      'access_token_denied',
      `${claim} has no group with rights here; ${setting}`,
    ]);
    expect(await errorOf(undefined)).toEqual([403, 'access_token_denied', `${claim} is missing; ${setting}`]);
  });

  test('with 503 while the issuer does not answer, and keys are valid meanwhile', async () => {
    const away = await startIssuer();
    await away.close();
    const groups = { admins: { permission: 'admin' } } as const;
    const oidc = { issuer: away.url, audience: ['weft'], groups };
    const local = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, brand: 'service' };
    const service = await startService({ ...local, databaseEndpoint: undefined, version: packageVersion(), oidc });
    const here = clientOf(service.url, service.key, service.close);
    try {
      const token = await issuer.sign({ iss: away.url, groups: ['admins'] });
      const refused = await here.call('GET', '/api/version', { key: token });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      expect(refused.text).toContain('the issuer of tokens is at fault');
      expect((await here.call('GET', '/api/version')).status).toBe(200);
      const made = await here.call('POST', '/api/keys', { json: { name: 'k', permission: 'read' } });
      expect((await here.call('GET', '/api/version', { key: String(made.json()['secret']) })).status).toBe(200);
    } finally {
      await here.close();
    }
  });

  test('without work for the issuer, however many there are', async () => {
    const before = issuer.requests.get('/keys');
    const replies = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const token = await issuer.sign({ groups: ['admins'] }, { kid: `invented-${n}` });
        return client.call('GET', '/api/version', { key: token });
      }),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401]));
    expect((issuer.requests.get('/keys') ?? 0) - (before ?? 0)).toBeLessThanOrEqual(1);
  });
});

describe('the sign-in of the console', () => {
  const redirectUri = 'http://127.0.0.1/ui/';
  const verifier = 'v'.repeat(43);

  /** The code with which the issuer returns to the console. */
  async function newCode(nonce: string): Promise<string> {
    const { oidc } = (await client.call('GET', '/api/sign-in', { key: null })).json();
    expect(oidc).toMatchObject({ issuer: issuer.url, client: issuer.client });
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const query = { client_id: issuer.client, redirect_uri: redirectUri, nonce, code_challenge: challenge };
    const url = `${oidc?.['authorizationUrl']}?${new URLSearchParams(query)}`;
    const reply = await fetch(url, { redirect: 'manual' });
    return new URL(reply.headers.get('location') ?? '').searchParams.get('code') ?? '';
  }

  const redeem = (json: object) => client.call('POST', '/api/sign-in', { key: null, json });

  test('redeems a code once, and continues by the refresh token', async () => {
    issuer.user = { claims: { groups: ['readers'] }, expiresIn: 600 };
    const grant = { code: await newCode('n-1'), verifier, redirectUri, nonce: 'n-1' };
    const first = await redeem(grant);
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { token, refreshToken } = first.json();
    expect((await client.call('GET', '/api/version', { key: String(token) })).status).toBe(200);
    expect((await redeem(grant)).status).toBe(401);
    const next = await redeem({ refreshToken });
    expect(next.status).toBe(200);
    expect((await client.call('GET', '/api/version', { key: String(next.json()['token']) })).status).toBe(200);
    expect((await redeem({ refreshToken })).status).toBe(401);
  });

  test('refuses another verifier, nonce or body, and is not in the audit log', async () => {
    issuer.user = { claims: { groups: ['readers'] }, expiresIn: 600 };
    const wrong = await redeem({ code: await newCode('n-1'), verifier: 'w'.repeat(43), redirectUri, nonce: 'n-1' });
    expect([wrong.status, wrong.json()['message']]).toEqual([
      401,
      expect.stringContaining('the issuer refuses the sign-in'),
    ]);
    const other = await redeem({ code: await newCode('n-1'), verifier, redirectUri, nonce: 'n-2' });
    expect([other.status, other.json()['message']]).toEqual([401, expect.stringContaining('its nonce differs')]);
    for (const body of [{}, { code: 'c' }, { code: 'c', verifier, redirectUri, nonce: 'n', refreshToken: 'r' }]) {
      expect((await redeem(body)).status).toBe(400);
    }
    issuer.user = { claims: { groups: ['unknown'] }, expiresIn: 600 };
    expect((await redeem({ code: await newCode('n'), verifier, redirectUri, nonce: 'n' })).status).toBe(403);
    issuer.fail(500);
    const away = await redeem({ code: 'c', verifier, redirectUri, nonce: 'n' });
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5']);
    const entries = rowsOf((await client.call('GET', '/api/audit?limit=100')).json()['entries']);
    expect(entries.filter(({ action }) => String(action) === 'redeemSignIn')).toEqual([]);
  });
});

test('docs/sign-in.md has settings that are accepted', () => {
  const page = readFileSync('docs/sign-in.md', 'utf8');
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, kind, text = '']) => ({ kind, text }));
  expect(blocks.map(({ kind }) => kind)).toEqual(['sh', 'json', 'json', 'json', 'sh', 'json', 'sh', 'python']);
  const texts = blocks.map(({ text }) => text);
  const [variables = '', member, ...recipes] = texts.splice(0, 4);
  const [ofIam = '', principals = ''] = texts;
  const settingsIn = (block: string) => {
    const lines = [...block.matchAll(/^(\w+)=(?:'(.*)'|(.*))$/gm)];
    return readSettings(Object.fromEntries(lines.map(([, name, quoted, plain]) => [name, quoted ?? plain])));
  };
  expect(settingsIn(variables).oidc).toEqual(oidcIn(member));
  expect(settingsIn(ofIam).iam).toEqual(iamIn({ audience: 'flows.example.com', ...JSON.parse(principals) }));
  expect(recipes.map((recipe) => oidcIn(recipe).groups)).toEqual(
    recipes.map(() => ({ platform: { permission: 'admin' } })),
  );
});

test('a key is accepted beside tokens, and a service without an issuer knows no token', async () => {
  const token = await issuer.sign({ groups: ['admins'] });
  const local = { port: 0, host: '127.0.0.1', data: undefined, apiKey: 'dots.are.allowed-in-keys', brand: 'service' };
  const service = await startService({ ...local, databaseEndpoint: undefined, version: packageVersion() });
  const here = clientOf(service.url, service.key, service.close);
  try {
    expect((await here.call('GET', '/api/version')).status).toBe(200);
    expect((await here.call('GET', '/api/sign-in', { key: null })).json()).toEqual({});
    expect((await here.call('POST', '/api/sign-in', { key: null, json: { refreshToken: 'r' } })).status).toBe(404);
    const refused = await here.call('GET', '/api/version', { key: token });
    expect([refused.status, refused.json()['error']?.['message']]).toEqual([
      401,
      'the key is not known: it was mistyped or deleted',
    ]);
  } finally {
    await here.close();
  }
});
