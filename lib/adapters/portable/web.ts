import { type LookupAddress, lookup } from 'node:dns';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { UnreachableError, type Web, type WebAnswer } from '../../ports/web.ts';

/** Where machines keep what is theirs alone: the credentials of an instance or a container. */
const PRIVATE = [
  ['169.254.0.0', 16, 'ipv4'],
  ['fe80::', 10, 'ipv6'],
  ['fd00:ec2::', 32, 'ipv6'],
  ['64:ff9b::a9fe:0', 112, 'ipv6'],
] as const;
/** The machine itself: a Lambda finds its own runtime there. */
const ITSELF = [
  ['127.0.0.0', 8, 'ipv4'],
  ['0.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
  ['::', 128, 'ipv6'],
] as const;

const MOST_BYTES = 64 * 1024;

export interface WebOptions {
  /** Whether servers on this machine may be asked. */
  readonly mayAskItself: boolean;
}

/** Asks the name service, or what stands for it in a test. */
export type Resolve = (hostname: string, answer: (error: Error | null, addresses: LookupAddress[]) => void) => void;

const resolveAll: Resolve = (hostname, answer) => lookup(hostname, { all: true }, answer);

function blockListOf({ mayAskItself }: WebOptions): BlockList {
  const list = new BlockList();
  for (const [net, prefix, family] of [...PRIVATE, ...(mayAskItself ? [] : ITSELF)]) {
    list.addSubnet(net, prefix, family);
  }
  return list;
}

const isBlocked = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

const refusal = (host: string): UnreachableError =>
  new UnreachableError(`'${host}' leads to an address that is kept from users: it is link-local, or the service's own`);

/** The connection itself is made to what was looked at: a name may lead elsewhere the next time. */
const guarded =
  (list: BlockList, resolve: Resolve): LookupFunction =>
  (hostname, { all }, answer) => {
    resolve(hostname, (error, addresses) => {
      const blocked = addresses?.some(({ address }) => isBlocked(list, address));
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) answer(error ?? new Error(`no address of ${hostname}`), []);
      else if (blocked) answer(refusal(hostname), []);
      else if (all) answer(null, addresses);
      else answer(null, first.address, first.family);
    });
  };

async function toAnswer(message: IncomingMessage): Promise<WebAnswer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of message as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size >= MOST_BYTES) break;
  }
  const headers = Object.entries(message.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
  return {
    status: message.statusCode ?? 0,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.concat(parts).subarray(0, MOST_BYTES).toString('utf8'),
  };
}

/** In words for the user: what they can look at. */
function reasonOf(host: string, error: NodeJS.ErrnoException, isLate: boolean): UnreachableError {
  if (error instanceof UnreachableError) return error;
  if (isLate) return new UnreachableError(`'${host}' did not answer in time`);
  return new UnreachableError(`'${host}' cannot be reached: ${error.code ?? error.message}`);
}

/** What keeps users from addresses where this machine, or the cloud, tells its secrets. */
export interface Guard {
  /** Looks a name up for a connection; fails with UnreachableError. */
  readonly lookup: LookupFunction;
  /** @throws UnreachableError for a literal address, which is never looked up. */
  check(url: URL): void;
}

export function guardOf(options: WebOptions, resolve: Resolve = resolveAll): Guard {
  const list = blockListOf(options);
  return {
    lookup: guarded(list, resolve),
    check(url) {
      const host = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && isBlocked(list, host)) throw refusal(host);
    },
  };
}

/**
 * Servers in the network, but for the addresses that the guard keeps.
 * @throws UnreachableError (get) also for an address that is none.
 */
export function networkWeb(options: WebOptions, resolve: Resolve = resolveAll): Web {
  const { lookup, check } = guardOf(options, resolve);
  return {
    async get(text, headers, ms) {
      const url = URL.parse(text);
      if (url === null || !/^https?:$/.test(url.protocol))
        throw new UnreachableError(`'${text}' is no address of the web`);
      check(url);
      const send = url.protocol === 'https:' ? requestSecure : requestPlain;
      const signal = AbortSignal.timeout(Math.max(ms, 1));
      try {
        const message = await new Promise<IncomingMessage>((done, fail) => {
          send(url, { headers, lookup, signal, agent: false }).on('response', done).on('error', fail).end();
        });
        return await toAnswer(message);
      } catch (error) {
        throw reasonOf(url.host, error as NodeJS.ErrnoException, signal.aborted);
      }
    },
  };
}
