import { hash, timingSafeEqual } from 'node:crypto';
import * as apiKeys from '../../domain/credentials/api-keys.ts';
import { ServiceError } from '../../domain/errors.ts';
import { ownMember } from '../../language/own-members.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Route } from '../registry/route.ts';
import type { Authenticated, Caller } from './caller.ts';
import type { RequestHead } from './request.ts';
import { authenticateToken, isToken } from './token-caller.ts';

/** A caller whose key is for all namespaces. */
export function unrestricted(id: string, permission: apiKeys.Permission): Caller {
  return { id, name: id, permission, namespaces: [], isRestricted: false, canAccess: () => true };
}

const ADMINISTRATOR: Authenticated = { caller: unrestricted('admin', 'admin'), isAtHome: true };

function fromKey({ key, namespace }: apiKeys.Found): Authenticated {
  const { id, name, permission, namespaces } = key;
  const canAccess: Caller['canAccess'] = (one) => apiKeys.canAccess(key, one);
  const isRestricted = namespaces.length > 0;
  const isAtHome = !isRestricted || (namespace !== undefined && canAccess(namespace));
  return { caller: { id, name, permission, namespaces, isRestricted, canAccess }, isAtHome };
}

/** Every header in which existing clients send a key (rest-api reference, 16). */
export const KEY_HEADERS = ['Service-Api-Key', 'KEY', 'apikey', 'service-token', 'direktiv-token', 'Direktiv-Api-Key'];
const BEARER = /^Bearer +/i;

function candidatesOf({ headers }: RequestHead): string[] {
  const named = KEY_HEADERS.map((name) => ownMember(headers, name.toLowerCase()) ?? '');
  const authorization = headers['authorization'] ?? '';
  const bearer = BEARER.test(authorization) ? authorization.replace(BEARER, '') : '';
  // One web interface sends the word `null` if it has no key.
  return [...named, bearer].map((text) => text.trim()).filter((text) => text !== '' && text !== 'null');
}

/** All keys of a request as one text: requests with the same text have the same caller. */
export const credentialsOf = (request: RequestHead): string => candidatesOf(request).join('\n');

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares in constant time, whatever the lengths. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

const unauthorized = (code: string, message: string): ServiceError =>
  new ServiceError('unauthorized', message, { error: { code, message } });

/** The ports that find a caller. */
export type AccessPorts = Pick<Ports, 'table' | 'vault' | 'tokens'>;

/**
 * The caller that the key or the token of a request belongs to, and whether it can access the namespace of this name. Throws
 * `unauthorized` (401) for a missing or unknown key, and what `authenticateToken` throws.
 */
export async function authenticate(
  ports: AccessPorts,
  request: RequestHead,
  namespace: string | undefined,
): Promise<Authenticated> {
  const candidates = candidatesOf(request);
  if (candidates.length === 0) {
    throw unauthorized('access_token_missing', 'no key: send it in the header Service-Api-Key');
  }
  const adminKey = await ports.vault.adminKey();
  if (candidates.some((candidate) => isSame(candidate, adminKey))) return ADMINISTRATOR;
  const { tokens = {} } = ports;
  const token = candidates.find((candidate) => isToken(tokens, candidate));
  for (const candidate of candidates) {
    const found = candidate === token ? undefined : await apiKeys.find(ports, candidate, namespace);
    if (found !== undefined) return fromKey(found);
  }
  if (token !== undefined) return authenticateToken(tokens, token, namespace);
  throw unauthorized('access_token_invalid', 'the key is not known: it was mistyped or deleted');
}

/** The permissions of routes that a key of each permission includes. */
const ALLOWED: Readonly<Record<apiKeys.Permission, ReadonlySet<Route['permission']>>> = {
  worker: new Set(['none', 'worker']),
  read: new Set(['none', 'read']),
  run: new Set(['none', 'worker', 'read', 'run']),
  write: new Set(['none', 'worker', 'read', 'run', 'write']),
  admin: new Set(['none', 'worker', 'read', 'run', 'write', 'admin']),
};

const denied = (message: string): ServiceError =>
  new ServiceError('forbidden', message, { error: { code: 'access_token_denied', message } });

/** Throws `forbidden` (403) unless the key allows the route in the namespace, if the route has one. */
export function requirePermission(
  { caller, isAtHome }: Authenticated,
  route: Pick<Route, 'permission'>,
  namespace: string | undefined,
): void {
  if (!ALLOWED[caller.permission].has(route.permission)) {
    throw denied(`this needs a key with the permission '${route.permission}'; yours has '${caller.permission}'`);
  }
  if (!caller.isRestricted) return;
  if (namespace === undefined && route.permission !== 'read') {
    throw denied('this needs a key that is good for all namespaces');
  }
  if (namespace !== undefined && !isAtHome) {
    throw denied(`the key is not good for the namespace '${namespace}'`);
  }
}

/** Throws `forbidden` (403) unless the caller's permission is good for all namespaces; `what` is the subject of the text. */
export function requireAllNamespaces({ isRestricted }: Caller, what: string): void {
  if (isRestricted) throw denied(`${what} needs a key that is good for all namespaces`);
}

/** Throws `forbidden` (403) unless the caller administers the whole installation; `what` is the subject of the text. */
export function requireAdministrator({ permission, isRestricted }: Caller, what: string): void {
  if (permission === 'admin' && !isRestricted) return;
  throw denied(`${what} needs a key with the permission 'admin' that is good for all namespaces`);
}
