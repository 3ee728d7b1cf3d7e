import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createMcpServer, type McpSettings } from './server.ts';

const LOOPBACK = '127.0.0.1';
const PATH = '/mcp';

/** Serves one client on the standard input and output, until the input ends or the signal is aborted. */
export async function serveStdio(settings: McpSettings, signal: AbortSignal): Promise<void> {
  const server = createMcpServer(settings);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once('end', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport());
  await closed;
  await server.close();
}

/** Answers one request: without sessions, each request has a server of its own. */
async function answer(
  settings: McpSettings,
  request: IncomingMessage,
  response: ServerResponse,
  allowedHosts: string[],
): Promise<void> {
  const server = createMcpServer(settings);
  // A page in a browser must not reach this port under a name of its own (DNS rebinding).
  const transport = new StreamableHTTPServerTransport({ allowedHosts, enableDnsRebindingProtection: true });
  response.once('close', () => void transport.close().then(() => server.close()));
  // The declarations of the SDK differ in optional members from those of its interface.
  await server.connect(transport as Transport);
  await transport.handleRequest(request, response);
}

/** Serves clients over HTTP on loopback, until the signal is aborted. `onListening` gets the address. */
export async function serveHttp(
  settings: McpSettings,
  {
    port,
    signal,
    onListening,
  }: { readonly port: number; readonly signal: AbortSignal; readonly onListening: (url: string) => void },
): Promise<void> {
  const listener = createServer((request, response) => {
    const { port: own } = listener.address() as AddressInfo;
    if (new URL(request.url ?? '/', 'http://any').pathname !== PATH) {
      response.writeHead(404).end();
      return;
    }
    const hosts = [`${LOOPBACK}:${own}`, `localhost:${own}`];
    answer(settings, request, response, hosts).catch(() => response.destroy());
  });
  listener.listen(port, LOOPBACK);
  await once(listener, 'listening');
  onListening(`http://${LOOPBACK}:${(listener.address() as AddressInfo).port}${PATH}`);
  if (!signal.aborted) await once(signal, 'abort');
  listener.closeAllConnections();
  listener.close();
}
