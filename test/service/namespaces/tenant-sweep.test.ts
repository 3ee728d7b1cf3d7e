import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../../lib/api/registry/route.ts';
import { rows } from '../../../lib/api/registry/routes/index.ts';
import { type Client, openClient, rowsOf } from '../access/client.ts';

const MINE = 'sweep-mine';
const THEIRS = 'sweep-theirs';
/** A text in all data of the other tenant; no reply may contain it. */
const CANARY = 'canary7f3a';
const WORKFLOW = `states:\n- id: ${CANARY}\n  type: noop\n`;

const STRUCTURED = { 'Content-Type': 'application/cloudevents+json' };
let client: Client;
let secret: string;
const parameters: Record<string, string> = { namespace: THEIRS, node: CANARY };

beforeAll(async () => {
  client = await openClient();
  for (const name of [MINE, THEIRS]) await client.call('PUT', `/api/namespaces/${name}`);
  const tree = `/api/namespaces/${THEIRS}/tree/${CANARY}`;
  expect((await client.call('PUT', `${tree}?op=create-workflow`, { body: WORKFLOW })).status).toBe(200);
  parameters['instance'] = String((await client.call('POST', `${tree}?op=execute`)).json()['instance']);
  await client.call('PUT', `/api/namespaces/${THEIRS}/vars/${CANARY}`, { body: CANARY });
  const event = { specversion: '1.0', id: CANARY, source: CANARY, type: CANARY };
  await client.call('POST', `/api/namespaces/${THEIRS}/broadcast`, { json: event, headers: STRUCTURED });
  // The highest permission of a tenant's key.
  const json = { name: 'of one namespace', permission: 'admin', namespaces: [MINE] };
  secret = String((await client.call('POST', '/api/keys', { json })).json()['secret']);
});

afterAll(() => client.close());

/** A valid request to the route; if the route has a namespace, it is that of the other tenant. */
function requestOf(route: Route): { method: string; path: string } {
  const path = route.path.replace(/\{(\w+)\+?\}/g, (_, name: string) => parameters[name] ?? CANARY);
  return { method: route.method, path: `/api${path}${route.op === undefined ? '' : `?op=${route.op}`}` };
}

const guarded = rows.filter(([, route]) => route.permission !== 'none');
const isOfNamespace = ([, route]: (typeof rows)[number]): boolean => route.path.includes('{namespace}');
const streaming = { Accept: 'text/event-stream' };

describe('a key of another namespace', () => {
  test.each(guarded.filter(isOfNamespace))('is rejected by %s', async (_, route) => {
    const { method, path } = requestOf(route);
    const headersOf: Record<string, string>[] = route.stream === undefined ? [{}] : [{}, streaming];
    for (const headers of headersOf) {
      const { status, text } = await client.call(method, path, { key: secret, headers });
      expect([403, 404], `${method} ${path} ${text}`).toContain(status);
    }
  });

  test.each(guarded.filter((row) => !isOfNamespace(row)))('reads and changes nothing by %s', async (_, route) => {
    const { method, path } = requestOf(route);
    const { status, text } = await client.call(method, path, { key: secret });
    expect(text).not.toContain(THEIRS);
    if (route.permission !== 'read') expect(status, `${method} ${path} ${text}`).toBe(403);
  });

  test('is rejected for any spelling of the namespace', async () => {
    const spellings = [
      `/api/v2/namespaces/${THEIRS}/tree`,
      `/api/namespaces/${THEIRS.replace('t', '%74')}/tree`,
      `/api/namespaces/${MINE}%2f..%2f${THEIRS}/tree`,
      `/api/namespaces/${MINE}/instances/${parameters['instance']}`,
      `/api/namespaces/${MINE}/tree/..%2f..%2f${THEIRS}%2ftree`,
    ];
    for (const path of spellings) {
      const { status, text } = await client.call('GET', path, { key: secret });
      expect([301, 403, 404, 406], `${path} ${text}`).toContain(status);
      expect(text).not.toContain(CANARY);
    }
  });

  test('leaves all data unchanged', async () => {
    const nodes = await client.call('GET', `/api/namespaces/${THEIRS}/tree`);
    expect(rowsOf(nodes.json()['children']?.['results']).map(({ name }) => name)).toEqual([CANARY]);
    expect((await client.call('GET', `/api/namespaces/${THEIRS}/vars/${CANARY}`)).text).toBe(CANARY);
  });
});

describe('without a key', () => {
  test.each(guarded)('%s is rejected with 401', async (_, route) => {
    const { method, path } = requestOf(route);
    expect((await client.call(method, path, { key: null })).status, `${method} ${path}`).toBe(401);
  });
});
