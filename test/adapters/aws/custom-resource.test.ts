import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serve } from '../../../lib/adapters/aws/deploy/custom-resource.ts';

interface Received {
  readonly method: string | undefined;
  readonly type: string | undefined;
  readonly length: string | undefined;
  readonly body: Record<string, unknown>;
}

let received: Received[];
let status: number;
const server = createServer(async (request: IncomingMessage, response) => {
  const body = JSON.parse((await buffer(request)).toString()) as Record<string, unknown>;
  const { 'content-type': type, 'content-length': length } = request.headers;
  received.push({ method: request.method, type, length, body });
  response.writeHead(status).end();
});

beforeEach(async () => {
  [received, status] = [[], 200];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const eventOf = () => ({
  ResponseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  StackId: 's',
  RequestId: 'r',
  LogicalResourceId: 'l',
});
const IDS = { PhysicalResourceId: 'weft', StackId: 's', RequestId: 'r', LogicalResourceId: 'l' };

// S3 refuses a request to a signed URL with a type that was not signed, and a body without a length.
test('the answer of a custom resource has a length and no type, as its URL is signed', async () => {
  await serve(eventOf(), 'weft', async () => undefined);
  const [{ body, length, ...head } = { body: {}, length: '' }] = received;
  expect(head).toEqual({ method: 'PUT', type: undefined });
  expect(Number(length)).toBeGreaterThan(0);
  expect(body).toEqual({ Status: 'SUCCESS', ...IDS });
});

test('a failure is answered with its reason', async () => {
  await serve(eventOf(), 'weft', () => Promise.reject(new Error('no table')));
  expect(received.map(({ body }) => body)).toEqual([{ Status: 'FAILED', Reason: 'no table', ...IDS }]);
});

test('an answer that is refused is thrown, so that Lambda calls again', async () => {
  status = 403;
  await expect(serve(eventOf(), 'weft', async () => undefined)).rejects.toThrow('403');
});
