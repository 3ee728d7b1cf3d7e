/** What the members of a group may do: a permission as API keys have it, in some namespaces. */
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

/** The user or program that a token identifies. */
export interface Identity {
  /** The claim `sub`, which the issuer never gives to another user. */
  readonly subject: string;
  readonly name: string;
  /** The groups in the token; undefined if the token has no claim with groups. */
  readonly groups: readonly string[] | undefined;
}

/** Why a token is not accepted. */
export type TokenProblem =
  /** It is malformed, expired, for another service, of another issuer, or its signature is not valid. */
  | 'refused'
  /** The keys of the issuer are not known, and the issuer does not answer at this moment. */
  | 'unavailable';

/** A token is not accepted. The message names the cause for the user, and quotes nothing of the token. */
export class OidcError extends Error {
  override readonly name = 'OidcError';
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

/** Verifies the tokens of an issuer: signed JSON Web Tokens (RFC 7519). */
export interface Tokens {
  readonly settings: OidcSettings;
  /** Returns the holder of a token. Throws OidcError. */
  verify(token: string): Promise<Identity>;
  /** The URL at which users sign in. Throws OidcError `unavailable`. */
  authorizationUrl(): Promise<string>;
  /** Redeems the grant of a sign-in by the client of the settings. Throws OidcError. */
  redeem(grant: Grant): Promise<Redeemed>;
}
