/** What the members of a group, or a principal of IAM, may do: a permission as API keys have it, in some namespaces. */
export interface GroupGrant {
  readonly permission: 'worker' | 'read' | 'run' | 'write' | 'admin';
  /** The names of the namespaces; absent: all. */
  readonly namespaces?: readonly string[] | undefined;
}

/** The settings of the sign-in by OpenID Connect. */
export interface OidcSettings {
  /** The URL of the issuer, as the claim `iss` of its tokens has it. */
  readonly issuer: string;
  /** A token is for the service if its claim `aud` contains one of these; `client_id` in a token without `aud`. */
  readonly audience: readonly string[];
  /** The rights of each group. */
  readonly groups: Readonly<Record<string, GroupGrant>>;
  /** The claim with the groups; a dot separates the names of nested members. The default is `groups`. */
  readonly groupsClaim?: string | undefined;
  /** The claim with the name of the user; without it, `sub` is the name. The default is `email`. */
  readonly nameClaim?: string | undefined;
  /** The id of the public client as which the console signs in; absent: the console asks for a key alone. */
  readonly client?: string | undefined;
}

/** The settings of the sign-in by IAM. */
export interface IamSettings {
  /** The value of the signed header that names this service: the host by which clients call it. */
  readonly audience: string;
  /** The rights of each principal, by its ARN. */
  readonly principals: Readonly<Record<string, GroupGrant>>;
}

/** The user or program that a token identifies. */
export interface Identity {
  /** The claim `sub`, or the user id in IAM, which is never given to another user. */
  readonly subject: string;
  /** In IAM, the ARN. */
  readonly name: string;
  /** The groups in the token; undefined if the token has no claim with groups. */
  readonly groups?: readonly string[] | undefined;
}

/** Why a token is not accepted. */
export type TokenProblem =
  /** It is malformed, expired, for another service, of another issuer, or its signature is not valid. */
  | 'refused'
  /** The keys of the issuer are not known, or STS is needed, and it does not answer at this moment. */
  | 'unavailable';

/** A token is not accepted. The message names the cause for the user, and quotes nothing of the token. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
  readonly problem: TokenProblem;
  constructor(problem: TokenProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** The proof of a sign-in at the issuer: a code with PKCE (RFC 7636), or what a sign-in returned to continue it. */
export type Grant =
  | { readonly code: string; readonly verifier: string; readonly redirectUri: string; readonly nonce: string }
  | { readonly refreshToken: string };

/** The tokens of a sign-in, which are not verified yet. */
export interface Redeemed {
  /** The ID token, then the access token. */
  readonly tokens: readonly string[];
  readonly refreshToken: string | undefined;
}

/**
 * Returns the identity of a token, and remembers the token if `isKept` (default: it is). Throws SignInError. Those without rights
 * are not kept: every user of an issuer and every account of AWS has tokens, and they must not take the memory of the others.
 */
export type VerifyToken = (token: string, isKept?: (identity: Identity) => boolean) => Promise<Identity>;

/** Verifies the tokens of an issuer: signed JSON Web Tokens (RFC 7519). */
export interface IssuerTokens {
  readonly settings: OidcSettings;
  /** Returns the holder of a token. */
  readonly verify: VerifyToken;
  /** The URL at which users sign in. Throws SignInError `unavailable`. */
  authorizationUrl(): Promise<string>;
  /** Redeems the grant of a sign-in by the client of the settings. Throws SignInError. */
  redeem(grant: Grant): Promise<Redeemed>;
}

/** Verifies tokens of IAM: requests for GetCallerIdentity of STS that their senders signed. */
export interface IamTokens {
  readonly settings: IamSettings;
  /** Returns the principal that signed a token. */
  readonly verify: VerifyToken;
}

/** The kinds of tokens that are accepted beside keys. */
export interface Tokens {
  readonly oidc?: IssuerTokens | undefined;
  readonly iam?: IamTokens | undefined;
}
