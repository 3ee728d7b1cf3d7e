import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { introduce } from './peer.ts';

/** Answers what op=wait on a noop answers, and does nothing for it. */
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '2' }).end('{}');
  });
});

server.listen(0, '127.0.0.1', () => {
  introduce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => server.closeAllConnections());
});
