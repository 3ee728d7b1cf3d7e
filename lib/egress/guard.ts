import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { UnreachableError } from '../ports/callees/web.ts';
import { isAmong, isOpened, protectedKindOf } from './addresses.ts';

/** Settings of an egress guard. */
export interface EgressOptions {
  /** Whether requests to this machine and to private networks are allowed. */
  readonly allowsPrivate: boolean;
  /** Whether requests to this machine are allowed, or only those that a rule opens; default: as `allowsPrivate`. */
  readonly allowsLoopback?: boolean | 'by-rule';
  /** The ports of the service itself on this machine: no request reaches them. */
  readonly ownPorts?: () => ReadonlySet<number>;
}

/** Resolves a host name to its addresses; a test passes another than that of the system. */
export type Resolve = (hostname: string, answer: (error: Error | null, addresses: LookupAddress[]) => void) => void;

/** Protects addresses that serve credentials from requests that users cause (server-side request forgery). */
export interface EgressGuard {
  /**
   * The lookup for a connection to a URL. It resolves the host once, and fails with UnreachableError when one of its
   * addresses is protected and not opened by `opened`, the egress rules of the namespace.
   * @throws UnreachableError when the host itself is a protected address, for which no lookup happens.
   */
  lookupFor(url: URL, opened?: readonly string[]): LookupFunction;
}

/**
 * A guard that protects the link-local addresses and the service's own ports always, and, unless the options allow them,
 * the machine itself and private networks. Egress rules open private networks, and the machine itself where the options say so.
 */
export function egressGuard(options: EgressOptions, resolve: Resolve = resolveAll): EgressGuard {
  return {
    lookupFor(url, opened = []) {
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const isBlocked = (address: string) => !isAdmitted(options, { address, host, port: portOf(url) }, opened);
      if (isIP(host) !== 0 && isBlocked(host)) throw blockedError(host);
      return guardedLookup(isBlocked, resolve);
    },
  };
}

const DEFAULT_PORTS: ReadonlyMap<string, number> = new Map([
  ['http:', 80],
  ['https:', 443],
]);

const portOf = ({ port, protocol }: URL): number => (port === '' ? (DEFAULT_PORTS.get(protocol) ?? 0) : Number(port));

const resolveAll: Resolve = (hostname, answer) => lookup(hostname, { all: true }, answer);

interface Destination {
  readonly address: string;
  readonly host: string;
  readonly port: number;
}

/** Whether an address that is not loopback belongs to this machine as well. */
function isOfThisMachine(address: string): boolean {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return isAmong(
    interfaces.map((one) => one.address),
    address,
  );
}

function isAdmitted(options: EgressOptions, { address, host, port }: Destination, opened: readonly string[]): boolean {
  const { allowsPrivate, allowsLoopback = allowsPrivate, ownPorts = () => new Set() } = options;
  const kind = protectedKindOf(address);
  if (kind === 'link-local') return false;
  if (ownPorts().has(port) && (kind === 'loopback' || isOfThisMachine(address))) return false;
  if (kind === 'loopback' && allowsLoopback !== 'by-rule') return allowsLoopback;
  return kind === undefined || allowsPrivate || isOpened(opened, host, address);
}

const blockedError = (host: string): UnreachableError =>
  new UnreachableError(
    `'${host}' leads to an address that is kept from users: it is link-local, private, of this machine, or the service's own`,
    'blocked',
  );

/** The connection is made to the addresses that were checked: a second lookup could return others (DNS rebinding). */
const guardedLookup =
  (isBlocked: (address: string) => boolean, resolve: Resolve): LookupFunction =>
  (hostname, { all }, answer) => {
    resolve(hostname, (error, addresses) => {
      const hasBlocked = addresses?.some(({ address }) => isBlocked(address));
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) answer(error ?? new Error(`no address of ${hostname}`), []);
      else if (hasBlocked) answer(blockedError(hostname), []);
      else if (all) answer(null, addresses);
      else answer(null, first.address, first.family);
    });
  };
