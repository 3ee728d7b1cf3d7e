import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { UnreachableError } from '../ports/web.ts';

/** Link-local addresses, where machines serve the credentials of an instance or of a container. */
const LINK_LOCAL = [
  ['169.254.0.0', 16, 'ipv4'],
  ['fe80::', 10, 'ipv6'],
  ['fd00:ec2::', 32, 'ipv6'],
  ['64:ff9b::a9fe:0', 112, 'ipv6'],
] as const;
/** The machine itself: in a Lambda function, these addresses serve its Runtime API. */
const LOOPBACK = [
  ['127.0.0.0', 8, 'ipv4'],
  ['0.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
  ['::', 128, 'ipv6'],
] as const;

/** Networks that are not the internet: other machines beside this one. */
const PRIVATE = [
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
] as const;

/** Settings of an egress guard. */
export interface EgressOptions {
  /** Whether requests to this machine and to private networks are allowed. */
  readonly allowsPrivate: boolean;
}

/** Resolves a host name to its addresses; a test passes another than that of the system. */
export type Resolve = (hostname: string, answer: (error: Error | null, addresses: LookupAddress[]) => void) => void;

/** Protects addresses that serve credentials from requests that users cause (server-side request forgery). */
export interface EgressGuard {
  /** Resolves the name of a host for a connection; fails with UnreachableError when one of its addresses is protected. */
  readonly lookup: LookupFunction;
  /** @throws UnreachableError when the host is a protected address, for which no lookup happens. */
  check(url: URL): void;
}

/** A guard that protects the link-local addresses and, unless `allowsPrivate`, the machine itself and private networks. */
export function egressGuard(options: EgressOptions, resolve: Resolve = resolveAll): EgressGuard {
  const blocked = blockListOf(options);
  return {
    lookup: guardedLookup(blocked, resolve),
    check(url) {
      const host = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && isBlocked(blocked, host)) throw blockedError(host);
    },
  };
}

const resolveAll: Resolve = (hostname, answer) => lookup(hostname, { all: true }, answer);

function blockListOf({ allowsPrivate }: EgressOptions): BlockList {
  const list = new BlockList();
  for (const [net, prefix, family] of [...LINK_LOCAL, ...(allowsPrivate ? [] : [...LOOPBACK, ...PRIVATE])]) {
    list.addSubnet(net, prefix, family);
  }
  return list;
}

const isBlocked = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

const blockedError = (host: string): UnreachableError =>
  new UnreachableError(
    `'${host}' leads to an address that is kept from users: it is link-local, private, or the service's own`,
  );

/** The connection is made to the addresses that were checked: a second lookup could return others (DNS rebinding). */
const guardedLookup =
  (blocked: BlockList, resolve: Resolve): LookupFunction =>
  (hostname, { all }, answer) => {
    resolve(hostname, (error, addresses) => {
      const hasBlocked = addresses?.some(({ address }) => isBlocked(blocked, address));
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) answer(error ?? new Error(`no address of ${hostname}`), []);
      else if (hasBlocked) answer(blockedError(hostname), []);
      else if (all) answer(null, addresses);
      else answer(null, first.address, first.family);
    });
  };
