import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { buildConsole } from '../../../bin/console/build.ts';
import { consoleHandler } from '../../../lib/api/console/console.ts';
import { openFiles } from '../../../lib/api/console/files.ts';
import type { Gateway } from './gateway.ts';

const ENTRIES = { main: 'test/web/gallery/main.tsx', style: 'test/web/gallery/style.css' };

/** Builds the page that shows each part of the console alone, and serves it with the headers of the console. */
export async function openGallery(): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-gallery-'));
  await buildConsole(join(folder, 'console'), { entries: ENTRIES });
  const handle = consoleHandler(openFiles(join(folder, 'console')));
  const server = createServer(async ({ method, url, headers }, reply) => {
    const event = { httpMethod: method, path: url, headers } as APIGatewayProxyEvent;
    const { statusCode, headers: sent, body } = await handle(event);
    reply.writeHead(statusCode, sent as Record<string, string>).end(Buffer.from(body, 'base64'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await rm(folder, { recursive: true });
    },
  };
}
