import { createHash } from 'node:crypto';
import { parseJson } from '../../language/json-numbers.ts';
import type { Web, WebRequest } from '../../ports/callees/web.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OAuthClient } from './prepared.ts';

/** A token of this process, and until when it is used, milliseconds since 1970. */
interface Token {
  readonly value: string;
  readonly until: number;
}

/** The tokens that this process obtained, the least recently used first. */
const tokens = new Map<string, Token>();
const MAX_TOKENS = 1_000;
/** A token is not used in the last moments of its life: the request takes time. */
const MARGIN_MS = 30_000;
/** How long a token is used whose server does not state its life. */
const DEFAULT_LIFE_S = 300;
const MAX_TOKEN_BYTES = 64 * 1024;

/** The server of the token refused it, or answered with something else. The message contains no secret. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}

/** A request for a token of a client, and how it is sent. */
export interface TokenRequest {
  readonly ports: { readonly web: Web; readonly clock: Clock };
  /** Tokens are not shared between namespaces. */
  readonly namespaceId: string;
  readonly client: OAuthClient;
  readonly exchange: Pick<WebRequest, 'isInsecure' | 'opened'> & { readonly signal?: AbortSignal; readonly ms: number };
}

const keyOf = ({ namespaceId, client }: TokenRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([namespaceId, client.tokenUrl, client.clientId, client.clientSecret, client.scope ?? '']))
    .digest('base64');

/** Form encoding comes before the encoding of Basic (RFC 6749, 2.3.1). */
const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

/**
 * Returns a token of the client; one of this process if it is not about to expire. Throws TokenError, and what
 * `Web.send` throws.
 */
export async function obtainToken(
  request: TokenRequest,
): Promise<{ readonly token: string; readonly isKept: boolean }> {
  const key = keyOf(request);
  const known = tokens.get(key);
  if (known !== undefined && known.until > request.ports.clock.now()) {
    tokens.delete(key);
    tokens.set(key, known);
    return { token: known.value, isKept: true };
  }
  const fresh = await requestToken(request);
  tokens.delete(key);
  tokens.set(key, fresh);
  const oldest = tokens.size > MAX_TOKENS ? tokens.keys().next().value : undefined;
  if (oldest !== undefined) tokens.delete(oldest);
  return { token: fresh.value, isKept: false };
}

/** Forgets the token of a client: a server has refused it. */
export function forgetToken(request: TokenRequest): void {
  tokens.delete(keyOf(request));
}

async function requestToken({ ports: { web, clock }, client, exchange }: TokenRequest): Promise<Token> {
  const { tokenUrl, clientId, clientSecret, scope } = client;
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) });
  const basic = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64');
  const { status, body } = await web.send({
    url: new URL(tokenUrl),
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    credentials: { authorization: `Basic ${basic}` },
    body: Buffer.from(form.toString()),
    maxBytes: MAX_TOKEN_BYTES,
    redirects: 0,
    ...exchange,
  });
  const { access_token: token, expires_in: life, error } = fieldsOf(body);
  if (status === 200 && typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) {
    const seconds = Number(life ?? DEFAULT_LIFE_S);
    const ms = (Number.isFinite(seconds) ? seconds : DEFAULT_LIFE_S) * 1000;
    return { value: token, until: clock.now() + ms - MARGIN_MS };
  }
  const reason = typeof error === 'string' ? `: ${error.slice(0, 100)}` : '';
  throw new TokenError(`the server of the token answered ${status} without a token${reason}`);
}

function fieldsOf(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return Object(parseJson(Buffer.from(body).toString()));
  } catch {
    return {};
  }
}
