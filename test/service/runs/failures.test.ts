import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../../../bin/server/service.ts';
import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import { openWorkspace, type Workspace } from '../../cli/workspace.ts';
import { type Client, clientOf, type Json, rowsOf } from '../access/client.ts';

const DEMO = '/api/namespaces/demo';

const server = createServer((request, response) => {
  if (request.url === '/slow') return;
  response.writeHead(request.url === '/busy' ? 503 : 500).end('the shop is closed');
});

const SOURCES: Readonly<Record<string, (origin: string) => string>> = {
  'bad-jq': () => `states:
- id: price
  type: noop
  transform:
    total: 'jq(.ordr.items | map(.price) | add)'
`,
  'missing-variable': () => `states:
- id: read
  type: getter
  variables: [{key: rates, scope: workflow}]
  transition: use
- {id: use, type: noop, transform: 'jq({rate: (.var.rates.eur | tonumber)})'}
`,
  'http-500': (origin) => `functions: [{id: shop, type: http, url: '${origin}/broken'}]
states:
- id: charge
  type: action
  action: {function: shop}
  catch: [{error: 'http\\.status\\.404', transition: charge}]
`,
  timeout: (origin) => `functions: [{id: shop, type: http, url: '${origin}/slow', timeout: PT1S}]
states:
- {id: charge, type: action, action: {function: shop}}
`,
  'wrong-event-key': () => `states:
- {id: wait, type: consumeEvent, timeout: PT3S, event: {type: order.paid, context: {order: jq(.id)}}}
`,
  schema: () => `states:
- id: check
  type: validate
  subject: 'jq(.order)'
  schema: {type: object, required: [id], properties: {amount: {type: number}}}
`,
  'child-failure': () => `functions: [{id: sub, type: subflow, workflow: child}]
states:
- {id: call, type: action, action: {function: sub, input: 'jq({order: .id})'}}
`,
  child: () => `states:
- {id: refuse, type: error, error: shop.refused, message: 'order %s is refused', args: ['jq(.order)']}
`,
  'secret-path': (origin) => `functions: [{id: shop, type: http, url: '${origin}', timeout: PT1S}]
states:
- {id: charge, type: action, action: {function: shop, secrets: [token], input: {url: '${origin}/shops/jq(.secrets.token)'}}}
`,
  'retry-exhausted': (origin) => `functions: [{id: shop, type: http, url: '${origin}/busy'}]
states:
- id: charge
  type: action
  action: {function: shop, retries: {max_attempts: 1, delay: PT1S, codes: ['.*']}}
`,
  limit: () => `states:
- {id: one, type: noop, transition: two}
- {id: two, type: noop, transition: one}
`,
  crash: () => `states:
- {id: read, type: getter, variables: [{key: nope, scope: system}]}
`,
};

let client: Client;
let workspace: Workspace;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, brand: 'service' };
  const others = { databaseEndpoint: undefined, version: packageVersion(), allowsPrivateAddresses: true };
  const service = await startService({ ...settings, ...others });
  client = clientOf(service.url, service.key, () => service.close());
  workspace = await openWorkspace(client, 'demo');
  await client.call('PUT', DEMO);
  await client.call('PATCH', `${DEMO}/config`, { json: { limits: { transitions: 100 } } });
  for (const [name, sourceOf] of Object.entries(SOURCES)) {
    const made = await client.call('PUT', `${DEMO}/tree/${name}?op=create-workflow`, { body: sourceOf(origin) });
    expect(made.status, made.text).toBe(200);
  }
});

afterAll(async () => {
  await workspace.clear();
  await client.close();
  server.closeAllConnections();
  server.close();
});

const INPUT = '{"id": "o-1", "order": {"items": [], "amount": "12"}, "private": "hidden"}';

const wait = (name: string, accept: string) =>
  client.call('POST', `${DEMO}/tree/${name}?op=wait`, { body: INPUT, headers: { Accept: accept } });

