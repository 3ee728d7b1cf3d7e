import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../../../bin/server/service.ts';
import { type Client, clientOf, type Json, openClient, rowsOf } from '../access/client.ts';

const NOOP = 'states:\n- {id: a, type: noop, transition: b}\n- {id: b, type: noop}\n';
const FAILS = 'states:\n- {id: a, type: error, error: my.code, message: no}\n';
const LOOPS = 'states:\n- {id: a, type: noop, transition: b}\n- {id: b, type: noop, transition: a}\n';
const CALLS = `functions:
- {id: f, type: subflow, workflow: child}
states:
- {id: each, type: foreach, array: 'jq([range(10) | {n: .}])', action: {function: f}}
`;

const NOTHING = [] as unknown as Json;

let client: Client;

beforeAll(async () => {
  client = await openClient();
});
afterAll(() => client.close());

async function space(name: string, sources: Readonly<Record<string, string>> = {}) {
  const home = `/api/namespaces/${name}`;
  await client.call('PUT', home);
  const put = async (path: string, body: string) => {
    const stored = await client.call('PUT', `${home}/tree/${path}?op=create-workflow`, { body });
    expect(stored.status, stored.text).toBe(200);
  };
  for (const [path, body] of Object.entries(sources)) await put(path, body);
  const wait = (path: string, times = 1) =>
    Promise.all(
      Array.from({ length: times }, () => client.call('POST', `${home}/tree/${path}?op=wait`, { body: '{}' })),
    );
  const valuesOf = async (metric: string): Promise<Record<string, string>> => {
    const answer = await client.call('GET', `${home}/metrics/${metric}`);
    expect(answer.status, answer.text).toBe(200);
    const { results } = answer.json();
    return Object.fromEntries(
      rowsOf(results).map((row) => [String(row['metric']?.['service_workflow']), String(rowsOf(row['value'])[1])]),
    );
  };
  const of = (path: string, op: string) => client.call('GET', `${home}/tree/${path}?op=metrics-${op}`);
  const readOut = async (path: string, op: string): Promise<Json | undefined> =>
    rowsOf(rowsOf((await of(path, op)).json()['results'])[0]?.['value'] ?? NOTHING)[1];
  return { home, put, wait, valuesOf, of, readOut };
}

