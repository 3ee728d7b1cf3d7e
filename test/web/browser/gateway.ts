import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The address of a deployment in an emulator: API Gateway itself has the stage alone in its paths. */
const EMULATED = /^(\/restapis\/\w+\/(\w+)\/_user_request_)\/?$/;

/** Where a browser reaches a service. */
export interface Gateway {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Opens a way for a browser to the service at a URL. Pages of a deployment have the stage in their paths, as at API
 * Gateway; an emulator serves them below other paths, so that a port of this machine translates them. Any other service
 * is reached at its own URL.
 */
export async function openGateway(target: string): Promise<Gateway> {
  const { hostname, port, pathname } = new URL(target);
  const [, prefix, stage] = EMULATED.exec(pathname) ?? [];
  if (prefix === undefined || stage === undefined) return { url: target, close: async () => {} };
  const server = createServer((incoming, reply) => {
    const path = `${prefix}${(incoming.url ?? '/').replace(`/${stage}`, '')}`;
    const headers = { ...incoming.headers, host: `${hostname}:${port}` };
    const outgoing = send({ hostname, port, path, method: incoming.method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    outgoing.on('error', () => reply.destroy());
    reply.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${stage}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
