import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../../../bin/server/service.ts';
import { readSettings } from '../../../bin/server/settings.ts';
import { traceSettings } from '../../../lib/adapters/portable/otlp-settings.ts';
import { type Client, clientOf, type Json, rowsOf } from '../access/client.ts';

const DEMO = '/api/namespaces/demo';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SECRET = 'canary-4711-secret';

/** The requests that the receiver of traces got, and the headers of the requests to the shop. */
const received: Json[] = [];
const receivedHeaders: (string | undefined)[] = [];
const called: (string | undefined)[] = [];
let refusals = 1;

const receiver = createServer(async (request, response) => {
  let text = '';
  for await (const part of request) text += String(part);
  if (request.url?.startsWith('/shop') === true) {
    called.push(request.headers.traceparent as string | undefined);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok": true}');
    return;
  }
  if (refusals > 0) {
    refusals -= 1;
    response.writeHead(503).end();
    return;
  }
  receivedHeaders.push(request.headers['x-tenant'] as string | undefined);
  received.push(JSON.parse(text) as Json);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

let service: Service;
let client: Client;

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: origin,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
    OTEL_SERVICE_NAME: 'weft-test',
    OTEL_BSP_SCHEDULE_DELAY: '20',
  };
  const settings = { ...readSettings(environment), port: 0, data: undefined };
  service = await startService({ ...settings, allowsPrivateAddresses: true });
  client = clientOf(service.url, service.key, () => service.close());
  await client.call('PUT', DEMO);
  await client.call('PUT', `${DEMO}/secrets/T`, { body: SECRET });
  const sources = {
    kid: 'states: [{id: k, type: noop}]\n',
    buy: `functions: [{id: shop, type: http, url: '${origin}/shop'}]\nstates: [{id: buy, type: action, action: {function: shop}}]\n`,
    hook: 'start: {type: webhook, verify: {none: true}}\nstates: [{id: h, type: noop}]\n',
    work: 'functions: [{id: w, type: worker, queue: q}]\nstates: [{id: work, type: action, action: {function: w}}]\n',
    main: `labels: {team: shop}
functions:
- {id: kid, type: subflow, workflow: kid}
- {id: shop, type: http, url: '${origin}/shop', auth: {bearer: T}}
states:
- {id: call, type: action, action: {function: kid}, transition: buy}
- {id: buy, type: action, action: {function: shop, secrets: [T], input: {query: {t: 'jq(.secrets.T)'}}}, transition: fail}
- {id: fail, type: noop, transform: 'jq(.nosuch.x | keys)'}
`,
  };
  for (const [name, body] of Object.entries(sources)) {
    const made = await client.call('PUT', `${DEMO}/tree/${name}?op=create-workflow`, { body });
    expect(made.status, made.text).toBe(200);
  }
});

afterAll(async () => {
  await client.close();
  receiver.closeAllConnections();
  receiver.close();
});

async function run(name: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const reply = await client.call('POST', `${DEMO}/tree/${name}?op=wait`, { body: '{}', headers });
  return String(reply.headers.get('service-instance-id'));
}

const spans = (): readonly Json[] =>
  received.flatMap((body) =>
    rowsOf(body['resourceSpans']).flatMap((one) =>
      rowsOf(one['scopeSpans']).flatMap((scope) => [...rowsOf(scope['spans'])]),
    ),
  );

/** The spans of a trace, once there are `count` of them. */
async function spansOf(traceId: string, count: number): Promise<readonly Json[]> {
  return expect
    .poll(() => spans().filter((span) => String(span['traceId']) === traceId), { timeout: 10_000 })
    .toHaveLength(count)
    .then(() => spans().filter((span) => String(span['traceId']) === traceId));
}

