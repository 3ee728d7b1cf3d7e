import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../../../bin/server/service.ts';
import { type Client, clientOf, rowsOf } from '../access/client.ts';

const BRANDS = ['service', 'direktiv'];
/** The same failure, caught by the prefix of either brand and by none. */
const CAUGHT = (pattern: string): string => `
states:
- id: a
  type: noop
  transform: 'jq(.no.such | error("x"))'
  catch: [{error: '${pattern}', transition: b}]
- id: b
  type: noop
  transform: 'jq({code: .error.code})'
`;
const FAILS = "states:\n- id: a\n  type: noop\n  transform: 'jq(.a.b.c | error)'\n";
const TELLS = 'states:\n- id: a\n  type: noop\n  log: hello\n';
const WAITS = 'states:\n- {id: a, type: delay, duration: PT1H}\n';

describe.each(BRANDS)('an installation with the brand %s', (brand) => {
  let client: Client;
  const at = (path: string): string => `/api/namespaces/brand/tree/${path}`;

  beforeAll(async () => {
    const settings = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, brand };
    const service = await startService({ ...settings, databaseEndpoint: undefined, version: 'v0.0.0' });
    client = clientOf(service.url, service.key, () => service.close());
    await client.call('PUT', '/api/namespaces/brand');
    const sources = { fails: FAILS, tells: TELLS, waits: WAITS, ours: CAUGHT('service.*'), old: CAUGHT('direktiv.*') };
    for (const [path, body] of Object.entries(sources)) {
      const stored = await client.call('PUT', `${at(path)}?op=create-workflow`, { body });
      expect(stored.status, stored.text).toBe(200);
    }
  });
  afterAll(() => client.close());

  test('has its error codes and headers in both brands', async () => {
    const { headers, status } = await client.call('POST', `${at('fails')}?op=wait`);
    expect(status).toBe(500);
    for (const name of ['Service', 'Direktiv']) {
      expect(headers.get(`${name}-Instance-Error-Code`)).toBe(`${brand}.jq.badCommand`);
      expect(headers.get(`${name}-Instance-Error-Message`)).not.toBeNull();
      expect(headers.get(`${name}-Instance-Id`)).not.toBeNull();
    }
  });

  test.each(['ours', 'old'])('catches them by either prefix: %s', async (path) => {
    const answer = await client.call('POST', `${at(path)}?op=wait`);
    expect(answer.json()).toEqual({ code: `${brand}.jq.badCommand` });
  });

  test('accepts every name of the key header', async () => {
    for (const header of ['Service-Api-Key', 'Direktiv-Api-Key', 'direktiv-token', 'service-token']) {
      const answer = await client.call('GET', '/api/version', { key: null, headers: { [header]: client.key } });
      expect(answer.status, header).toBe(200);
    }
  });

  test('has its prefix in the code of a cancelled run', async () => {
    const { instance } = (await client.call('POST', `${at('waits')}?op=execute`)).json();
    await client.call('POST', `/api/namespaces/brand/instances/${instance}/cancel`);
    const shown = (await client.call('GET', `/api/namespaces/brand/instances/${instance}`)).json();
    expect(shown['instance']?.['errorCode']).toBe(`${brand}.cancels.api`);
  });

  test('sends events with its prefix', async () => {
    await client.call('PATCH', '/api/namespaces/brand/config', { json: { broadcast: { 'workflow.create': true } } });
    await client.call('POST', `${at('tells')}?op=set-workflow-event-logging`, { json: { logger: 'mylog' } });
    await client.call('PUT', `${at('another')}?op=create-workflow`, { body: TELLS });
    await client.call('POST', `${at('tells')}?op=wait`);
    const sent = async () => {
      const list = (await client.call('GET', '/api/namespaces/brand/events')).json();
      return rowsOf(list['events']?.['results']).map(({ type, source }) => [String(type), String(source)]);
    };
    for (let tries = 0; tries < 50 && (await sent()).length < 2; tries += 1) await sleep(100);
    const types = new Map((await sent()).map(([type = '', source]) => [type, source]));
    expect(types.get('workflow.create')).toBe(brand);
    expect([...types.keys()]).toContain(`${brand}.instanceLog`);
  });

  test('has metrics with its prefix', async () => {
    await client.call('POST', `${at('tells')}?op=wait`);
    const list = (await client.call('GET', '/api/namespaces/brand/metrics/invoked')).json();
    const [first] = rowsOf(list['results']);
    expect(Object.keys(first?.['metric'] ?? {}).toSorted()).toEqual(
      ['__name__', `${brand}_namespace`, `${brand}_tenant`, `${brand}_workflow`].toSorted(),
    );
    expect(first?.['metric']?.['__name__']).toBe(`${brand}_workflows_invoked_total`);
  });
});
