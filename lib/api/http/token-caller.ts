import { covers, grantsOf, isForAll, rightsOf } from '../../domain/credentials/oidc.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type GroupGrant, type Identity, OidcError, type Tokens } from '../../ports/tokens.ts';
import type { Authenticated } from './caller.ts';

/** The compact form of a signed token (RFC 7515, 7.1). A key that the service made has no dot. */
const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Whether a credential has the form of a token. */
export const isToken = (credential: string): boolean => SHAPE.test(credential);

/** Seconds after which the issuer may answer again. */
const RETRY_AFTER_S = 5;

/** The reply to a token that is not accepted. */
export function toServiceError({ problem, message }: OidcError): ServiceError {
  if (problem === 'unavailable') {
    return new ServiceError('unavailable', `${message}; keys of the service are valid meanwhile`, {}, RETRY_AFTER_S);
  }
  return new ServiceError('unauthorized', message, { error: { code: 'access_token_invalid', message } });
}

async function identityOf(tokens: Tokens, token: string): Promise<Identity> {
  try {
    return await tokens.verify(token);
  } catch (error) {
    throw error instanceof OidcError ? toServiceError(error) : error;
  }
}

/** The grants of the groups in a token. Throws `forbidden` if there are none. */
function needGrants({ settings }: Tokens, { groups }: Identity): GroupGrant[] {
  const grants = grantsOf(settings, groups ?? []);
  if (grants.length > 0) return grants;
  const claim = `the claim '${settings.groupsClaim ?? 'groups'}' of the token`;
  const problem = groups === undefined ? `${claim} is missing` : `${claim} has no group with rights here`;
  const message = `${problem}; the rights of groups are in the operator's setting 'groups' of OIDC (WEFT_OIDC_GROUPS)`;
  throw new ServiceError('forbidden', message, { error: { code: 'access_token_denied', message } });
}

/**
 * The caller that a token identifies, with the rights of its groups in the namespace of this name. Throws `unauthorized` (401)
 * for a token that is not valid, `forbidden` (403) without a group that has rights, and `unavailable` (503) while the keys
 * of the issuer are not known.
 */
export async function authenticateToken(
  tokens: Tokens,
  token: string,
  namespace: string | undefined,
): Promise<Authenticated> {
  const identity = await identityOf(tokens, token);
  const grants = needGrants(tokens, identity);
  const { permission, namespaces } = rightsOf(grants, namespace);
  const isAmong = (name: string): boolean => grants.some((grant) => covers(grant, name));
  // A grant for workers shows nothing of its namespaces.
  const isVisible = (name: string): boolean =>
    grants.some((grant) => grant.permission !== 'worker' && covers(grant, name));
  return {
    caller: {
      id: `oidc:${identity.subject}`,
      name: identity.name,
      permission,
      namespaces,
      // Another grant for all namespaces does not extend this permission to them.
      isRestricted: !grants.some((grant) => isForAll(grant) && grant.permission === permission),
      grants,
      canAccess: ({ name }) => isVisible(name),
    },
    isAtHome: namespace === undefined || isAmong(namespace),
  };
}