/** Runs a workflow that fails. Returns the error of the JSON reply, and the last lines of the log. */
async function fail(name: string) {
  const waiting = wait(name, 'application/json');
  if (name === 'wrong-event-key') await sendWrongEvent();
  const reply = (await waiting).json();
  const log = (await client.call('GET', `${DEMO}/instances/${String(reply['instance'])}/logs`)).json();
  const lines = rowsOf(log['results']).map((line) => String(line['msg']));
  const instance = (await client.call('GET', `${DEMO}/instances/${String(reply['instance'])}`)).json();
  expect(instance['error']).toEqual(reply['error']);
  return { error: reply['error'] as Json, where: lines.findLast((line) => line.startsWith('Where: ')) };
}

/** Sends an event of another order when the run waits. */
async function sendWrongEvent(): Promise<void> {
  await expect
    .poll(async () => (await client.call('GET', `${DEMO}/event-listeners`)).text, { timeout: 20_000 })
    .toContain('order.paid');
  const event = { specversion: '1.0', id: 'e-7', source: '/shop', type: 'order.paid', order: 'o-2' };
  const headers = { 'Content-Type': 'application/cloudevents+json' };
  expect((await client.call('POST', `${DEMO}/broadcast`, { body: JSON.stringify(event), headers })).status).toBe(200);
}

/** The expected explanation of each failure: its code, its place, its expression, and the values near it. */
const EXPLAINED: Readonly<Record<string, object>> = {
  'bad-jq': {
    code: 'service.jq.badCommand',
    at: { file: '/bad-jq', line: 5, column: 12 },
    expression: 'jq(.ordr.items | map(.price) | add)',
    saw: { type: 'object', sample: '{"id":"o-1","order":{"items":[],"amount":"12"}}' },
    near: ['the value has `order`, not `ordr`'],
  },
  'missing-variable': {
    at: { file: '/missing-variable', line: 6, column: 36 },
    expression: 'jq({rate: (.var.rates.eur | tonumber)})',
    near: ['`.var.rates` is null and has no `eur`'],
  },
  'http-500': {
    code: 'service.http.status.500',
    at: { file: '/http-500', line: 3, column: 3 },
    unmatched: ['http\\.status\\.404'],
  },
  timeout: {
    code: 'service.http.timeout',
    message: expect.stringMatching(
      /\/slow failed: .* did not answer in time; the function waits for 1 s, and not longer/,
    ),
    state: 'charge',
  },
  'wrong-event-key': {
    code: 'service.cancels.timeout.soft',
    near: [
      `the state waited for an event of type 'order.paid' with {"order":"o-1"}`,
      `the event 'e-7' has the 'order' "o-2", not "o-1"`,
    ],
  },
  schema: {
    message: 'subject failed its JSONSchema validation: (root): id is required',
    at: { file: '/schema', line: 4, column: 12 },
    saw: { type: 'object', sample: '{"items":[],"amount":"12"}' },
    near: ['amount: Invalid type. Expected: number, given: string'],
  },
  'child-failure': {
    code: 'shop.refused',
    near: [expect.stringMatching(/^the called workflow '\/child' failed as instance [0-9a-f-]{36}$/)],
  },
  'retry-exhausted': {
    code: 'service.retries.exceeded',
    message: expect.stringMatching(
      /^maximum retries exceeded: the last attempt failed with 'service.http.status.503': GET .*\/busy answered 503/,
    ),
  },
  limit: {
    code: 'service.limits.transitions',
    at: { file: '/limit', line: 2, column: 3 },
    state: 'one',
    near: [
      "the run went most often from 'one' to 'two' 50 times, from 'two' to 'one' 50 times",
      'the namespace can set another limit: {"limits": {"transitions": …}}',
    ],
  },
  crash: {
    code: 'service.internal.error',
    at: { file: '/crash', line: 2, column: 3 },
    state: 'read',
    near: ["unknown system variable 'nope': choose instance, uuid, epoch, scheduled"],
  },
};

