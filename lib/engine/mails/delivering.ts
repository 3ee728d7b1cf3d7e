import * as namespaces from '../../domain/namespaces/namespaces.ts';
import type { Mail, MailServer } from '../../ports/callees/web.ts';
import type { NativeContext } from '../http/outcome.ts';

/** Mails for a server. */
export interface Delivery {
  readonly server: MailServer;
  readonly mails: readonly Mail[];
  /** The time for all of it, milliseconds; a call does not take longer than its caller waits. */
  readonly ms: number;
}

/** Sends mails within the egress rules of the namespace. Throws UnreachableError and MailRefusedError. */
export function deliverWithin(
  { ports, namespace, until, signal }: NativeContext,
  { server, mails, ms }: Delivery,
): Promise<void> {
  return ports.web.deliver({
    server,
    mails,
    ms: Math.min(until - ports.clock.now(), ms),
    opened: async () => (await namespaces.need(ports, namespace)).egress,
    ...(signal && { signal }),
  });
}

/** The destination of mails, for the record of the run. */
export const destinationOf = ({ host, port }: MailServer): string => `${host}:${port}`;
