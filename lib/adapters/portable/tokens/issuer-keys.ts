import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { isSecureUrl } from '../../../egress/addresses.ts';
import { textOf } from '../../../language/own-members.ts';
import { type IssuerDocument, readDocument, unavailable } from './documents.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** How long keys are used before they are fetched again, unless the issuer's `max-age` is within the bounds. */
const AGE = { byDefault: 10 * MINUTE_MS, least: MINUTE_MS, most: 60 * MINUTE_MS };
/** How long keys are used after that while the issuer does not answer. */
const STALE_MS = 60 * MINUTE_MS;
/** An unknown key id causes a fetch at most once in this time: any client can invent ids. */
const COOLDOWN_MS = 30 * SECOND_MS;
/** After a failed fetch there is none for this time. */
const RETRY_MS = 5 * SECOND_MS;

function ageOf(headers: Headers): number {
  const seconds = /\bmax-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1];
  if (seconds === undefined) return AGE.byDefault;
  return Math.min(Math.max(Number(seconds) * SECOND_MS, AGE.least), AGE.most);
}

/** Reads the discovery document (OpenID Connect Discovery 1.0, section 4) and the keys that it names. */
async function readKeys(issuer: string): Promise<{ readonly discovery: Discovery; readonly keys: IssuerDocument }> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { body: discovery } = await readDocument(url);
  const { issuer: own, jwks_uri: keysUrl } = discovery;
  if (own !== issuer) throw unavailable(`its discovery document is of the issuer '${textOf(own)}', not of '${issuer}'`);
  if (typeof keysUrl !== 'string' || !isSecureUrl(keysUrl)) {
    throw unavailable('its discovery document has no jwks_uri with https');
  }
  return { discovery, keys: await readDocument(keysUrl) };
}

type Discovery = IssuerDocument['body'];

interface Known {
  readonly discovery: Discovery;
  readonly keyFor: JWTVerifyGetKey;
  /** When they should be fetched again, milliseconds since 1970. */
  readonly until: number;
}

/** A fetch of keys: when it began and ended, milliseconds since 1970, and the error with which it failed. */
interface Fetch {
  readonly at: number;
  ended: number;
  error?: unknown;
}

/** The public keys of an issuer. Concurrent requests share a fetch. */
export class IssuerKeys {
  readonly #issuer: string;
  readonly #now: () => number;
  #known: Known | undefined;
  #fetching: Promise<void> | undefined;
  #last: Fetch = { at: Number.NEGATIVE_INFINITY, ended: Number.NEGATIVE_INFINITY };

  /** `now`: milliseconds since 1970. */
  constructor(issuer: string, now: () => number) {
    this.#issuer = issuer;
    this.#now = now;
  }

  /**
   * Returns the key that the header of a token names. Throws errors of jose if there is none, and SignInError if the keys are
   * not known and cannot be fetched.
   */
  readonly keyFor: JWTVerifyGetKey = async (header, token) => {
    const known = await this.#fresh();
    try {
      return await known.keyFor(header, token);
    } catch (error) {
      const mayFetch = this.#fetching !== undefined || this.#now() >= this.#last.at + COOLDOWN_MS;
      if (!(error instanceof errors.JWKSNoMatchingKey) || !mayFetch) throw error;
      // The issuer may have begun to use another key.
      await this.#fetch();
      return (this.#known ?? known).keyFor(header, token);
    }
  };

  /** Returns the discovery document. Throws SignInError if it is not known and cannot be fetched. */
  async discovery(): Promise<Discovery> {
    return (await this.#fresh()).discovery;
  }

  async #fresh(): Promise<Known> {
    if (this.#known === undefined || this.#now() >= this.#known.until) {
      const isPaused = this.#last.error !== undefined && this.#now() < this.#last.ended + RETRY_MS;
      const fetching = isPaused && this.#fetching === undefined ? undefined : this.#fetch();
      // An issuer that does not answer holds no request while there are keys.
      if (this.#usable === undefined) await fetching;
    }
    if (this.#usable !== undefined) return this.#usable;
    throw this.#last.error;
  }

  /** The keys that may still be used. */
  get #usable(): Known | undefined {
    return this.#known !== undefined && this.#now() < this.#known.until + STALE_MS ? this.#known : undefined;
  }

  /** Fetches the keys; an error is noted. */
  #fetch(): Promise<void> {
    this.#fetching ??= this.#refresh().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #refresh(): Promise<void> {
    const last: Fetch = { at: this.#now(), ended: Number.POSITIVE_INFINITY };
    this.#last = last;
    try {
      const { discovery, keys } = await readKeys(this.#issuer);
      this.#known = { discovery, keyFor: keySetOf(keys.body), until: this.#now() + ageOf(keys.headers) };
    } catch (error) {
      last.error = error;
    }
    last.ended = this.#now();
  }
}

function keySetOf(body: Record<string, unknown>): JWTVerifyGetKey {
  try {
    return createLocalJWKSet(body as unknown as JSONWebKeySet);
  } catch {
    throw unavailable('its key set has no list of keys');
  }
}
