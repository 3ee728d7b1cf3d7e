import { isObject } from '../../../language/json.ts';
import { isNumber, parseJson } from '../../../language/json-numbers.ts';
import { ExternalSecretError } from '../../../ports/external-secrets.ts';
import { retry } from '../retry.ts';
import type { SecretPlace } from './external-secrets.ts';

/** How the service logs in to Vault: by a token, or by an AppRole. */
export type VaultLogin = { readonly token: string } | { readonly roleId: string; readonly secretId: string };

/** A server of Vault. */
export interface VaultServer {
  /** A URL: `https://vault.example.com:8200`. */
  readonly address: string;
  /** The namespace of Vault Enterprise. */
  readonly namespace?: string | undefined;
  /** Read at each login. */
  readonly login: () => Promise<VaultLogin>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A read takes at most this time, with its attempts, milliseconds. */
const READ_MS = 5_000;
const [MAX_ATTEMPTS, FIRST_DELAY_MS] = [3, 200];
/** The part of the lease of a token for which it is used. */
const LEASE_PART = 0.8;
/** Vault answers 403 for a revoked token and for a forbidden path. A token of this age may be revoked, milliseconds. */
const MIN_RENEWAL_MS = 60_000;

const unavailable = (reason: string): ExternalSecretError => new ExternalSecretError('unavailable', reason);
const isTransient = (error: unknown): boolean =>
  error instanceof ExternalSecretError && error.problem === 'unavailable';

/** A reply of Vault: its members are `data`, `auth` or `errors`. */
interface VaultReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Session {
  readonly token: string;
  readonly since: number;
  /** When another login is needed, milliseconds since 1970. */
  readonly until: number;
}

async function replyOf(response: Response): Promise<VaultReply> {
  const text = await response.text();
  try {
    const body = parseJson(text);
    return { status: response.status, body: isObject(body) ? body : {} };
  } catch {
    return { status: response.status, body: {} };
  }
}

/** Sends a request. Throws `unavailable` for one without a reply, and for a server that is sealed or at fault. */
async function send({ address, namespace }: VaultServer, path: string, init: RequestInit): Promise<VaultReply> {
  const url = `${address.replace(/\/+$/, '')}/v1/${path}`;
  const headers = { ...init.headers, 'x-vault-request': 'true', ...(namespace && { 'x-vault-namespace': namespace }) };
  // A redirect would send the token to another server.
  const response = await fetch(url, { ...init, headers, redirect: 'error' }).catch((error: unknown) => {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    throw unavailable(`Vault cannot be reached (${cause?.code ?? (error as Error).name})`);
  });
  if (response.status === 429 || response.status >= 472) throw unavailable(`Vault answers ${response.status}`);
  return replyOf(response);
}

async function logIn(server: VaultServer, signal: AbortSignal): Promise<Session> {
  const [login, since] = [await server.login(), server.now()];
  if ('token' in login) return { token: login.token, since, until: Number.POSITIVE_INFINITY };
  const body = JSON.stringify({ role_id: login.roleId, secret_id: login.secretId });
  const reply = await send(server, 'auth/approle/login', { method: 'POST', body, signal });
  const { client_token: token, lease_duration: lease } = isObject(reply.body['auth']) ? reply.body['auth'] : {};
  if (typeof token !== 'string') {
    throw new ExternalSecretError('refused', `Vault does not accept the AppRole of the service (${reply.status})`);
  }
  const seconds = isNumber(lease) ? Number(lease) : 0;
  return { token, since, until: seconds > 0 ? since + seconds * 1000 * LEASE_PART : Number.POSITIVE_INFINITY };
}

/** The members of a secret, from the reply to a read. */
function membersOf({ status, body }: VaultReply): unknown {
  if (status === 404) throw new ExternalSecretError('missing', 'Vault has no such secret, or its version is deleted');
  if (status !== 200) throw new ExternalSecretError('refused', `Vault denies the service access (${status})`);
  return isObject(body['data']) ? body['data']['data'] : undefined;
}

/** The secrets of a key/value engine of version 2. The name is the mount and the path: `secret/orders/db`. */
export function vaultPlace(server: VaultServer): SecretPlace {
  let session: Promise<Session> | undefined;
  const begin = (signal: AbortSignal): Promise<Session> => {
    const begun = logIn(server, signal);
    session = begun;
    begun.catch(() => {
      if (session === begun) session = undefined;
    });
    return begun;
  };
  /** Concurrent reads share a login. */
  const open = async (signal: AbortSignal, revoked?: Session): Promise<Session> => {
    const before = session;
    const known = await before;
    if (known !== undefined && known !== revoked && server.now() < known.until) return known;
    return session === undefined || session === before ? begin(signal) : session;
  };
  const read = async (path: string, signal: AbortSignal): Promise<unknown> => {
    const get = ({ token }: Session) => send(server, path, { headers: { 'x-vault-token': token }, signal });
    const used = await open(signal);
    const reply = await get(used);
    if (reply.status !== 403 || server.now() - used.since < MIN_RENEWAL_MS) return membersOf(reply);
    return membersOf(await get(await open(signal, used)));
  };
  return (name) => {
    const [mount = '', ...rest] = name.split('/').map(encodeURIComponent);
    const signal = AbortSignal.timeout(READ_MS);
    const options = { isTransient, maxAttempts: MAX_ATTEMPTS, firstDelayMs: FIRST_DELAY_MS };
    return retry(() => read(`${mount}/data/${rest.join('/')}`, signal), options);
  };
}
