import type { EgressGuard } from '../../egress/guard.ts';
import { TransientError } from '../errors.ts';
import { readBody, sendToRegistry } from './transfer.ts';

/** The user and the password or token for a registry. */
export interface RegistryLogin {
  readonly user: string;
  readonly token: string;
}

/** A `WWW-Authenticate` header: `Bearer realm="https://…",service="…"` (OCI distribution specification). */
interface Challenge {
  readonly scheme: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A registry's challenge, and the values for its answer. */
export interface ChallengeProps {
  readonly guard: EgressGuard;
  /** The value of `WWW-Authenticate`. */
  readonly header: string;
  /** The scope of the token where the challenge has none: `repository:NAME:pull`. */
  readonly scope: string;
  /** Undefined: an anonymous token. */
  readonly login: RegistryLogin | undefined;
}

/** The value of an `Authorization` header for HTTP basic authentication. */
export const basicAuthorization = ({ user, token }: RegistryLogin): string =>
  `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;

/**
 * The value of the `Authorization` header that answers a registry's challenge; undefined when there is none for this
 * login.
 * @throws UnreachableError, TransientError
 */
export async function answerChallenge({ guard, header, scope, login }: ChallengeProps): Promise<string | undefined> {
  const { scheme, fields } = parseChallenge(header);
  if (scheme === 'basic') return login && basicAuthorization(login);
  const realm = scheme === 'bearer' ? URL.parse(fields['realm'] ?? '') : null;
  if (realm === null) return undefined;
  if (fields['service'] !== undefined) realm.searchParams.set('service', fields['service']);
  realm.searchParams.set('scope', fields['scope'] ?? scope);
  const headers = login === undefined ? {} : { authorization: basicAuthorization(login) };
  const response = await sendToRegistry(guard, realm, { method: 'GET', headers });
  const text = (await readBody(response)).toString('utf8');
  const status = response.statusCode ?? 0;
  if (status === 429 || status >= 500) throw new TransientError(`'${realm.host}' answered ${status}`);
  const token = status === 200 ? tokenIn(text) : undefined;
  return token === undefined ? undefined : `Bearer ${token}`;
}

function parseChallenge(header: string): Challenge {
  const scheme = /^\s*(\w+)/.exec(header)?.[1]?.toLowerCase() ?? '';
  const fields = [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name.toLowerCase(),
    value,
  ]);
  return { scheme, fields: Object.fromEntries(fields) as Record<string, string> };
}

function tokenIn(text: string): string | undefined {
  try {
    const { token, access_token: other } = JSON.parse(text) as Record<string, unknown>;
    return [token, other].find((one): one is string => typeof one === 'string' && /^[\x21-\x7e]+$/.test(one));
  } catch {
    return undefined;
  }
}
