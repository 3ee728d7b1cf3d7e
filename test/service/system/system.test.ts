import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import { rows } from '../../../lib/api/registry/routes/index.ts';
import { workflowSchema } from '../../../lib/authoring/schema/schema.ts';
import { isDeployed } from '../../deployed/target.ts';
import { type Client, openClient } from '../access/client.ts';
import { sendRaw } from '../access/raw.ts';

let client: Client;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/demo');
});

afterAll(() => client.close());

describe('the service', () => {
  test('returns its version in three texts, to requests with a key only', async () => {
    const answer = await client.call('GET', '/api/version');
    expect(answer.headers.get('content-type')).toBe('application/json');
    const version = packageVersion();
    expect(answer.json()).toEqual({ api: version, flow: version, functions: version });
    expect((await client.call('GET', '/api/version', { key: null })).status).toBe(401);
  });

  test('describes every route of its own', async () => {
    const description = (await client.call('GET', '/api/openapi.json', { key: null })).json();
    expect(String(description['openapi'])).toMatch(/^3\./);
    const described = Object.values(description['paths'] ?? {}).flatMap((path) => Object.values(path));
    expect(described.length).toBeGreaterThan(0);
    expect(JSON.stringify(description)).toContain('waitWorkflowWithBody');
  });

  test('sends its description once to a client that keeps it', async () => {
    const tag = (await client.call('GET', '/api/openapi.json', { key: null })).headers.get('etag') ?? '';
    const headers = { 'If-None-Match': tag };
    const again = await client.call('GET', '/api/openapi.json', { key: null, headers });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
  });

  test('has the JSON Schema of workflows for editors, also of other origins and without a key', async () => {
    const answer = await client.call('GET', '/api/schema/workflow.json', { key: null });
    expect(answer.json()).toEqual(workflowSchema());
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  test.each(['/api/version', '/api/namespaces/x/broadcast', '/api/nope', '/'])(
    'replies to OPTIONS %s',
    async (path) => {
      const answer = await client.call('OPTIONS', path, { key: null });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(answer.headers.get('webhook-allowed-rate')).toBe('120');
      expect(answer.headers.get('webhook-allowed-origin')).toBe('eventgrid.azure.net');
      expect(answer.headers.get('cache-control')).toBe('no-cache, no-store, must-revalidate');
    },
  );

  test.each([
    ['POST', '/api/version'],
    ['GET', '/api/'],
    ['GET', '/api'],
    ['GET', '/api/nope'],
    ['HEAD', '/api/namespaces'],
    ['PUT', '/api/namespaces'],
    ['GET', '/api/jq'],
    ['PUT', '/api/namespaces/demo/tree/d?op=nonsense'],
    ['POST', '/api/namespaces/demo/tree/wf'],
    ['DELETE', '/api/namespaces/demo/tree/wf'],
    ['DELETE', '/api/namespaces/demo/tree/wf?op=DELETE-NODE'],
  ])('replies with 405 without a body to %s %s', async (method, path) => {
    const answer = await client.call(method, path);
    expect([answer.status, answer.text]).toEqual([405, '']);
  });

  test.each(['/', '/nope', '/API/namespaces', '/Api/version', '/apix', '/namespaces'])(
    'replies with 404 to %s',
    async (path) => {
      const answer = await client.call('GET', path, { key: null });
      expect([answer.status, answer.text]).toEqual([404, '404 page not found\n']);
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    },
  );

  test('serves /api/v2 like /api', async () => {
    for (const path of ['version', 'namespaces', 'namespaces/demo/tree', 'namespaces/demo/instances?limit=1']) {
      const [one, two] = await Promise.all([client.call('GET', `/api/${path}`), client.call('GET', `/api/v2/${path}`)]);
      expect([two.status, two.text]).toEqual([one.status, one.text]);
      expect(one.status).toBe(200);
    }
    expect((await client.call('GET', '/api/v3/version')).status).toBe(405);
  });
});

describe('a path', () => {
  const get = (path: string) => sendRaw(client.url, 'GET', path, { headers: { 'Service-Api-Key': client.key } });

  test.each([
    ['/api/namespaces/demo/../demo/tree', '/api/namespaces/demo/tree'],
    ['/api/namespaces/./demo/tree?limit=1&limit=2', '/api/namespaces/demo/tree?limit=1&limit=2'],
    ['/api/namespaces/demo/tree/..%2f..%2fother', '/api/namespaces/other'],
    ['/api/%2e%2e/%2E%2E/%2e%2e/etc/passwd', '/etc/passwd'],
    ['//evil.example/%2e%2e', '/'],
    ['/..//evil.example/', '/evil.example'],
    ['/../%5Cevil.example/', '/%5Cevil.example'],
    ['/api/a%0d%0aX-Injected:%201/../b', '/api/b'],
    ['/api/../a%0d%0aX-Injected:%201', '/a%0D%0AX-Injected%3A%201'],
  ])('%s is redirected to %s on this server', async (path, to) => {
    const answer = await get(path);
    const stage = new URL(client.url).pathname.replace(/\/$/, '');
    expect([answer.status, answer.headers['location'], answer.text]).toEqual([301, `${stage}${to}`, '']);
    expect(answer.headers['x-injected']).toBeUndefined();
  });

  test.each(['/api//namespaces///demo//tree', '/api/namespaces/demo/tree/', '//api/namespaces/demo/tree//'])(
    '%s is read without its redundant slashes',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text)).toMatchObject({ namespace: 'demo', node: { path: '/' } });
    },
  );

  // A gateway replaces bytes that are not UTF-8 before the service reads the path.
  const bytes = isDeployed() ? [] : ['/api/namespaces/%ff%fe', '/%c0%ae%c0%ae/'];

  test.each(['/api/namespaces/demo/tree/%', '/api/%zz', ...bytes])('%s with an invalid escape is 400', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 400, message: expect.stringContaining('%25') });
  });
});

describe('the description of the API', () => {
  test('contains only implemented routes: none returns 501', async () => {
    const unserved: string[] = [];
    for (const [id, { method, path, op }] of rows) {
      const place = path.replace(/\{\w+\+?\}/g, 'nosuch');
      const query = op === undefined ? '' : `?op=${op}`;
      const answer = await client.call(method, `/api${place}${query}`, method === 'GET' ? {} : { body: '{}' });
      if (answer.status === 501) unserved.push(id);
    }
    expect(unserved).toEqual([]);
  });
});
