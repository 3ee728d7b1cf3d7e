import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import { isObject } from '../../../language/json.ts';
import { ownMember } from '../../../language/own-members.ts';
import { type Grant, type Identity, type OidcSettings, type Redeemed, SignInError } from '../../../ports/tokens.ts';
import { endpointOf, redeem } from './authorization.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { type Refusal, settled } from './refusals.ts';
import type { Verified } from './remembered.ts';

/** The algorithms with a public key. With HS256 and its like, a client could sign by the public key; `none` has no signature. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512'],
  ...['PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
];

/** How much the clock of the issuer may differ, seconds. */
const TOLERANCE_S = 60;

/** The longest subject (OpenID Connect Core 1.0, section 2), and the longest name that is used, characters. */
const [MAX_SUBJECT_LENGTH, MAX_NAME_LENGTH] = [255, 200];

const refused = (message: string): SignInError => new SignInError('refused', message);

const WRONG_ALGORITHM = `the token is signed by an algorithm that is not accepted; accepted are ${ALGORITHMS.join(', ')}`;
const OTHER_ISSUER = 'the token is of another issuer than the one that this service trusts';
const WRONG_SUBJECT = "the token names no user: its claim 'sub' is no text of 1 to 255 characters";
const MALFORMED = 'the token is malformed: it is no signed JSON Web Token';

/** The claims that jose rejects, by name. */
const CLAIMS: Readonly<Record<string, string>> = {
  iss: OTHER_ISSUER,
  nbf: 'the token is not valid yet: compare the clock of the issuer with that of the service',
  exp: "the token has no expiry: its claim 'exp' is missing",
  sub: "the token names no user: its claim 'sub' is missing",
};

/** The reasons of jose's errors by their codes. */
const REASONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'the token has expired: sign in again',
  ERR_JOSE_ALG_NOT_ALLOWED: WRONG_ALGORITHM,
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the signature of the token is not valid',
  ERR_JWKS_NO_MATCHING_KEY: 'the token is signed by a key that the issuer does not have',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: "the token names no key: its header has no 'kid', and the issuer has several keys",
  ERR_JOSE_NOT_SUPPORTED: 'the issuer has a key of a kind that is not supported',
};

function toTokenError(error: unknown): unknown {
  // A key that the algorithm cannot use is a TypeError: one of RSA with less than 2,048 bits.
  if (error instanceof TypeError) return refused('the token is signed by a key that is not accepted');
  if (!(error instanceof errors.JOSEError)) return error;
  if (error instanceof errors.JWTClaimValidationFailed) return refused(ownMember(CLAIMS, error.claim) ?? MALFORMED);
  return refused(ownMember(REASONS, error.code) ?? MALFORMED);
}

function decode(token: string): { readonly alg: unknown; readonly iss: unknown } {
  try {
    return { alg: decodeProtectedHeader(token).alg, iss: decodeJwt(token).iss };
  } catch {
    throw refused(MALFORMED);
  }
}

/** Rejects what no key can make valid, before any key is fetched: else any client could cause a fetch. */
function needOwnToken(token: string, { issuer }: OidcSettings): void {
  const { alg, iss } = decode(token);
  if (!ALGORITHMS.some((one) => one === alg)) throw refused(WRONG_ALGORITHM);
  if (iss !== issuer) throw refused(OTHER_ISSUER);
}

/** Access tokens of Cognito have no `aud`, but a `client_id`. */
function needAudience(payload: JWTPayload, { audience, client }: OidcSettings): void {
  const given = [payload.aud ?? payload['client_id']].flat();
  if ([...audience, client].some((one) => one !== undefined && given.includes(one))) return;
  throw refused(
    `the token is for another audience: its claim '${payload.aud === undefined ? 'client_id' : 'aud'}' ` +
      'has none that this service accepts',
  );
}

/** The claim of this name or, if there is none, the member at the path `a.b`. */
function claimAt(payload: JWTPayload, name: string): unknown {
  const own = ownMember(payload, name);
  if (own !== undefined) return own;
  return name
    .split('.')
    .reduce<unknown>((value, part) => (isObject(value) ? ownMember(value, part) : undefined), payload);
}

function groupsOf(payload: JWTPayload, { groupsClaim = 'groups' }: OidcSettings): Identity['groups'] {
  const value = claimAt(payload, groupsClaim);
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((group) => typeof group === 'string') : undefined;
}

function toIdentity(payload: JWTPayload, settings: OidcSettings): Identity {
  const { sub: subject } = payload;
  if (typeof subject !== 'string' || subject === '' || subject.length > MAX_SUBJECT_LENGTH)
    throw refused(WRONG_SUBJECT);
  // A user may have given the issuer the address of another one.
  const isUnverified = settings.nameClaim === undefined && payload['email_verified'] === false;
  const name = isUnverified ? undefined : claimAt(payload, settings.nameClaim ?? 'email');
  return {
    subject,
    name: typeof name === 'string' && name !== '' ? name.slice(0, MAX_NAME_LENGTH) : subject,
    groups: groupsOf(payload, settings),
  };
}

async function verify(token: string, settings: OidcSettings, keys: IssuerKeys, now: number): Promise<Verified> {
  needOwnToken(token, settings);
  const { payload } = await jwtVerify(token, keys.keyFor, {
    algorithms: ALGORITHMS,
    issuer: settings.issuer,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: TOLERANCE_S,
    currentDate: new Date(now),
  }).catch((error: unknown) => {
    throw toTokenError(error);
  });
  needAudience(payload, settings);
  return { identity: toIdentity(payload, settings), expires: (Number(payload.exp) + TOLERANCE_S) * 1000 };
}

/** What needs the issuer. */
export interface Verification {
  /** Checks signature, `iss`, `aud`, `exp` and `nbf` of a token (RFC 7519, 7.2). */
  verify(token: string): Promise<Verified | Refusal>;
  /** `url`: where users sign in. */
  authorization(): Promise<{ readonly url: string } | Refusal>;
  redeem(grant: Grant): Promise<Redeemed | Refusal>;
}

/** Opens the verification of the tokens of an issuer. */
export function openVerification(settings: OidcSettings, now: () => number): Verification {
  const keys = new IssuerKeys(settings.issuer, now);
  const url = async () => ({ url: endpointOf(await keys.discovery(), 'authorization_endpoint') });
  return {
    verify: (token) => settled(verify(token, settings, keys, now())),
    authorization: () => settled(url()),
    redeem: (grant) => settled(keys.discovery().then((discovery) => redeem(discovery, settings, grant))),
  };
}