describe('metrics of a namespace', () => {
  test('are Prometheus vectors, with one element for each workflow with values', async () => {
    const { wait, home } = await space('vectors', { noop: NOOP, fails: FAILS, never: NOOP });
    await wait('noop', 3);
    await wait('fails', 2);
    const before = Date.now() / 1000;
    const labels = (path: string) => ({
      service_namespace: 'vectors',
      service_tenant: 'vectors',
      service_workflow: path,
    });
    const element = (name: string, path: string, value: unknown) => ({
      metric: { __name__: `service_workflows_${name}`, ...labels(path) },
      value: [expect.any(Number), value],
    });
    const ask = async (metric: string) => {
      const answer = await client.call('GET', `${home}/metrics/${metric}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
      return answer.json();
    };
    const invoked = await ask('invoked');
    expect(invoked).toEqual({
      results: [element('invoked_total', '/fails', '2'), element('invoked_total', '/noop', '3')],
      warnings: null,
    });
    const [time] = rowsOf(rowsOf(invoked['results'])[0]?.['value']);
    expect(Number(time)).toBeGreaterThanOrEqual(before);
    expect(Number(time)).toBeLessThanOrEqual(Date.now() / 1000);
    expect(await ask('successful')).toEqual({ results: [element('success_total', '/noop', '3')], warnings: null });
    expect(await ask('failed')).toEqual({ results: [element('failed_total', '/fails', '2')], warnings: null });
    const ms = expect.stringMatching(/^\d+$/);
    expect(await ask('milliseconds')).toEqual({
      results: ['/fails', '/noop'].map((path) => element('total_milliseconds_sum', path, ms)),
      warnings: null,
    });
  });

  test.each(['invoked', 'successful', 'failed', 'milliseconds'])('%s: none for an unknown one', async (metric) => {
    const { home } = await space('nothing');
    for (const namespace of [home, '/api/namespaces/nosuch', '/api/namespaces/N_o']) {
      const answer = await client.call('GET', `${namespace}/metrics/${metric}`);
      expect([answer.status, answer.text]).toEqual([200, '{"results":[],"warnings":null}']);
    }
  });

  test('count many concurrent runs exactly, also while they are read', async () => {
    const { wait, valuesOf } = await space('crowded', { noop: NOOP, fails: FAILS, child: NOOP, calls: CALLS });
    const reading = Promise.all(Array.from({ length: 10 }, () => valuesOf('invoked')));
    await Promise.all([wait('noop', 40), wait('fails', 30), wait('calls', 5)]);
    for (const seen of await reading) expect(Number(seen['/noop'] ?? 0)).toBeLessThanOrEqual(40);
    const all = { '/calls': '5', '/child': '50', '/fails': '30', '/noop': '40' };
    expect(await Promise.all([valuesOf('invoked'), valuesOf('invoked')])).toEqual([all, all]);
    const { '/fails': _, ...successful } = all;
    expect(await valuesOf('successful')).toEqual(successful);
    expect(await valuesOf('failed')).toEqual({ '/fails': '30' });
  });

  test('count a cancelled run as failed, and a running one as invoked', async () => {
    const { home, valuesOf } = await space('cancelled', { loops: LOOPS });
    const ids = await Promise.all(
      [1, 2].map(async () => (await client.call('POST', `${home}/tree/loops?op=execute`)).json()['instance']),
    );
    expect([await valuesOf('invoked'), await valuesOf('failed')]).toEqual([{ '/loops': '2' }, {}]);
    await client.call('POST', `${home}/instances/${ids[0]}/cancel`);
    expect([await valuesOf('invoked'), await valuesOf('failed')]).toEqual([{ '/loops': '2' }, { '/loops': '1' }]);
    await client.call('POST', `${home}/instances/${ids[1]}/cancel`);
    expect([await valuesOf('failed'), await valuesOf('successful')]).toEqual([{ '/loops': '2' }, {}]);
  });

  test('are kept when a workflow is moved or deleted; those of one that is created again begin at zero', async () => {
    const { home, put, wait, valuesOf, readOut } = await space('moved', { old: NOOP });
    await wait('old', 2);
    await client.call('PUT', `${home}/tree/dir?op=create-directory`);
    await client.call('POST', `${home}/tree/old?op=rename-node`, { json: { new: '/dir/new' } });
    expect(await valuesOf('invoked')).toEqual({ '/dir/new': '2' });
    await wait('dir/new');
    expect(await valuesOf('successful')).toEqual({ '/dir/new': '3' });
    await put('old', NOOP);
    expect(await readOut('old', 'invoked')).toBeUndefined();
    await client.call('DELETE', `${home}/tree/dir/new?op=delete-node`);
    expect(await valuesOf('invoked')).toEqual({ '/dir/new': '3' });
    await put('dir/new', NOOP);
    await wait('dir/new');
    expect(await valuesOf('invoked')).toEqual({ '/dir/new': '4' });
    expect(await readOut('dir/new', 'invoked')).toBe('1');
    await client.call('DELETE', `${home}?recursive=true`);
    expect(await valuesOf('invoked')).toEqual({});
    await space('moved', { 'anew.yaml': NOOP });
    expect(await valuesOf('invoked')).toEqual({});
  });
});

describe('metrics of a workflow', () => {
  test('are those of the workflow only; failed is a count', async () => {
    const { wait, readOut } = await space('single', { noop: NOOP, fails: FAILS });
    await wait('noop', 2);
    await wait('fails', 3);
    const ops = ['invoked', 'successful', 'failed'];
    expect(await Promise.all(ops.map((op) => readOut('noop', op)))).toEqual(['2', '2', undefined]);
    expect(await Promise.all(ops.map((op) => readOut('fails', op)))).toEqual(['3', undefined, '3']);
    expect(Number(await readOut('noop', 'milliseconds'))).toBeGreaterThanOrEqual(0);
  });

  test('have the average of the milliseconds of its states', async () => {
    const slow = 'states:\n- {id: rest, type: delay, duration: PT1S, transition: b}\n- {id: b, type: noop}\n';
    const { wait, of } = await space('states', { slow });
    expect((await of('slow', 'state-milliseconds')).text).toBe('{"results":[],"warnings":null}');
    await wait('slow', 2);
    const { results, warnings } = (await of('slow', 'state-milliseconds')).json();
    expect(warnings).toBeNull();
    const labels = { service_namespace: 'states', service_tenant: 'states', service_workflow: '/slow' };
    expect(rowsOf(results).map((row) => row['metric'])).toEqual([
      { ...labels, state: 'rest' },
      { ...labels, state: 'b' },
    ]);
    const [rest, b] = rowsOf(results).map((row) => Number(rowsOf(row['value'])[1]));
    expect(rest).toBeGreaterThanOrEqual(990);
    expect(b).toBeLessThan(rest ?? 0);
  });

  test.each(['invoked', 'successful', 'failed', 'milliseconds', 'state-milliseconds'])(
    '%s: none unless it is a workflow',
    async (op) => {
      const { home, of } = await space('nowhere');
      await client.call('PUT', `${home}/tree/dir?op=create-directory`);
      for (const path of ['nosuch', 'dir', 'dir/nosuch', 'No_Name!']) {
        const answer = await of(path, op);
        expect([answer.status, answer.text]).toEqual([200, '{"results":[],"warnings":null}']);
      }
      const elsewhere = await client.call('GET', `/api/namespaces/nosuch/tree/x?op=metrics-${op}`);
      expect([elsewhere.status, elsewhere.text]).toEqual([200, '{"results":[],"warnings":null}']);
    },
  );
});

describe('the metrics of transitions between states', () => {
  test('have the shape that clients read', async () => {
    const caught = `states:
- {id: raise, type: validate, schema: {type: object, required: [x]}, transition: good, catch: [{error: '*', transition: bad}]}
- {id: good, type: noop}
- {id: bad, type: error, error: my.code, message: no}
`;
    const { home, of } = await space('flow', { caught });
    for (const body of ['{"x":1}', '{"x":2}', '{"x":3}', '{}']) {
      await client.call('POST', `${home}/tree/caught?op=wait`, { body });
    }
    const flow = (await of('caught', 'sankey')).json();
    const ms = expect.any(Number);
    const none = { unhandledErrors: {}, unhandledErrorsRepresentation: {}, totalRetries: 0, meanRetries: 0 };
    const state = { totalMilliseconds: ms, meanMillisecondsPerInstance: ms, ...none };
    expect(flow).toEqual({
      totalInstancesRun: 4,
      totalInstanceMilliseconds: ms,
      successfulExecutions: 3,
      failedExecutions: 1,
      errorCodes: { 'my.code': 1 },
      errorCodesRepresentation: { 'my.code': 1 },
      sampleSize: 4,
      meanInstanceMilliseconds: ms,
      successRate: 0.75,
      failureRate: 0.25,
      states: [
        {
          ...state,
          ...{ name: 'raise', invokers: { start: 4 }, invokersRepresentation: { start: 1 }, totalExecutions: 4 },
          ...{ totalSuccesses: 0, totalFailures: 0, successRate: 0, failureRate: 0, meanExecutionsPerInstance: 1 },
          outcomes: { success: 0, failure: 0, transitions: { good: 3, bad: 1 } },
          meanOutcomes: { success: 0, failure: 0, transitions: { good: 0.75, bad: 0.25 } },
        },
        {
          ...state,
          ...{ name: 'good', invokers: { raise: 3 }, invokersRepresentation: { raise: 1 }, totalExecutions: 3 },
          ...{ totalSuccesses: 3, totalFailures: 0, successRate: 1, failureRate: 0, meanExecutionsPerInstance: 1 },
          outcomes: { success: 3, failure: 0, transitions: {} },
          meanOutcomes: { success: 1, failure: 0, transitions: {} },
        },
        {
          ...state,
          ...{ name: 'bad', invokers: { raise: 1 }, invokersRepresentation: { raise: 1 }, totalExecutions: 1 },
          ...{ totalSuccesses: 0, totalFailures: 1, successRate: 0, failureRate: 1, meanExecutionsPerInstance: 0 },
          ...{ unhandledErrors: { 'my.code': 1 }, unhandledErrorsRepresentation: { 'my.code': 1 } },
          outcomes: { success: 0, failure: 1, transitions: {} },
          meanOutcomes: { success: 0, failure: 1, transitions: {} },
        },
      ],
    });
  });

  test('are those of one revision: the latest, or that of ref', async () => {
    const { home, wait, of } = await space('revisions', { noop: NOOP });
    await wait('noop', 2);
    await client.call('POST', `${home}/tree/noop?op=tag&ref=latest&tag=first`);
    await client.call('POST', `${home}/tree/noop?op=update-workflow`, { body: FAILS });
    await wait('noop');
    const runsOf = async (query: string) => {
      const { totalInstancesRun: runs, failedExecutions: failed } = (await of('noop', `sankey${query}`)).json();
      return [runs, failed];
    };
    expect(await runsOf('')).toEqual([1, 1]);
    expect(await runsOf('&ref=latest')).toEqual([1, 1]);
    expect(await runsOf('&ref=first')).toEqual([2, 0]);
    expect((await of('noop', 'sankey&ref=nosuch')).status).toBe(404);
    expect((await of('nosuch', 'sankey')).status).toBe(404);
  });

  test('are limited to the time of since, which must be a duration', async () => {
    const { wait, of } = await space('since', { noop: NOOP });
    await wait('noop', 2);
    for (const since of ['24h', '1h30m', '1ns', '1.5h', '90000h', '0']) {
      const flow = await of('noop', `sankey&since=${since}`);
      expect([flow.status, flow.json()['totalInstancesRun']], since).toEqual([200, 2]);
    }
    for (const since of ['5', '1d', 'PT1H', '1h 2m', 'x', `${'1h'.repeat(600)}`]) {
      const flow = await of('noop', `sankey&since=${encodeURIComponent(since)}`);
      expect([flow.status, flow.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8']);
      expect(flow.text).toMatch(/^invalid 'since' parameter: '.*' is no duration such as 24h or 90m\n$/);
    }
  });
});

test('metrics have the prefix of the brand', async () => {
  const settings = { port: 0, host: '127.0.0.1', data: undefined, apiKey: 'key', brand: 'direktiv', version: 'v' };
  const service = await startService({ ...settings, databaseEndpoint: undefined });
  const branded = clientOf(service.url, service.key, () => service.close());
  await branded.call('PUT', '/api/namespaces/demo');
  await branded.call('PUT', '/api/namespaces/demo/tree/noop?op=create-workflow', { body: NOOP });
  await branded.call('POST', '/api/namespaces/demo/tree/noop?op=wait', { body: '{}' });
  const { results } = (await branded.call('GET', '/api/namespaces/demo/metrics/invoked')).json();
  expect(rowsOf(results)[0]?.['metric']).toEqual({
    __name__: 'direktiv_workflows_invoked_total',
    direktiv_namespace: 'demo',
    direktiv_tenant: 'demo',
    direktiv_workflow: '/noop',
  });
  await branded.close();
});
