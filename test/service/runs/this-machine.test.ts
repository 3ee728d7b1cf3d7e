import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openOwnClient } from '../access/client.ts';

const server = createServer((_request, response) =>
  response.setHeader('Content-Type', 'application/json').end('{"a":1}'),
);
const portOf = (): number => (server.address() as AddressInfo).port;

let client: Client;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = await openOwnClient();
});
afterAll(async () => {
  await client.close();
  server.close();
});

const CALLS = `functions: [{id: ask, type: http, url: 'URL'}]
states:
- {id: a, type: action, action: {function: ask}, transform: jq(.return.body)}
`;

/** Calls this machine from a workflow of a namespace; returns the body of the response, or the code of the error. */
async function ask(namespace: string): Promise<unknown> {
  const workflow = `/api/namespaces/${namespace}/tree/calls`;
  await client.call('PUT', `/api/namespaces/${namespace}`);
  const body = CALLS.replace('URL', `http://127.0.0.1:${portOf()}/`);
  await client.call('PUT', `${workflow}?op=create-workflow`, { body });
  const answer = await client.call('POST', `${workflow}?op=wait`, { body: '{}' });
  return answer.status === 200 ? answer.json() : answer.headers.get('service-instance-error-code');
}

describe('a workflow', () => {
  test('reaches this machine while the administrator has the only key, and then by a rule of its namespace', async () => {
    expect(await ask('mine')).toMatchObject({ a: 1 });
    await client.call('POST', '/api/keys', { json: { name: 'tenant', permission: 'write', namespaces: ['mine'] } });
    expect(await ask('mine')).toBe('service.http.blocked');
    await client.call('PUT', '/api/namespaces/opened');
    await client.call('PATCH', '/api/namespaces/opened/config', { json: { egress: ['127.0.0.1'] } });
    expect([await ask('opened'), await ask('mine')]).toEqual([
      expect.objectContaining({ a: 1 }),
      'service.http.blocked',
    ]);
  });
});