describe('the trace of a run', () => {
  test('has a span for the run, its states, calls and subflows, below the span of the request that started it', async () => {
    const id = await run('main', { traceparent: `00-${TRACE}-b7ad6b7169203331-01` });

    const found = await spansOf(TRACE, 8);
    const byName = (name: string) => found.find((span) => String(span['name']) === name);
    const idOf = (name: string) => byName(name)?.['spanId'];
    expect(byName('/main')).toMatchObject({ parentSpanId: 'b7ad6b7169203331', kind: 2, status: { code: 2 } });
    expect(byName('/main')?.['attributes']).toContainEqual({ key: 'weft.instance', value: { stringValue: id } });
    expect(byName('/main')?.['attributes']).toContainEqual({ key: 'weft.label.team', value: { stringValue: 'shop' } });
    for (const state of ['call', 'buy', 'fail']) expect(byName(state)).toMatchObject({ parentSpanId: idOf('/main') });
    expect(byName('call call 0')).toMatchObject({ parentSpanId: idOf('call'), kind: 3 });
    expect(byName('/kid')).toMatchObject({ parentSpanId: idOf('call call 0') });
    expect(byName('k')).toMatchObject({ parentSpanId: idOf('/kid') });
    expect(byName('fail')?.['attributes']).toContainEqual({
      key: 'error.type',
      value: { stringValue: 'service.jq.badCommand' },
    });
    expect(called).toEqual([`00-${TRACE}-${String(idOf('buy call 0'))}-01`]);
    expect(receivedHeaders).toContain('a b');
    expect(received[0]?.['resourceSpans']).toMatchObject([
      { resource: { attributes: [{ key: 'service.name', value: { stringValue: 'weft-test' } }] } },
    ]);
  });

  test('has the id of the run where the request names none; a request can decide against it', async () => {
    await run('kid', { traceparent: '00-11111111111111111111111111111111-b7ad6b7169203331-00' });
    const id = await run('kid', { traceparent: 'nonsense' });
    expect(await spansOf(id.replaceAll('-', ''), 2)).toHaveLength(2);
    expect(spans().filter((span) => String(span['traceId']).startsWith('1111'))).toEqual([]);
  });

  test('is named to what a run calls, also where a request decides against the export', async () => {
    const trace = '2'.repeat(32);
    const headers = { traceparent: `00-${trace}-b7ad6b7169203331-00` };
    await run('buy', headers);
    expect(called.at(-1)).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`));
    const started = await client.call('POST', `${DEMO}/tree/work?op=execute`, { body: '{}', headers });
    const { tasks } = (await client.call('POST', `${DEMO}/workers/q?op=poll`, { json: { wait: 'PT20S' } })).json();
    expect(rowsOf(tasks)).toMatchObject([
      { traceparent: expect.stringMatching(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`)) },
    ]);
    await client.call('POST', `${DEMO}/instances/${String(started.json()['instance'])}?op=cancel`);
  });

  test('has the trace of the request to a webhook', async () => {
    const trace = '3'.repeat(32);
    const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01` };
    const reply = await client.call('POST', '/api/hooks/demo/hook', { body: '{}', headers });
    expect(reply.status, reply.text).toBe(202);
    expect((await spansOf(trace, 2)).map(({ name }) => String(name)).sort()).toEqual(['/hook', 'h']);
  });

  test('contains no secret and no data of the run', async () => {
    expect(JSON.stringify(received)).not.toContain('canary');
  });
});

describe('the settings of the export', () => {
  test('are off without an endpoint, and by the standard switches', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://localhost:4318/';
    expect(traceSettings({})).toBeUndefined();
    expect(traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    expect(traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
    expect(traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT })?.url).toBe('http://localhost:4318/v1/traces');
    expect(traceSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://x/y' })?.url).toBe('https://x/y');
  });

  test('name a mistake', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://localhost:4318';
    expect(() => traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost' })).toThrow("is 'localhost");
    expect(() => traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(
      'http/json',
    );
    expect(() => traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_BSP_SCHEDULE_DELAY: '0' })).toThrow('from 1');
  });
});
