/** The program of the baseline: a server that sends the reply of op=wait on a noop without any work. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportToParent } from './measured-process.ts';

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '2' }).end('{}');
  });
});

server.listen(0, '127.0.0.1', () => {
  reportToParent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => server.closeAllConnections());
});
