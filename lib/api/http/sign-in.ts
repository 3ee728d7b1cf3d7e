import { ServiceError } from '../../domain/errors.ts';
import { type IssuerTokens, type Redeemed, SignInError, type Tokens } from '../../ports/tokens.ts';
import type { InputOf } from '../registry/routes/index.ts';
import { authenticateToken, toServiceError } from './token-caller.ts';

type Issued = { readonly oidc?: Pick<IssuerTokens, 'settings' | 'authorizationUrl'> | undefined };

/** How the console signs in at the issuer: the reply to GET /sign-in. */
export interface SignIn {
  readonly oidc?: { readonly issuer: string; readonly client: string; readonly authorizationUrl: string };
}

const rethrow = (error: unknown): never => {
  throw error instanceof SignInError ? toServiceError(error) : error;
};

/** How the console signs in; empty if it has keys alone. Throws `unavailable` (503) if the issuer does not answer. */
export async function signInOf(tokens: Issued | undefined): Promise<SignIn> {
  const { oidc } = tokens ?? {};
  const { issuer, client } = oidc?.settings ?? {};
  if (oidc === undefined || issuer === undefined || client === undefined) return {};
  return { oidc: { issuer, client, authorizationUrl: await oidc.authorizationUrl().catch(rethrow) } };
}

/** The first of the tokens that has rights here. Throws what `authenticateToken` throws for the last one. */
async function usableOf(tokens: Tokens, { tokens: [token, ...others] }: Redeemed): Promise<string> {
  if (token === undefined) throw new ServiceError('unauthorized', 'the issuer returned no token');
  try {
    await authenticateToken(tokens, token, undefined);
    return token;
  } catch (error) {
    if (!(error instanceof ServiceError) || others.length === 0) throw error;
    return await usableOf(tokens, { tokens: others, refreshToken: undefined });
  }
}

/**
 * Redeems a sign-in at the issuer, or continues one: the reply to POST /sign-in. The token is valid as a key is: of the ID token
 * and the access token, the first that has rights here. Throws `not-found` where the console has keys alone,
 * `malformed` for a body that is neither, and what `authenticateToken` throws.
 */
export async function redeemSignIn(
  tokens: Tokens | undefined,
  { code, verifier, redirectUri, nonce, refreshToken }: InputOf<'redeemSignIn'>,
): Promise<{ readonly token: string; readonly refreshToken?: string }> {
  if (tokens?.oidc?.settings.client === undefined) {
    throw new ServiceError('not-found', 'this service has no sign-in at an issuer: sign in with a key');
  }
  const isCode = [code, verifier, redirectUri, nonce].every((text) => text !== '');
  if (isCode === (refreshToken !== '')) {
    throw new ServiceError('malformed', 'send code, verifier, redirectUri and nonce, or refreshToken alone');
  }
  const grant = isCode ? { code, verifier, redirectUri, nonce } : { refreshToken };
  const redeemed = await tokens.oidc.redeem(grant).catch(rethrow);
  const token = await usableOf(tokens, redeemed);
  return { token, ...(redeemed.refreshToken === undefined ? {} : { refreshToken: redeemed.refreshToken }) };
}
