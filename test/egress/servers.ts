import { createServer, type RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import type { Certificate } from './certificate.ts';

/** A server on loopback. */
export interface TestServer {
  readonly port: number;
  /** `http://127.0.0.1:<port>`, or https. */
  readonly url: string;
  close(): Promise<void>;
}

const open: TestServer[] = [];

/** Closes the servers that a test started. */
export async function closeServers(): Promise<void> {
  for (const server of open.splice(0)) await server.close();
}

async function listening(server: Server, scheme: string): Promise<TestServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  const started: TestServer = {
    port,
    url: `${scheme}://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  open.push(started);
  return started;
}

/** An HTTP server. */
export const serve = (listener: RequestListener): Promise<TestServer> => listening(createServer(listener), 'http');

/** An HTTPS server with HTTP/1.1. */
export const serveTls = (certificate: Certificate, listener: RequestListener): Promise<TestServer> =>
  listening(createHttps(certificate, listener), 'https');

/** An HTTPS server that speaks HTTP/2 only. */
export const serveHttp2 = (certificate: Certificate): Promise<TestServer> =>
  listening(
    createSecureServer({ ...certificate, ALPNProtocols: ['h2'] }, (_request, response) => response.end('two')),
    'https',
  );

/** A server that handles each connection itself. */
export const serveRaw = (handle: (socket: Socket) => void): Promise<TestServer> => listening(createTcp(handle), 'http');
