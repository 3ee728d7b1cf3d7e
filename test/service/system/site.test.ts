import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, openOwnClient } from '../access/client.ts';

let client: Client;

beforeAll(async () => {
  client = await openOwnClient();
});

afterAll(() => client.close());

const get = (path: string) => client.call('GET', path, { key: null });

test('the service has its documentation at /docs, without a key', async () => {
  const index = await get('/docs/');
  expect([index.status, index.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(index.text).toContain('<a href="first-hour.html"');
  expect(index.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect((await get('/docs/states/delay')).text).toContain('<h1 id="delay">');
  expect((await get('/docs/openapi')).json()['info']).toHaveProperty('title');
  const [, main = ''] = /src="(assets\/main-[^"]+)"/.exec(index.text) ?? [];
  expect((await get(`/docs/${main}`)).headers.get('cache-control')).toContain('immutable');
  expect((await get('/docs/none')).status).toBe(404);
});
