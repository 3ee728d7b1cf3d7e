import type { IncomingMessage } from 'node:http';
import { deliver } from '../../egress/delivery.ts';
import { exchange } from '../../egress/exchange.ts';
import { type EgressOptions, egressGuard, type Resolve } from '../../egress/guard.ts';
import { toUnreachable } from '../../egress/problems.ts';
import { sendRequest } from '../../egress/request.ts';
import { UnreachableError, type Web, type WebAnswer, type WebRequest } from '../../ports/callees/web.ts';
import { signForAws } from './aws-signature.ts';

/** The most bytes of a body that are read. */
const MAX_BYTES = 64 * 1024;

/** The options of `networkWeb`. */
export interface NetworkOptions extends EgressOptions {
  /** Egress rules for the workflows of every namespace; read only for a protected address. */
  readonly openedToAll?: () => Promise<readonly string[]>;
}

/**
 * The port Web over the network, behind an egress guard. `resolve` replaces the lookup of the system in tests. Only the
 * requests of workflows reach what `allowsLoopback` and `openedToAll` allow.
 */
export function networkWeb({ openedToAll, ...options }: NetworkOptions, resolve?: Resolve): Web {
  const workflowGuard = egressGuard(options, resolve);
  const guard = egressGuard({ allowsPrivate: options.allowsPrivate }, resolve);
  const withRules = <R extends Pick<WebRequest, 'opened'>>(request: R): R => ({
    ...request,
    opened: async () => [...(await request.opened()), ...((await openedToAll?.()) ?? [])],
  });
  return {
    async get(text, headers, ms) {
      const url = URL.parse(text);
      if (url === null) throw new UnreachableError(`'${text}' is no address of the web`, 'request');
      const signal = AbortSignal.timeout(Math.max(ms, 1));
      try {
        return await toAnswer(await sendRequest(guard, url, { method: 'GET', headers, signal }));
      } catch (error) {
        throw toUnreachable(url.host, error, signal.aborted);
      }
    },
    send: (request) => exchange(workflowGuard, withRules(request), signForAws),
    deliver: (request) => deliver(workflowGuard, withRules(request)),
  };
}

async function toAnswer(message: IncomingMessage): Promise<WebAnswer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of message as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size >= MAX_BYTES) break;
  }
  const headers = Object.entries(message.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
  return {
    status: message.statusCode ?? 0,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.concat(parts).subarray(0, MAX_BYTES).toString('utf8'),
  };
}
