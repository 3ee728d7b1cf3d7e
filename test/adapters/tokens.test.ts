import { createHmac } from 'node:crypto';
import { exportSPKI, generateKeyPair, importJWK } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { issuerTokens } from '../../lib/adapters/portable/tokens/issuer-tokens.ts';
import type { IssuerTokens, OidcSettings } from '../../lib/ports/tokens.ts';
import { type Issuer, startIssuer } from '../contract/issuer.ts';

const MINUTE_MS = 60_000;

let issuer: Issuer;
let late = 0;

beforeEach(async () => {
  issuer = await startIssuer();
  late = 0;
});
afterEach(() => issuer.close());

/** A port whose clock is `late` milliseconds fast. */
const open = (others: Partial<OidcSettings> = {}): IssuerTokens =>
  issuerTokens({ issuer: issuer.url, audience: ['weft'], groups: {}, ...others }, () => Date.now() + late);

const outcomeOf = (verifying: Promise<unknown>): Promise<string> =>
  verifying.then(
    () => 'accepted',
    ({ problem, message }: { problem: string; message: string }) => `${problem}: ${message}`,
  );

const fetches = () => issuer.requests.get('/keys') ?? 0;

/** A token that is signed by hand. */
function tokenOf(header: object, payload: object, sign: (text: string) => string): string {
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${sign(text)}`;
}

const payload = () => ({ iss: issuer.url, aud: 'weft', sub: 'u-1', exp: Math.floor(Date.now() / 1000) + 600 });

describe('a token of the issuer', () => {
  test('identifies its holder by subject, name and groups', async () => {
    const token = await issuer.sign({ email: 'ada@example.com', groups: ['ops', 7, 'dev'] });
    expect(await open().verify(token)).toEqual({ subject: 'u-1', name: 'ada@example.com', groups: ['ops', 'dev'] });
  });

  test.each([
    ['without an address, by its subject', {}, {}, { name: 'u-1', groups: undefined }],
    ['by another claim', { upn: 'ada' }, { nameClaim: 'upn' }, { name: 'ada' }],
    ['with one group as a text', { groups: 'ops' }, {}, { groups: ['ops'] }],
    ['with a colon', { 'cognito:groups': ['a'] }, { groupsClaim: 'cognito:groups' }, { groups: ['a'] }],
    ['with dots', { 'https://a.b/g': ['a'] }, { groupsClaim: 'https://a.b/g' }, { groups: ['a'] }],
    ['nested', { realm_access: { roles: ['a'] } }, { groupsClaim: 'realm_access.roles' }, { groups: ['a'] }],
    ['inherited by every object', {}, { groupsClaim: 'constructor.name' }, { groups: undefined }],
  ])('has its claims %s', async (_, claims, others, wanted) => {
    expect(await open(others).verify(await issuer.sign(claims))).toMatchObject(wanted);
  });

  test.each(['RS256', 'PS384', 'ES256', 'ES512', 'EdDSA'])('may be signed by %s', async (alg) => {
    await issuer.rotate(alg);
    expect(await open().verify(await issuer.sign())).toMatchObject({ subject: 'u-1' });
  });

  test('may be for a client without an audience, as access tokens of Cognito are, and for the console', async () => {
    const tokens = open({ client: 'c-2' });
    const ofClient = (id: string) => issuer.sign({ aud: undefined, client_id: id });
    expect(await outcomeOf(tokens.verify(await ofClient('weft')))).toBe('accepted');
    expect(await outcomeOf(tokens.verify(await ofClient('other')))).toContain("its claim 'client_id'");
    expect(await outcomeOf(tokens.verify(await issuer.sign({ aud: ['x', 'c-2'] })))).toBe('accepted');
    // The audience decides if there is one.
    expect(await outcomeOf(tokens.verify(await issuer.sign({ aud: 'x', client_id: 'weft' })))).toContain("claim 'aud'");
  });

  test('is accepted until it expires and a minute longer, with one verification', async () => {
    const tokens = open();
    const token = await issuer.sign({}, { expiresIn: 100 });
    await tokens.verify(token);
    issuer.fail(500);
    late = 30 * MINUTE_MS;
    expect(await outcomeOf(tokens.verify(token))).not.toBe('accepted');
    late = 150_000;
    const again = open();
    issuer.fail(undefined);
    expect(await outcomeOf(again.verify(token))).toBe('accepted');
    late = 161_000;
    expect(await outcomeOf(again.verify(token))).toBe('refused: the token has expired: sign in again');
  });
});

describe('a token is refused', () => {
  test.each([
    ['expired', { exp: 1 }, 'the token has expired'],
    ['without an expiry', { exp: undefined }, "'exp' is missing"],
    ['with a subject that is too long', { sub: 'u'.repeat(256) }, '1 to 255 characters'],
    ['with a subject that is no text', { sub: 7 }, "'sub'"],
    ['without a subject', { sub: undefined }, "'sub' is missing"],
    ['that begins later', { nbf: 9_999_999_999 }, 'not valid yet'],
    ['for another service', { aud: 'other' }, "its claim 'aud' has none"],
    ['without an audience', { aud: undefined }, 'for another audience'],
    ['of another issuer', { iss: 'https://evil.example.com' }, 'of another issuer'],
  ])('%s', async (_, claims, reason) => {
    expect(await outcomeOf(open().verify(await issuer.sign(claims)))).toMatch(`refused: `);
    expect(await outcomeOf(open().verify(await issuer.sign(claims)))).toContain(reason);
  });

  test('without a signature, and signed by HS256 with the public key', async () => {
    const jwk = issuer.publicKey();
    const spki = await exportSPKI(
      (await importJWK(jwk, 'RS256', { extractable: true })) as Awaited<
        ReturnType<typeof generateKeyPair>
      >['publicKey'],
    );
    const byHmac = (key: string) => (text: string) => createHmac('sha256', key).update(text).digest('base64url');
    const forged = [
      tokenOf({ alg: 'none' }, payload(), () => ''),
      tokenOf({ alg: 'NONE', kid: jwk.kid }, payload(), () => ''),
      tokenOf({ kid: jwk.kid }, payload(), () => ''),
      tokenOf({ alg: 'HS256', kid: jwk.kid }, payload(), byHmac(spki)),
      tokenOf({ alg: 'HS256', kid: jwk.kid }, payload(), byHmac(String(jwk.n))),
    ];
    for (const token of forged)
      expect(await outcomeOf(open().verify(token))).toContain('algorithm that is not accepted');
    // None of them was a reason to ask the issuer.
    expect(fetches()).toBe(0);
  });

  test('by a key of another issuer, with a changed payload, and if it is no token', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    expect(await outcomeOf(open().verify(await issuer.sign({}, { key: privateKey })))).toContain('signature');
    const [head, , signature] = (await issuer.sign()).split('.');
    const other = Buffer.from(JSON.stringify({ ...payload(), groups: ['admins'] })).toString('base64url');
    expect(await outcomeOf(open().verify(`${head}.${other}.${signature}`))).toContain('signature');
    expect(await outcomeOf(open().verify('a.b.c'))).toContain('malformed');
    expect(await outcomeOf(open().verify(`a.${'b'.repeat(20_000)}.c`))).toContain('at most 16384');
    // Keys in the header of a token are those of its sender.
    const jku = tokenOf({ alg: 'RS256', kid: 'x', jku: `${issuer.url}/mine` }, payload(), () => 'AAAA');
    expect(await outcomeOf(open().verify(jku))).toContain('a key that the issuer does not have');
    expect(issuer.requests.has('/mine')).toBe(false);
  });
});

describe('the keys of the issuer', () => {
  test('are fetched once for many tokens, and again when they are old', async () => {
    const tokens = open();
    const signed = await Promise.all(Array.from({ length: 20 }, (_, n) => issuer.sign({ sub: `u-${n}` })));
    await Promise.all(signed.map((token) => tokens.verify(token)));
    expect(fetches()).toBe(1);
    late = 10 * MINUTE_MS;
    // The known keys serve meanwhile.
    await tokens.verify(await issuer.sign({ sub: 'later' }, { expiresIn: 3600 }));
    await expect.poll(fetches).toBe(2);
  });

  test('may be rotated: a new one is found at once, a removed one no longer', async () => {
    const tokens = open();
    const before = await issuer.sign({ sub: 'before' }, { expiresIn: 3600 });
    await tokens.verify(await issuer.sign());
    late = MINUTE_MS;
    await issuer.rotate('ES256', false);
    expect(await outcomeOf(tokens.verify(await issuer.sign({}, { expiresIn: 3600 })))).toBe('accepted');
    expect(await outcomeOf(tokens.verify(before))).toContain('a key that the issuer does not have');
    expect(fetches()).toBe(2);
  });

  test('are not fetched more than once in half a minute, whatever keys tokens name', async () => {
    const tokens = open();
    await tokens.verify(await issuer.sign());
    const flood = async () => {
      const signed = await Promise.all(Array.from({ length: 50 }, (_, n) => issuer.sign({}, { kid: `${late}-${n}` })));
      const outcomes = await Promise.all(signed.map((token) => outcomeOf(tokens.verify(token))));
      expect(new Set(outcomes)).toEqual(
        new Set(['refused: the token is signed by a key that the issuer does not have']),
      );
    };
    await flood();
    expect(fetches()).toBe(1);
    late = 31_000;
    await flood();
    await flood();
    expect(fetches()).toBe(2);
    expect(await outcomeOf(tokens.verify(await issuer.sign({ sub: 'u-2' })))).toBe('accepted');
  });

  test('are used for an hour while the issuer does not answer; without any, tokens have to wait', async () => {
    const tokens = open();
    await tokens.verify(await issuer.sign());
    issuer.fail(500);
    late = 30 * MINUTE_MS;
    const long = (sub: string) => issuer.sign({ sub }, { expiresIn: 36_000 });
    expect(await outcomeOf(tokens.verify(await long('u-2')))).toBe('accepted');
    late = 75 * MINUTE_MS;
    const at = `${issuer.url}/.well-known/openid-configuration`;
    const message = `unavailable: the issuer of tokens is at fault: ${at} answers 500`;
    expect(await outcomeOf(tokens.verify(await long('u-3')))).toBe(message);
    // The failure is remembered for five seconds.
    const before = issuer.requests.get('/.well-known/openid-configuration');
    for (let n = 0; n < 20; n += 1) expect(await outcomeOf(tokens.verify(await long(`v-${n}`)))).toBe(message);
    expect(issuer.requests.get('/.well-known/openid-configuration')).toBe(before);
    issuer.fail(undefined);
    late += 6_000;
    expect(await outcomeOf(tokens.verify(await long('u-3')))).toBe('accepted');
  });

  test('of an issuer that cannot be reached, or names itself otherwise, are not known', async () => {
    const token = await issuer.sign({ iss: `${issuer.url}/` });
    const other = open({ issuer: `${issuer.url}/` });
    expect(await outcomeOf(other.verify(token))).toContain(`is of the issuer '${issuer.url}', not of '${issuer.url}/'`);
    const own = await issuer.sign();
    await issuer.close();
    // A connection that is kept may end with the process of the issuer.
    expect(await outcomeOf(open().verify(own))).toMatch(
      /^unavailable: .*cannot be read \((ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET)\)$/,
    );
  });
});
