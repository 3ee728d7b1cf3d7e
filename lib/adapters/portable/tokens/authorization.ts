import { decodeJwt } from 'jose';
import { isSecureUrl } from '../../../egress/addresses.ts';
import { type Grant, type OidcSettings, type Redeemed, SignInError } from '../../../ports/tokens.ts';
import { readDocument, unavailable } from './documents.ts';

type Discovery = Readonly<Record<string, unknown>>;

/** An endpoint of the discovery document. Throws SignInError if there is none with https. */
export function endpointOf(discovery: Discovery, name: 'authorization_endpoint' | 'token_endpoint'): string {
  const url = discovery[name];
  if (typeof url === 'string' && isSecureUrl(url)) return url;
  throw unavailable(`its discovery document has no ${name} with https`);
}

/** The form of a request for tokens (RFC 6749, 4.1.3 and 6; RFC 7636, 4.5). */
function formOf(grant: Grant, client: string): URLSearchParams {
  if ('refreshToken' in grant) {
    return new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: grant.refreshToken,
      client_id: client,
    });
  }
  return new URLSearchParams({
    grant_type: 'authorization_code',
    code: grant.code,
    code_verifier: grant.verifier,
    redirect_uri: grant.redirectUri,
    client_id: client,
  });
}

/** An ID token of another sign-in has another nonce (OpenID Connect Core 1.0, 3.1.3.7). */
function needNonce(idToken: string, nonce: string): void {
  let found: unknown;
  try {
    found = decodeJwt(idToken)['nonce'];
  } catch {
    throw unavailable('its ID token is malformed');
  }
  if (found !== nonce)
    throw new SignInError('refused', 'the ID token is of another sign-in: its nonce differs; sign in again');
}

/** Redeems a grant at the token endpoint of the issuer. Throws SignInError. */
export async function redeem(discovery: Discovery, { client = '' }: OidcSettings, grant: Grant): Promise<Redeemed> {
  const url = endpointOf(discovery, 'token_endpoint');
  const { status, body } = await readDocument(url, [200, 400, 401], formOf(grant, client));
  if (status !== 200) {
    throw new SignInError(
      'refused',
      'the issuer refuses the sign-in: it was used before, or is too old; sign in again',
    );
  }
  const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken } = body;
  if (typeof idToken === 'string' && 'code' in grant) needNonce(idToken, grant.nonce);
  return {
    tokens: [idToken, accessToken].filter((token) => typeof token === 'string'),
    refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined,
  };
}