describe('a failure names its place and its cause in the interface and the log:', () => {
  test.each(Object.entries(EXPLAINED))('%s', async (name, explained) => {
    const { error, where } = await fail(name);
    expect(error).toMatchObject(explained);
    expect(error['near'] ?? []).toEqual((explained as { near?: unknown }).near ?? []);
    expect(where).toContain(`/${name}:${String(error['at']?.['line'])}:`);
    expect(JSON.stringify([error, where])).not.toContain('hidden');
  });
});

describe('the timeline of a run with a call over HTTP', () => {
  const callsOf = async (name: string) => {
    const { instance } = (await wait(name, 'application/json')).json();
    const { steps } = (await client.call('GET', `${DEMO}/instances/${String(instance)}/timeline`)).json();
    const { out } = await workspace.weft(['instances', 'show', String(instance)]);
    return { calls: rowsOf(steps).flatMap((step) => (step['calls'] ?? []) as unknown as Json[]), out };
  };

  test('has what was sent, the status of the response, and how long it took', async () => {
    const { calls, out } = await callsOf('http-500');
    const to = expect.stringMatching(/^GET http:\/\/127\.0\.0\.1:\d+\/broken$/);
    expect(calls).toMatchObject([{ kind: 'http', to, status: 500, ms: expect.any(Number) }]);
    expect(out).toMatch(/GET http:\/\/127\.0\.0\.1:\d+\/broken 500 in \S+ ?\w*,/);
  });

  test('has no status where no response came', async () => {
    const { calls } = await callsOf('timeout');
    expect(calls).toMatchObject([{ kind: 'http', to: expect.stringMatching(/\/slow$/) }]);
    expect(calls[0]).not.toHaveProperty('status');
  });

  test('contains no secret', async () => {
    await client.call('PUT', `${DEMO}/secrets/token`, { body: 'canary-4711' });
    const { calls, out } = await callsOf('secret-path');
    expect(calls).toMatchObject([{ kind: 'http', to: expect.stringContaining('/shops/') }]);
    expect(JSON.stringify(calls) + out).not.toContain('canary-4711');
  });
});

test('the line of the log has all that explains a failure', async () => {
  expect((await fail('http-500')).where).toBe(
    "Where: /http-500:3:3, state 'charge'; no pattern of catch matches 'service.http.status.500': 'http\\.status\\.404'",
  );
});

test('a failed op=wait is a text, unless the request prefers JSON', async () => {
  for (const accept of ['*/*', 'application/json, text/plain, */*']) {
    const reply = await wait('crash', accept);
    expect(reply.text).toMatch(/^An internal error occurred executing instance: [0-9a-f-]+\n$/);
  }
  const reply = await wait('schema', 'application/json');
  expect(reply.status).toBe(500);
  expect(reply.headers.get('service-instance-error-code')).toBe('service.schema.failed');
  expect(reply.json()).toMatchObject({ code: 500, message: expect.stringContaining('An error occurred executing') });
});

test('the command line prints what explains a failure', async () => {
  const ran = await workspace.weft(['exec', 'bad-jq', '--quiet', '--input', '-'], { input: INPUT });
  expect(ran.err).toContain('at line 5, column 12 of /bad-jq\n');
  expect(ran.err).toContain('the value has `order`, not `ordr`');
  const { instance } = (await wait('http-500', 'application/json')).json();
  const shown = await workspace.weft(['instances', 'get', String(instance)]);
  expect(shown.out).toContain('no pattern of catch matches the code');
});

test('a namespace that records no data keeps no sample of it', async () => {
  await client.call('PUT', '/api/namespaces/flow');
  await client.call('PATCH', '/api/namespaces/flow/config', { json: { record: 'flow' } });
  const source = SOURCES['bad-jq']?.('') ?? '';
  await client.call('PUT', '/api/namespaces/flow/tree/w?op=create-workflow', { body: source });
  const headers = { Accept: 'application/json' };
  const reply = await client.call('POST', '/api/namespaces/flow/tree/w?op=wait', { body: INPUT, headers });
  expect(reply.json()['error']).toMatchObject({ near: ['the value has `order`, not `ordr`'] });
  expect(reply.json()['error']).not.toHaveProperty('saw');
});
