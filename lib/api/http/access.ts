import { createHash, timingSafeEqual } from 'node:crypto';
import * as apiKeys from '../../domain/credentials/api-keys.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Route } from '../registry/route.ts';
import type { Request } from './request.ts';

/** Who asks: what the key allows, and where. */
export interface Caller {
  readonly permission: apiKeys.Permission;
  /** None named: everywhere. */
  readonly namespaces: readonly string[];
}

const ADMINISTRATOR: Caller = { permission: 'admin', namespaces: [] };

/** Every spelling that a client in use sends (rest-api reference, 16). */
export const KEY_HEADERS = ['Service-Api-Key', 'KEY', 'apikey', 'service-token', 'direktiv-token', 'Direktiv-Api-Key'];
const BEARER = /^Bearer +/i;

function candidatesOf({ headers }: Request): string[] {
  const named = KEY_HEADERS.map((name) => headers[name.toLowerCase()] ?? '');
  const authorization = headers['authorization'] ?? '';
  const bearer = BEARER.test(authorization) ? authorization.replace(BEARER, '') : '';
  // One web interface sends the word null where it has no key.
  return [...named, bearer].map((text) => text.trim()).filter((text) => text !== '' && text !== 'null');
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Takes the same time wherever the texts differ, and whatever their lengths. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

const unauthorized = (code: string, message: string): ServiceError =>
  new ServiceError('unauthorized', message, { error: { code, message } });

/** Whose key the request carries. Throws `unauthorized` (401) for a key that is missing or not known. */
export async function authenticate(ports: Pick<Ports, 'table' | 'vault'>, request: Request): Promise<Caller> {
  const candidates = candidatesOf(request);
  if (candidates.length === 0) {
    throw unauthorized('access_token_missing', 'no key: send it in the header Service-Api-Key');
  }
  const adminKey = await ports.vault.adminKey();
  if (candidates.some((candidate) => isSame(candidate, adminKey))) return ADMINISTRATOR;
  for (const candidate of candidates) {
    const found = await apiKeys.find(ports, candidate);
    if (found !== undefined) return found;
  }
  throw unauthorized('access_token_invalid', 'the key is not known: it was mistyped or deleted');
}

const RANK: readonly string[] = ['none', ...apiKeys.PERMISSIONS];

const denied = (message: string): ServiceError =>
  new ServiceError('forbidden', message, { error: { code: 'access_token_denied', message } });

/** Throws `forbidden` (403) unless the caller may use the route, in the namespace if it has one. */
export function authorize(caller: Caller, route: Pick<Route, 'permission'>, namespace: string | undefined): void {
  if (RANK.indexOf(caller.permission) < RANK.indexOf(route.permission)) {
    throw denied(`this needs a key with the permission '${route.permission}'; yours has '${caller.permission}'`);
  }
  if (caller.namespaces.length === 0) return;
  if (namespace === undefined && route.permission !== 'read') {
    throw denied('this needs a key that is good for all namespaces');
  }
  if (namespace !== undefined && !caller.namespaces.includes(namespace)) {
    throw denied(`the key is not good for the namespace '${namespace}'`);
  }
}
