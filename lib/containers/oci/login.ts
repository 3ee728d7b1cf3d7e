import type { Guard } from '../../adapters/portable/web.ts';
import { bytesOf, Passing, send } from './connection.ts';

/** Who asks a registry. */
export interface Login {
  readonly user: string;
  readonly token: string;
}

/** The parts of a challenge: `Bearer realm="https://…",service="…"` (OCI distribution specification). */
interface Challenge {
  readonly scheme: string;
  readonly fields: Readonly<Record<string, string>>;
}

function challengeOf(header: string): Challenge {
  const scheme = /^\s*(\w+)/.exec(header)?.[1]?.toLowerCase() ?? '';
  const fields = [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name.toLowerCase(),
    value,
  ]);
  return { scheme, fields: Object.fromEntries(fields) as Record<string, string> };
}

export const basic = ({ user, token }: Login): string => `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;

/**
 * What opens a registry after its challenge; undefined: it lets nobody in who asks so. @throws UnreachableError,
 * Passing
 */
export async function authorizationFor(
  guard: Guard,
  header: string,
  scope: string,
  login: Login | undefined,
): Promise<string | undefined> {
  const { scheme, fields } = challengeOf(header);
  if (scheme === 'basic') return login && basic(login);
  const realm = scheme === 'bearer' ? URL.parse(fields['realm'] ?? '') : null;
  if (realm === null) return undefined;
  if (fields['service'] !== undefined) realm.searchParams.set('service', fields['service']);
  realm.searchParams.set('scope', fields['scope'] ?? scope);
  const headers = login === undefined ? {} : { authorization: basic(login) };
  const answer = await send(guard, realm, { method: 'GET', headers });
  const text = (await bytesOf(answer)).toString('utf8');
  const status = answer.statusCode ?? 0;
  if (status === 429 || status >= 500) throw new Passing(`'${realm.host}' answered ${status}`);
  const token = status === 200 ? tokenIn(text) : undefined;
  return token === undefined ? undefined : `Bearer ${token}`;
}

function tokenIn(text: string): string | undefined {
  try {
    const { token, access_token: other } = JSON.parse(text) as Record<string, unknown>;
    return [token, other].find((one): one is string => typeof one === 'string' && /^[\x21-\x7e]+$/.test(one));
  } catch {
    return undefined;
  }
}
