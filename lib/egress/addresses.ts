import { BlockList, isIP } from 'node:net';

type Network = readonly [net: string, prefix: number, family: 'ipv4' | 'ipv6'];

/** Link-local addresses, where machines serve the credentials of an instance or of a container. */
const LINK_LOCAL: readonly Network[] = [
  ['169.254.0.0', 16, 'ipv4'],
  ['fe80::', 10, 'ipv6'],
  ['fd00:ec2::', 32, 'ipv6'],
];
/** The machine itself: in a Lambda function, these addresses serve its Runtime API. */
const LOOPBACK: readonly Network[] = [
  ['127.0.0.0', 8, 'ipv4'],
  ['0.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
  ['::', 128, 'ipv6'],
];

/** Networks that are not the internet: other machines beside this one, and ranges without a host (RFC 6890). */
const PRIVATE: readonly Network[] = [
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 4, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
  // Translators within an organization (RFC 8215): where the IPv4 address is in it depends on the translator.
  ['64:ff9b:1::', 48, 'ipv6'],
];

/** IPv6 networks whose addresses contain any IPv4 address: 6to4, Teredo, compatible with IPv4, and translated (RFC 2765). */
const TRANSITIONAL: readonly Network[] = [
  ['2002::', 16, 'ipv6'],
  ['2001::', 32, 'ipv6'],
  ['::', 96, 'ipv6'],
  ['::ffff:0:0:0', 96, 'ipv6'],
];

/** The prefix of NAT64: its addresses lead to the IPv4 address in their last 32 bits. */
const NAT64 = '64:ff9b::';
const NAT64_PREFIX = 96;

const translated = (networks: readonly Network[]): readonly Network[] =>
  networks.flatMap(([net, prefix, family]) =>
    family === 'ipv4' ? [[NAT64 + net, NAT64_PREFIX + prefix, 'ipv6'] as const] : [],
  );

function blockListOf(...networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix, family] of networks) list.addSubnet(net, prefix, family);
  return list;
}

const LISTS = {
  'link-local': blockListOf(...LINK_LOCAL, ...translated(LINK_LOCAL)),
  loopback: blockListOf(...LOOPBACK),
  // A translated loopback address belongs to the translator.
  private: blockListOf(...PRIVATE, ...translated([...PRIVATE, ...LOOPBACK]), ...TRANSITIONAL),
} as const;

/** The kinds of addresses that are protected from users. */
export type ProtectedKind = keyof typeof LISTS;

/** Whether an address is one of a list. An IPv4 address within IPv6 is the same address, in each notation. */
export function isAmong(addresses: Iterable<string>, address: string): boolean {
  const list = new BlockList();
  for (const one of addresses) list.addAddress(one, isIP(one) === 6 ? 'ipv6' : 'ipv4');
  return isListed(list, address);
}

const isListed = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** The kind of a protected address; undefined for one of the internet. IPv4 addresses within IPv6 are recognized. */
export function protectedKindOf(address: string): ProtectedKind | undefined {
  const kinds = Object.keys(LISTS) as ProtectedKind[];
  return kinds.find((kind) => isListed(LISTS[kind], address));
}

/** A host name, `*.` before a domain for all names below it, an address, or an address range. */
const HOST = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

function rangeOf(rule: string): BlockList | undefined {
  const [net = '', prefix, ...others] = rule.split('/');
  const family = isIP(net);
  const most = family === 6 ? 128 : 32;
  const bits = prefix === undefined ? most : Number(prefix);
  const isRange = family !== 0 && others.length === 0 && /^\d{1,3}$/.test(prefix ?? '0') && bits <= most;
  if (!isRange) return undefined;
  const list = new BlockList();
  list.addSubnet(net, bits, family === 6 ? 'ipv6' : 'ipv4');
  return list;
}

/** Whether the text is a rule that opens protected addresses: a host, `*.domain`, an address, or `10.1.0.0/16`. */
export function isEgressRule(rule: string): boolean {
  if (rangeOf(rule) !== undefined) return true;
  // A text such as `10.1.0.0/33` or `300.1.1.1` was meant as an address.
  return HOST.test(rule) && rule.length <= 253 && !/^[\d.]+$/.test(rule);
}

const isBelow = (host: string, domain: string): boolean => host.endsWith(domain.slice(1)) && host !== domain.slice(2);

/** Whether one of the rules opens a private address to which a host resolves. */
export function isOpened(rules: readonly string[], host: string, address: string): boolean {
  const name = host.toLowerCase();
  return rules.some((rule) => {
    const range = rangeOf(rule);
    if (range !== undefined) return isListed(range, address);
    const wanted = rule.toLowerCase();
    return wanted.startsWith('*.') ? isBelow(name, wanted) : name === wanted;
  });
}

/** Whether a text is a URL whose replies the network cannot forge: https, or http to this machine. */
export function isSecureUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol === 'https:') return url !== null;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return url.protocol === 'http:' && (host === 'localhost' || protectedKindOf(host) === 'loopback');
}
