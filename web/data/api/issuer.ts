import type { SignInReply } from '../../../clients/api/operations.ts';
import { go } from '../navigation/location.ts';
import { clientWith } from './client.ts';
import { toApiError } from './errors.ts';
import { forgetRenewal, key, renewal, signIn } from './session.ts';

/** Where users sign in, besides with a key. */
export type Issuer = NonNullable<SignInReply['oidc']>;

/** A sign-in that the page has left for: stored until the issuer returns to it. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The address to return to. */
  readonly to: string;
}

const PENDING = 'weft.sign-in';
const SCOPES = 'openid email profile';

/** Returns the issuer of the service; undefined if it has none. Throws what the client throws. */
export const findIssuer = async (): Promise<Issuer | undefined> => (await clientWith(undefined).call('getSignIn')).oidc;

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

const random = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));

/** Leaves the page for the issuer: authorization by code with PKCE (RFC 7636). Throws where the browser has no cryptography. */
export async function leaveFor({ client, authorizationUrl }: Issuer): Promise<void> {
  if (!isSecureContext) throw new Error('Sign-in at an issuer needs https, or a service on this machine');
  const { pathname, search } = window.location;
  const pending: Pending = { state: random(), nonce: random(), verifier: random(), to: `${pathname}${search}` };
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier));
  const url = new URL(authorizationUrl);
  const query = {
    ...{ response_type: 'code', client_id: client, redirect_uri: document.baseURI, scope: SCOPES },
    ...{ state: pending.state, nonce: pending.nonce },
    ...{ code_challenge: toBase64Url(new Uint8Array(digest)), code_challenge_method: 'S256' },
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  window.location.assign(url);
}

/** The sign-in from which the issuer returned to this page, which is used up; undefined if it did not. */
function takePending(query: URLSearchParams): Pending | undefined {
  const text = sessionStorage.getItem(PENDING);
  if (text === null) return undefined;
  const pending = JSON.parse(text) as Pending;
  if (query.get('state') !== pending.state) return undefined;
  sessionStorage.removeItem(PENDING);
  go(pending.to, { replace: true });
  return pending;
}

/**
 * Begins or continues a session with what the issuer returned, unless it is not wanted any more then. Throws what the client
 * throws.
 */
async function redeem(body: { readonly [name: string]: string }, isWanted = () => true): Promise<void> {
  const { token, refreshToken } = await clientWith(undefined).call('redeemSignIn', { body });
  const granted = await clientWith(token).call('getOwnKey');
  if (isWanted()) signIn(token, granted, refreshToken ?? body['refreshToken']);
}

/**
 * Signs in if the issuer returned to the page with a code. Returns why that was not possible; undefined if it was, or without
 * a code.
 */
export async function returnFromIssuer(): Promise<string | undefined> {
  const query = new URLSearchParams(window.location.search);
  const pending = takePending(query);
  if (pending === undefined) return undefined;
  const code = query.get('code');
  if (code === null)
    return `the issuer refused it: ${query.get('error_description') ?? query.get('error') ?? 'no code'}`;
  try {
    await redeem({ code, verifier: pending.verifier, nonce: pending.nonce, redirectUri: document.baseURI });
    return undefined;
  } catch (error) {
    return toApiError(error).message;
  }
}

const MINUTE_MS = 60_000;
const RETRY_MS = 10_000;

/** How long a token is used, milliseconds: until a minute before its end, or for half of the time that is left. */
function msToUse(token: string): number {
  const [, payload = ''] = token.split('.');
  const { exp = 0 } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { readonly exp?: number };
  const left = exp * 1000 - Date.now();
  return Math.max(left - MINUTE_MS, left / 2, 0);
}

/** Continues the session with a new token before its token ends, and at once when the service refused it. */
export function keepSignedIn(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const renew = async (refreshToken: string): Promise<void> => {
    // A sign-out, or another key, ends the session that is renewed.
    const isCurrent = () => renewal() === refreshToken;
    if (!isCurrent()) return;
    try {
      await redeem({ refreshToken }, isCurrent);
    } catch (error) {
      if (!isCurrent()) return;
      const { status } = toApiError(error);
      // The issuer has ended the session: the page asks for another sign-in when its token ends.
      if (status >= 400 && status < 500 && status !== 429) forgetRenewal();
      else timer = setTimeout(() => void renew(refreshToken), RETRY_MS);
    }
  };
  key.subscribe((token) => {
    clearTimeout(timer);
    const refreshToken = renewal();
    if (refreshToken === undefined) return;
    timer = setTimeout(() => void renew(refreshToken), token === undefined ? 0 : msToUse(token));
  });
}
