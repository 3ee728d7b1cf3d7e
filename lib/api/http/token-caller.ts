import { covers, grantsOf, isForAll, rightsOf } from '../../domain/credentials/grants.ts';
import { grantsFor } from '../../domain/credentials/iam.ts';
import { ServiceError } from '../../domain/errors.ts';
import {
  type GroupGrant,
  type IamTokens,
  type Identity,
  type IssuerTokens,
  SignInError,
  type Tokens,
  type VerifyToken,
} from '../../ports/tokens.ts';
import type { Authenticated } from './caller.ts';

/** What verifies the tokens of a kind and gives them their rights. */
interface Source {
  /** What ids of callers begin with. */
  readonly name: keyof Tokens;
  readonly verify: VerifyToken;
  grantsOf(identity: Identity): GroupGrant[];
  /** Why an identity has no grants. */
  denialOf(identity: Identity): string;
}

const sourceOfIssuer = ({ settings, verify }: IssuerTokens): Source => ({
  name: 'oidc',
  verify,
  grantsOf: ({ groups = [] }) => grantsOf(settings, groups),
  denialOf: ({ groups }) => {
    const claim = `the claim '${settings.groupsClaim ?? 'groups'}' of the token`;
    const problem = groups === undefined ? `${claim} is missing` : `${claim} has no group with rights here`;
    return `${problem}; the rights of groups are in the operator's setting 'groups' of OIDC (WEFT_OIDC_GROUPS)`;
  },
});

const sourceOfIam = ({ settings, verify }: IamTokens): Source => ({
  name: 'iam',
  verify,
  grantsOf: ({ name }) => grantsFor(settings, name),
  denialOf: ({ name }) =>
    `no principal with rights here includes ${name}; the rights of principals are in the operator's setting ` +
    "'principals' of IAM (WEFT_IAM_PRINCIPALS)",
});

/** The form of each kind of token, and its source if it is accepted here. */
const KINDS: readonly { readonly shape: RegExp; open(tokens: Tokens): Source | undefined }[] = [
  // The compact form of a signed token (RFC 7515, 7.1). A key that the service made has no dot.
  { shape: /^[\w-]+\.[\w-]+\.[\w-]*$/, open: ({ oidc }) => oidc && sourceOfIssuer(oidc) },
  { shape: /^weft-aws-v1\.[\w-]+$/, open: ({ iam }) => iam && sourceOfIam(iam) },
];

const sourceOf = (tokens: Tokens, credential: string): Source | undefined =>
  KINDS.find(({ shape }) => shape.test(credential))?.open(tokens);

/** Whether a credential has the form of a token that is accepted here. */
export const isToken = (tokens: Tokens, credential: string): boolean => sourceOf(tokens, credential) !== undefined;

/** Seconds after which the issuer may answer again. */
const RETRY_AFTER_S = 5;

/** The reply to a token that is not accepted. */
export function toServiceError({ problem, message }: SignInError): ServiceError {
  if (problem === 'unavailable') {
    return new ServiceError('unavailable', `${message}; keys of the service are valid meanwhile`, {}, RETRY_AFTER_S);
  }
  return new ServiceError('unauthorized', message, { error: { code: 'access_token_invalid', message } });
}

async function identityOf(source: Source, token: string): Promise<Identity> {
  try {
    return await source.verify(token, (identity) => source.grantsOf(identity).length > 0);
  } catch (error) {
    throw error instanceof SignInError ? toServiceError(error) : error;
  }
}

/** The grants of an identity. Throws `forbidden` if there are none. */
function needGrants(source: Source, identity: Identity): GroupGrant[] {
  const grants = source.grantsOf(identity);
  if (grants.length > 0) return grants;
  const message = source.denialOf(identity);
  throw new ServiceError('forbidden', message, { error: { code: 'access_token_denied', message } });
}

/**
 * The caller that a token identifies, with the rights of its groups or principals in the namespace of this name. Throws `unauthorized` (401)
 * for a token that is not valid, `forbidden` (403) without a group or principal that has rights, and `unavailable` (503) while the keys
 * of the issuer are not known, or STS does not answer.
 */
export async function authenticateToken(
  tokens: Tokens,
  token: string,
  namespace: string | undefined,
): Promise<Authenticated> {
  const source = sourceOf(tokens, token);
  if (source === undefined) throw toServiceError(new SignInError('refused', 'the token is malformed'));
  const identity = await identityOf(source, token);
  const grants = needGrants(source, identity);
  const { permission, namespaces } = rightsOf(grants, namespace);
  const isAmong = (name: string): boolean => grants.some((grant) => covers(grant, name));
  // A grant for workers shows nothing of its namespaces.
  const isVisible = (name: string): boolean =>
    grants.some((grant) => grant.permission !== 'worker' && covers(grant, name));
  return {
    caller: {
      id: `${source.name}:${identity.subject}`,
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
