import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

type Claims = Readonly<Record<string, unknown>>;

/** A token other than the usual one: claims that are undefined are left out. */
export interface TokenOptions {
  readonly alg?: string;
  readonly kid?: string;
  /** The private key, or the secret of HS256. */
  readonly key?: CryptoKey | Uint8Array;
  /** Seconds from now. */
  readonly expiresIn?: number;
}

/** An issuer of OpenID Connect on loopback, with authorization by code and PKCE (RFC 7636) and refresh tokens. */
export interface Issuer {
  readonly url: string;
  readonly client: string;
  /** How often each path was requested. */
  readonly requests: Map<string, number>;
  /** The public key in use. */
  publicKey(): JWK;
  /** Signs claims over the usual ones: an audience `weft`, a subject, an expiry in ten minutes. */
  sign(claims?: Claims, options?: TokenOptions): Promise<string>;
  /** Uses another key from now on, and publishes both or only that one. */
  rotate(alg?: string, keepsOld?: boolean): Promise<void>;
  /** The status of every reply, if it is not 200. */
  fail(status: number | undefined): void;
  /** The claims of the user who signs in next, and how long the tokens are valid, seconds. */
  user: { claims: Claims; expiresIn: number };
  close(): Promise<void>;
}

const json = (response: ServerResponse, body: unknown, status = 200): void =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** The grants of codes and refresh tokens, each of which is used once. */
class Grants {
  readonly #open = new Map<string, URLSearchParams>();
  #count = 0;

  add(asked: URLSearchParams): string {
    this.#count += 1;
    const code = `code-${this.#count}`;
    this.#open.set(code, asked);
    return code;
  }

  /** The authorization that a request for tokens redeems; undefined if it may not. */
  redeem(form: URLSearchParams): URLSearchParams | undefined {
    const isRefresh = form.get('grant_type') === 'refresh_token';
    const code = form.get(isRefresh ? 'refresh_token' : 'code') ?? '';
    const asked = this.#open.get(code);
    this.#open.delete(code);
    if (asked === undefined || form.get('client_id') !== asked.get('client_id')) return undefined;
    if (isRefresh) return asked;
    const isProven = challengeOf(form.get('code_verifier') ?? '') === asked.get('code_challenge');
    return isProven && form.get('redirect_uri') === asked.get('redirect_uri') ? asked : undefined;
  }
}

/** Starts an issuer with a key for RS256. */
export async function startIssuer(): Promise<Issuer> {
  const keys: { kid: string; alg: string; privateKey: CryptoKey; jwk: JWK }[] = [];
  const grants = new Grants();
  const requests = new Map<string, number>();
  let failure: number | undefined;
  const client = 'weft-console';
  const newest = () => {
    const [key] = keys;
    if (key === undefined) throw new Error('the issuer has no key');
    return key;
  };
  const rotate: Issuer['rotate'] = async (alg = 'RS256', keepsOld = true) => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const kid = `key-${keys.length + 1}-${alg}`;
    if (!keepsOld) keys.length = 0;
    keys.unshift({ kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig' } });
  };
  await rotate();
  const sign: Issuer['sign'] = async (claims = {}, options = {}) => {
    const { kid, alg, privateKey } = newest();
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: issuer.url, aud: 'weft', sub: 'u-1', iat: now, exp: now + (options.expiresIn ?? 600) };
    return new SignJWT(JSON.parse(JSON.stringify({ ...usual, ...claims })))
      .setProtectedHeader({ alg: options.alg ?? alg, kid: options.kid ?? kid })
      .sign(options.key ?? privateKey);
  };
  const authorize = (url: URL, response: ServerResponse): void => {
    const back = new URL(url.searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('code', grants.add(url.searchParams));
    back.searchParams.set('state', url.searchParams.get('state') ?? '');
    response.writeHead(302, { Location: back.href }).end();
  };
  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = grants.redeem(new URLSearchParams(await text(request)));
    if (asked === undefined) return json(response, { error: 'invalid_grant' }, 400);
    const { claims, expiresIn } = issuer.user;
    const id_token = await sign({ aud: client, nonce: asked.get('nonce') ?? undefined, ...claims }, { expiresIn });
    json(response, { id_token, refresh_token: grants.add(asked), token_type: 'Bearer', expires_in: expiresIn });
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', issuer.url);
    requests.set(url.pathname, (requests.get(url.pathname) ?? 0) + 1);
    if (failure !== undefined) return json(response, {}, failure);
    if (url.pathname === '/authorize') return authorize(url, response);
    if (url.pathname === '/token') return exchange(request, response);
    if (url.pathname === '/keys') return json(response, { keys: keys.map(({ jwk }) => jwk) });
    if (url.pathname !== '/.well-known/openid-configuration') return json(response, {}, 404);
    const endpoints = { authorization_endpoint: `${issuer.url}/authorize`, token_endpoint: `${issuer.url}/token` };
    json(response, { issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...endpoints });
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => json(response, { error: String(error) }, 500));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const issuer: Issuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    client,
    requests,
    publicKey: () => newest().jwk,
    sign,
    rotate,
    fail: (status) => {
      failure = status;
    },
    user: { claims: {}, expiresIn: 600 },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return issuer;
}
