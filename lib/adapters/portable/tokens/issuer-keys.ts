import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { isSecureUrl } from '../../../egress/addresses.ts';
import { isObject } from '../../../language/json.ts';
import { parseJson } from '../../../language/json-numbers.ts';
import { textOf } from '../../../language/own-members.ts';
import { OidcError } from '../../../ports/tokens.ts';

/** A document of the issuer arrives within this time, milliseconds, and has at most so many bytes. */
const FETCH_MS = 5_000;
const MAX_BYTES = 512 * 1024;

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

const unavailable = (reason: string): OidcError =>
  new OidcError('unavailable', `the keys of the issuer cannot be fetched: ${reason}`);

interface Fetched {
  readonly body: Record<string, unknown>;
  readonly ageMs: number;
}

function ageOf(headers: Headers): number {
  const seconds = /\bmax-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1];
  if (seconds === undefined) return AGE.byDefault;
  return Math.min(Math.max(Number(seconds) * SECOND_MS, AGE.least), AGE.most);
}

async function bodyOf(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw unavailable(`${url} has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function read(url: string): Promise<Fetched> {
  const headers = { accept: 'application/json' };
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(FETCH_MS) });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw unavailable(`${url} answers ${response.status}`);
  }
  const body = parseJson(await bodyOf(response, url));
  if (!isObject(body)) throw unavailable(`${url} is no JSON object`);
  return { body, ageMs: ageOf(response.headers) };
}

/** Reads a JSON object. Throws OidcError `unavailable`. */
async function readDocument(url: string): Promise<Fetched> {
  try {
    return await read(url);
  } catch (error) {
    if (error instanceof OidcError) throw error;
    const { cause, name } = error as Error & { readonly cause?: { readonly code?: string } };
    throw unavailable(`${url} cannot be read (${cause?.code ?? name})`);
  }
}

/** Finds the keys by the discovery document of the issuer (OpenID Connect Discovery 1.0, section 4). */
async function readKeys(issuer: string): Promise<Fetched> {
  const { body } = await readDocument(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const { issuer: own, jwks_uri: url } = body;
  if (own !== issuer) throw unavailable(`its discovery document is of the issuer '${textOf(own)}', not of '${issuer}'`);
  if (typeof url !== 'string' || !isSecureUrl(url))
    throw unavailable('its discovery document has no jwks_uri with https');
  return readDocument(url);
}

interface Known {
  readonly keyFor: JWTVerifyGetKey;
  /** When they should be fetched again, milliseconds since 1970. */
  readonly until: number;
}

/** The public keys of an issuer. Concurrent requests share a fetch. */
export class IssuerKeys {
  readonly #issuer: string;
  readonly #now: () => number;
  #known: Known | undefined;
  #fetching: Promise<void> | undefined;
  /** When the last fetch began, and the error with which it failed. */
  #last: { readonly at: number; error?: unknown } = { at: Number.NEGATIVE_INFINITY };

  /** `now`: milliseconds since 1970. */
  constructor(issuer: string, now: () => number) {
    this.#issuer = issuer;
    this.#now = now;
  }

  /**
   * Returns the key that the header of a token names. Throws errors of jose if there is none, and OidcError if the keys are
   * not known and cannot be fetched.
   */
  readonly keyFor: JWTVerifyGetKey = async (header, token) => {
    const known = await this.#fresh();
    try {
      return await known.keyFor(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.#now() < this.#last.at + COOLDOWN_MS) throw error;
      // The issuer may have begun to use another key.
      await this.#fetch();
      return (this.#known ?? known).keyFor(header, token);
    }
  };

  async #fresh(): Promise<Known> {
    if (this.#known === undefined || this.#now() >= this.#known.until) {
      const isPaused = this.#last.error !== undefined && this.#now() < this.#last.at + RETRY_MS;
      if (!isPaused || this.#fetching !== undefined) await this.#fetch();
    }
    if (this.#known !== undefined && this.#now() < this.#known.until + STALE_MS) return this.#known;
    throw this.#last.error;
  }

  /** Fetches the keys; an error is noted. */
  #fetch(): Promise<void> {
    this.#fetching ??= this.#refresh().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #refresh(): Promise<void> {
    const last: { readonly at: number; error?: unknown } = { at: this.#now() };
    this.#last = last;
    try {
      const { body, ageMs } = await readKeys(this.#issuer);
      // A set without a list of keys is refused here.
      this.#known = { keyFor: keySetOf(body), until: this.#now() + ageMs };
    } catch (error) {
      last.error = error;
    }
  }
}

function keySetOf(body: Record<string, unknown>): JWTVerifyGetKey {
  try {
    return createLocalJWKSet(body as unknown as JSONWebKeySet);
  } catch {
    throw unavailable('its key set has no list of keys');
  }
}
