import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, openClient, rowsOf } from '../access/client.ts';

const SECRET = 'correct horse';
const NAMESPACE = '/api/namespaces/hooks';

let client: Client;
beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', NAMESPACE);
  await client.call('PUT', `${NAMESPACE}/secrets/HOOK`, { body: SECRET });
});
afterAll(() => client.close());

const NOOP = 'states: [{id: one, type: noop}]\n';

async function store(path: string, start: string, states = NOOP): Promise<void> {
  const body = `start: {type: webhook, ${start}}\n${states}`;
  const { status, text } = await client.call('PUT', `${NAMESPACE}/tree/${path}?op=create-workflow`, { body });
  expect([status, text]).toEqual([200, expect.anything()]);
}

interface Sent {
  readonly method?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** Sends a request without an API key. */
const send = (path: string, { method = 'POST', body, headers, query = '' }: Sent = {}): Promise<Answer> =>
  client.call(method, `/api/hooks/hooks/${path}${query}`, {
    key: null,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  });

const hmac = (text: string, algorithm = 'sha256', encoding: 'hex' | 'base64' = 'hex', secret = SECRET): string =>
  createHmac(algorithm, secret).update(text).digest(encoding);

/** Now and an offset. One in the future is half a minute beyond the tolerance: the request takes time as well. */
const seconds = (offset = 0): number => Math.floor(Date.now() / 1000) + offset;

const instancesOf = async (path: string): Promise<number> => {
  const query = `filter.field=AS&filter.type=CONTAINS&filter.val=${path}`;
  const answer = await client.call('GET', `${NAMESPACE}/instances?${query}`);
  return rowsOf(answer.json()['instances']?.['results']).length;
};

const BODY = '{"action":"opened"}';
const NOT_FOUND = [404, '404 page not found\n'];

/** A start, a request that it accepts, and changes of that request that it must not accept. */
interface Case {
  readonly verify: string;
  readonly good: () => Sent;
  readonly bad: Readonly<Record<string, () => Sent>>;
}

const stripe = (time: number, signed = `${time}.${BODY}`): Sent => ({
  body: BODY,
  headers: { 'Stripe-Signature': `t=${time},v1=${hmac('another')},v1=${hmac(signed)},v0=x` },
});
const slack = (time: number): Sent => ({
  body: BODY,
  headers: { 'X-Slack-Request-Timestamp': String(time), 'X-Slack-Signature': `v0=${hmac(`v0:${time}:${BODY}`)}` },
});
const standard = (time: number, id = 'msg-1'): Sent => ({
  body: BODY,
  headers: {
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': `v1,old v1,${hmac(`${id && 'msg-1'}.${time}.${BODY}`, 'sha256', 'base64')}`,
  },
});
const signedAt = (time: number): Sent => ({
  body: BODY,
  headers: { 'X-Time': String(time), 'X-Sign': `s=${hmac(`${time}.${BODY}`, 'sha512', 'base64')}` },
});
const basic = (credentials: string): Sent => ({
  body: BODY,
  headers: { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
});

const CASES: Readonly<Record<string, Case>> = {
  github: {
    verify: '{github: HOOK}',
    good: () => ({ body: BODY, headers: { 'X-Hub-Signature-256': `sha256=${hmac(BODY)}` } }),
    bad: {
      'a changed body': () => ({ body: `${BODY} `, headers: { 'X-Hub-Signature-256': `sha256=${hmac(BODY)}` } }),
      'another secret': () => ({
        body: BODY,
        headers: { 'X-Hub-Signature-256': `sha256=${hmac(BODY, 'sha256', 'hex', 'x')}` },
      }),
      'the older signature': () => ({ body: BODY, headers: { 'X-Hub-Signature': `sha1=${hmac(BODY, 'sha1')}` } }),
      'no signature': () => ({ body: BODY }),
    },
  },
  stripe: {
    verify: '{stripe: HOOK}',
    good: () => stripe(seconds()),
    bad: {
      'an old time': () => stripe(seconds(-301)),
      'a time in the future': () => stripe(seconds(330)),
      'a changed time': () => stripe(seconds(), `${seconds(-1)}.${BODY}`),
      'no time': () => ({ body: BODY, headers: { 'Stripe-Signature': `v1=${hmac(`.${BODY}`)}` } }),
    },
  },
  slack: {
    verify: '{slack: HOOK}',
    good: () => slack(seconds()),
    bad: { 'an old time': () => slack(seconds(-301)), 'no signature': () => ({ body: BODY }) },
  },
  standard: {
    verify: '{standard: HOOK}',
    good: () => standard(seconds()),
    bad: {
      'an old time': () => standard(seconds(-301)),
      'another id': () => standard(seconds(), 'msg-2'),
      'no id': () => standard(seconds(), ''),
      'no signature': () => ({ body: BODY }),
    },
  },
  hmac: {
    verify:
      "{hmac: {secret: HOOK, header: X-Sign, algorithm: sha512, encoding: base64, prefix: 's=', timestamp: X-Time, tolerance: PT1M}}",
    good: () => signedAt(seconds()),
    bad: {
      'an old time': () => signedAt(seconds(-61)),
      'no time': () => ({ body: BODY, headers: { 'X-Sign': `s=${hmac(BODY, 'sha512', 'base64')}` } }),
      'no prefix': () => ({ body: BODY, headers: { 'X-Sign': hmac(BODY, 'sha512', 'base64') } }),
    },
  },
  basic: {
    verify: '{basic: {user: ada, password: HOOK}}',
    good: () => basic(`ada:${SECRET}`),
    bad: {
      'another user': () => basic(`bob:${SECRET}`),
      'another password': () => basic('ada:no'),
      nothing: () => ({}),
    },
  },
  url: {
    verify: '{url: {secret: HOOK}}',
    good: () => ({ body: BODY, query: `?secret=${encodeURIComponent(SECRET)}` }),
    bad: { 'another secret': () => ({ query: '?secret=no' }), 'an empty secret': () => ({ query: '?secret=' }) },
  },
};

describe.each(Object.entries(CASES))('a webhook that is verified by %s', (name, { verify, good, bad }) => {
  beforeAll(() => store(`by-${name}`, `verify: ${verify}`));

  test('starts a run for a request of its sender', async () => {
    const answer = await send(`by-${name}`, good());
    expect([answer.status, answer.json()]).toEqual([202, { namespace: 'hooks', instance: expect.any(String) }]);
    expect(await instancesOf(`by-${name}`)).toBe(1);
  });

  test.each(Object.entries(bad))('shows nothing to a request with %s', async (_, request) => {
    const { status, text } = await send(`by-${name}`, request());
    expect([status, text]).toEqual(NOT_FOUND);
    expect(await instancesOf(`by-${name}`)).toBe(1);
  });
});

describe('a request to a webhook', () => {
  test('looks the same without a webhook, a workflow, a namespace or a secret, and for a disabled workflow', async () => {
    await client.call('PUT', `${NAMESPACE}/tree/plain?op=create-workflow`, { body: NOOP });
    await store('no-secret', 'verify: {github: MISSING}');
    await store('off', 'verify: {none: true}');
    await client.call('POST', `${NAMESPACE}/tree/off?op=toggle`, { json: { live: false } });
    for (const path of ['plain', 'nowhere', 'no-secret', 'off', '']) {
      const { status, text } = await send(path, CASES['github']?.good());
      expect([path, status, text]).toEqual([path, ...NOT_FOUND]);
    }
    const { status, text } = await client.call('POST', '/api/hooks/unknown/flow', { key: null });
    expect([status, text]).toEqual(NOT_FOUND);
  });

  test('that is refused leaves its owner the reason in the log of the namespace, once', async () => {
    await client.call('PUT', '/api/namespaces/hooks-log');
    await client.call('PUT', '/api/namespaces/hooks-log/secrets/HOOK', { body: SECRET });
    const starts = {
      stranger: 'verify: {github: HOOK}',
      open: 'verify: {github: MISSING}',
      off: 'verify: {none: true}',
    };
    for (const [name, start] of Object.entries(starts)) {
      const body = `start: {type: webhook, ${start}}\n${NOOP}`;
      await client.call('PUT', `/api/namespaces/hooks-log/tree/${name}?op=create-workflow`, { body });
    }
    await client.call('POST', '/api/namespaces/hooks-log/tree/off?op=toggle', { json: { live: false } });
    for (const name of [...Object.keys(starts), ...Object.keys(starts)]) {
      expect((await client.call('POST', `/api/hooks/hooks-log/${name}`, { key: null, body: '{}' })).status).toBe(404);
    }
    const { results } = (await client.call('GET', '/api/namespaces/hooks-log/logs')).json();
    const lines = rowsOf(results).map(({ msg }) => String(msg));
    const end = 'Further ones in the next 10 minutes are not logged.';
    expect(lines.filter((line) => line.startsWith('Refused')).toSorted()).toEqual([
      `Refused a request to the webhook of '/off': the workflow is disabled. ${end}`,
      `Refused a request to the webhook of '/open': the secret 'MISSING' has no value. ${end}`,
      `Refused a request to the webhook of '/stranger': its verification 'github' failed; the sender must use the value of the secret 'HOOK'. ${end}`,
    ]);
  });

  test('is the input of the run, without credentials', async () => {
    await store('folder', 'verify: {url: {secret: HOOK}}, reply: wait');
    const answer = await send('folder', {
      body: BODY,
      query: `?secret=${encodeURIComponent(SECRET)}&tag=a&tag=b&x=1`,
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-A': 'b', Authorization: 'x', Cookie: 'y' },
    });
    expect(answer.status).toBe(200);
    const input = answer.json();
    expect(input).toMatchObject({
      method: 'POST',
      query: { tag: ['a', 'b'], x: '1' },
      body: { action: 'opened' },
      raw: Buffer.from(BODY).toString('base64'),
      headers: { 'x-a': 'b' },
    });
    expect(Object.keys(input['headers'] ?? {})).not.toContain('authorization');
    expect(answer.text).not.toContain('correct');
  });

  test.each([
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b=2&b=3', { a: '1', b: ['2', '3'] }],
    ['invalid JSON', 'application/json', '{"a":', '{"a":'],
    ['text', 'text/plain', 'hello', 'hello'],
    ['bytes', 'application/octet-stream', new Uint8Array([255, 0]), '/wA='],
  ])('has %s as its body', async (title, type, body, expected) => {
    const path = `body-${title.replaceAll(/\W/g, '-').toLowerCase()}`;
    await store(path, 'verify: {none: true}, reply: wait');
    const answer = await send(path, { body, headers: { 'Content-Type': type } });
    expect(answer.json()['body']).toEqual(expected);
  });

  test('has the UTF-8 of its headers', async () => {
    await store('headers', 'verify: {none: true}, reply: wait');
    const [city, sign] = ['Köln', '東京 😀'].map((text) => Buffer.from(text).toString('latin1'));
    const headers = { 'X-City': String(city), 'X-Sign': String(sign), 'X-Old': 'K\u00f6ln' };
    const answer = await send('headers', { headers });
    expect(answer.json()['headers']).toMatchObject({ 'x-city': 'Köln', 'x-sign': '東京 😀', 'x-old': 'Köln' });
  });

  test('has the fields and files of a form of the type multipart/form-data', async () => {
    await store('files', 'verify: {none: true}, reply: wait');
    const form = new FormData();
    for (const [name, value] of Object.entries({ a: '1', city: 'Köln\r\n', constructor: 'c' }))
      form.append(name, value);
    for (const value of ['x', 'y']) form.append('list', value);
    form.append('photo', new Blob([Uint8Array.of(0x89, 0, 0xff)], { type: 'image/png' }), 'Köln.png');
    const request = new Request('http://x', { method: 'POST', body: form });
    const headers = { 'Content-Type': request.headers.get('content-type') ?? '' };
    const body = new Uint8Array(await request.arrayBuffer());
    const input = (await send('files', { body, headers })).json();
    expect(input['body']).toEqual({
      a: '1',
      city: 'Köln\r\n',
      constructor: 'c',
      list: ['x', 'y'],
      photo: { filename: 'Köln.png', type: 'image/png', base64: 'iQD/' },
    });
    expect(input['raw']).toBe(Buffer.from(body).toString('base64'));
  });

  test('may use GET and PUT, and no other method', async () => {
    await store('methods', 'verify: {none: true}, reply: wait');
    expect((await send('methods', { method: 'GET' })).json()['method']).toBe('GET');
    expect((await send('methods', { method: 'PUT' })).json()['method']).toBe('PUT');
    expect((await send('methods', { method: 'DELETE' })).status).toBe(405);
  });

  test('with a body that is too large is rejected', async () => {
    await store('large', 'verify: {none: true}');
    expect((await send('large', { body: 'x'.repeat(4 * 1024 * 1024 + 1) })).status).toBe(413);
  });

  test('starts one run for a delivery, however often it is sent', async () => {
    await store('once', 'verify: {github: HOOK}');
    const request = (delivery: string): Sent => ({
      body: BODY,
      headers: { 'X-Hub-Signature-256': `sha256=${hmac(BODY)}`, 'X-GitHub-Delivery': delivery },
    });
    const first = (await send('once', request('d-1'))).json()['instance'];
    expect((await send('once', request('d-1'))).json()['instance']).toBe(first);
    expect((await send('once', request('d-2'))).json()['instance']).not.toBe(first);
    expect(await instancesOf('once')).toBe(2);
  });

  test('of Slack that asks whether the URL is right gets its challenge and starts no run', async () => {
    await store('slack-challenge', 'verify: {slack: HOOK}');
    const time = seconds();
    const body = '{"type":"url_verification","challenge":"3eZb"}';
    const headers = {
      'Content-Type': 'application/json',
      'X-Slack-Request-Timestamp': String(time),
      'X-Slack-Signature': `v0=${hmac(`v0:${time}:${body}`)}`,
    };
    const answer = await send('slack-challenge', { body, headers });
    expect([answer.status, answer.text]).toEqual([200, '3eZb']);
    expect(await instancesOf('slack-challenge')).toBe(0);
  });
});

describe('a webhook that replies with the output', () => {
  const replying = (output: string): string => `states: [{id: one, type: noop, transform: ${output}}]\n`;

  test('has the status, the headers and the body of the output, and no header that is reserved', async () => {
    const output =
      "{status: 201, headers: {X-Order: '7', Location: /orders/7, Set-Cookie: a=b, 'Content-Type': text/html}, body: <b>ok</b>}";
    await store('replies', 'verify: {none: true}, reply: wait', replying(output));
    const { status, headers, text } = await send('replies');
    expect([status, text]).toEqual([201, '<b>ok</b>']);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-order': '7',
      location: '/orders/7',
      'content-type': 'text/html',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
    expect(headers.get('set-cookie')).toBeNull();
  });

  test.each([
    ...['NEL', 'Report-To', 'Reporting-Endpoints', 'X-Accel-Redirect', 'X-Sendfile', 'X-LIGHTTPD-send-file', 'Refresh'],
    ...['WWW-Authenticate', 'Server', 'Alt-Svc', 'Set-Cookie', 'X-Frame-Options', 'Access-Control-Allow-Origin', 'Via'],
  ])('has no header %s of the output, by which a browser or a proxy would act', async (name) => {
    const path = `replies-${name.toLowerCase()}`;
    await store(path, 'verify: {none: true}, reply: wait', replying(`{status: 200, headers: {${name}: abc, X-A: b}}`));
    const { headers } = await send(path);
    expect([headers.get('x-a'), headers.get(name)]).not.toContain('abc');
    expect(headers.get('x-a')).toBe('b');
  });

  test('has JSON for a body that is no text', async () => {
    await store('replies-json', 'verify: {none: true}, reply: wait', replying('{status: 200, body: {a: 1}}'));
    const { headers, text } = await send('replies-json');
    expect([headers.get('content-type'), text]).toEqual(['application/json', '{"a":1}']);
  });

  test('does not show why a run failed', async () => {
    await store(
      'fails',
      'verify: {none: true}, reply: wait',
      'states: [{id: one, type: error, error: my.secret, message: no}]\n',
    );
    const { status, text } = await send('fails');
    expect(status).toBe(500);
    expect(text).toMatch(/^\{"instance":"[0-9a-f-]{36}"\}$/);
  });
});

describe('a webhook that sends events', () => {
  test('resumes the run that waits for its event, once for each delivery', async () => {
    const event = 'event: {type: order.paid, context: {order: jq(.body.id)}}';
    await store('paid', `verify: {stripe: HOOK}, ${event}`);
    const waits =
      'states:\n- {id: wait, type: consumeEvent, timeout: PT20S, event: {type: order.paid, context: {order: jq(.id)}}, transform: \'jq(."order.paid".data.body)\'}\n';
    await client.call('PUT', `${NAMESPACE}/tree/order?op=create-workflow`, { body: waits });
    const output = client.call('POST', `${NAMESPACE}/tree/order?op=wait`, { json: { id: 'o-7' } });
    const listening = async () => (await client.call('GET', `${NAMESPACE}/event-listeners`)).text;
    await expect.poll(listening, { timeout: 10_000 }).toContain('order.paid');
    const body = '{"id":"o-7","amount":5}';
    const time = seconds();
    const headers = {
      'Content-Type': 'application/json',
      'Stripe-Signature': `t=${time},v1=${hmac(`${time}.${body}`)}`,
    };
    const first = await send('paid', { body, headers });
    expect([first.status, first.json()]).toEqual([202, { event: expect.any(String) }]);
    expect((await send('paid', { body, headers })).json()).toEqual(first.json());
    expect((await output).json()).toEqual({ id: 'o-7', amount: 5 });
    expect(await instancesOf('paid')).toBe(0);
  });
});

describe('the list of webhooks', () => {
  const LISTED = '/api/namespaces/hooks-listed';

  test('names each with its URL, how it is verified, whether its secret has a value, and a line that is accepted', async () => {
    await client.call('PUT', LISTED);
    await client.call('PUT', `${LISTED}/tree/git?op=create-directory`);
    const put = (path: string, body: string) =>
      client.call('PUT', `${LISTED}/tree/${path}?op=create-workflow`, { body });
    await put('git/push', `start: {type: webhook, verify: {github: THE.HOOK}, reply: wait}\n${NOOP}`);
    await put('paid', `start: {type: webhook, verify: {none: true}, event: {type: order.paid}}\n${NOOP}`);
    await put('plain', NOOP);
    await client.call('POST', `${LISTED}/tree/paid?op=toggle`, { json: { live: false } });
    const list = async () => (await client.call('GET', `${LISTED}/webhooks`)).json();
    expect(await list()).toEqual({
      namespace: 'hooks-listed',
      webhooks: [
        {
          workflow: '/git/push',
          url: expect.stringMatching(/\/api\/hooks\/hooks-listed\/git\/push$/),
          live: true,
          verification: 'github',
          secret: { name: 'THE.HOOK', variable: 'THE_HOOK', initialized: false },
          reply: 'wait',
          curl: expect.stringContaining('"$url"'),
        },
        {
          workflow: '/paid',
          url: expect.stringMatching(/\/api\/hooks\/hooks-listed\/paid$/),
          live: false,
          verification: 'none',
          event: 'order.paid',
          curl: expect.any(String),
        },
      ],
      complete: true,
    });
    await client.call('PUT', `${LISTED}/secrets/THE.HOOK`, { body: SECRET });
    const [push] = rowsOf((await list())['webhooks']);
    expect(push?.['secret']).toMatchObject({ initialized: true });
    const url = `${client.url}/api/hooks/hooks-listed/git/push`;
    const env = { PATH: process.env['PATH'], THE_HOOK: SECRET, url };
    const { stdout } = await promisify(execFile)('sh', ['-c', `${String(push?.['curl'])} -w '%{http_code}'`], { env });
    expect(stdout).toMatch(/200$/);
  });
});

describe('a body that costs more than its bytes', () => {
  const TYPES = {
    json: 'application/json',
    form: 'application/x-www-form-urlencoded',
    multipart: 'multipart/form-data; boundary=b',
  };
  const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

  test.each([
    ['is nested too deeply', 'json', nested(100_000), 'is nested deeper than 900 levels'],
    ['has too many values', 'json', `[${'1,'.repeat(600_000)}1]`, 'has more than 500000 values'],
    ['has too many fields', 'form', 'a&'.repeat(20_000), 'has more than 10000 fields'],
    [
      'has too many parts',
      'multipart',
      '--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n'.repeat(20_000),
      'has more than 10000 fields',
    ],
  ] as const)('is a mistake of its sender if it %s', async (_, type, body, problem) => {
    const headers = { 'Content-Type': TYPES[type] };
    const name = `${type}-${problem.replaceAll(' ', '-')}`;
    await store(`start-${name}`, 'verify: {none: true}');
    await store(`event-${name}`, 'verify: {none: true}, event: {type: large, context: {}}');
    await store(`stripe-${name}`, 'verify: {stripe: HOOK}');
    const time = seconds();
    const signature = { 'Stripe-Signature': `t=${time},v1=${hmac(`${time}.${body}`)}` };
    const sent = [
      await send(`start-${name}`, { body, headers }),
      await send(`event-${name}`, { body, headers }),
      await send(`stripe-${name}`, { body, headers: { ...headers, ...signature } }),
    ];
    for (const { status, text } of sent) expect([status, text]).toEqual([400, expect.stringContaining(problem)]);
    expect((await send(`stripe-${name}`, { body, headers })).status).toBe(404);
  });
});
