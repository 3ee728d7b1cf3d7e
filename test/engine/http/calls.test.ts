import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as secrets from '../../../lib/domain/credentials/secrets.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import { executeAndWait } from '../../../lib/engine/requests/start/start.ts';
import { UnreachableError } from '../../../lib/ports/callees/web.ts';
import { json, ProgrammedWeb, type Reply } from '../../contract/programmed-web.ts';
import { linesOf } from '../containers/service-space.ts';
import { World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openLocalTable();
});
afterAll(() => database.close());

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** A workflow with the http function `f`, and these states. */
const workflowOf = (fields: string, states: string): string => `functions:
- {id: f, type: http, ${fields}}
states:
${states}`;

const CALL = '- {id: go, type: action, action: {function: f}}\n';

interface Observed {
  readonly main: Run;
  readonly web: ProgrammedWeb;
  readonly log: readonly string[];
  readonly world: World;
}

interface Given {
  readonly reply?: Reply;
  readonly input?: unknown;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly others?: Readonly<Record<string, string>>;
}

async function run(
  main: string,
  { reply, input = {}, secrets: values = {}, others = {} }: Given = {},
): Promise<Observed> {
  const web = new ProgrammedWeb(reply);
  const world = new World(database, { web });
  worlds.push(world);
  await world.store({ main, ...others });
  const namespace = await namespaces.need(world.reliable, world.namespace);
  for (const [name, value] of Object.entries(values)) {
    await secrets.set(world.reliable, namespace, name, Buffer.from(value));
  }
  const { id } = await world.execute('main', JSON.stringify(input));
  await world.pass();
  expect(unfinishedOf(world)).toEqual([]);
  const found = (await runsOf(world)).find((one) => one.id === id);
  if (found === undefined) throw new Error('there is no such run');
  return { main: found, web, log: (await linesOf(world, found)).map(({ text }) => text), world };
}

const sent = ({ web }: Observed) =>
  web.requests.map(({ method, url, body }) => `${method} ${url.href} ${body ?? ''}`.trim());

describe('the request of an http function', () => {
  test('is a GET whose URL is evaluated over the data, and its response is the result', async () => {
    const observed = await run(
      workflowOf("url: 'https://api.test/orders/jq(.id)', query: {page: jq(.page), q: null}", CALL),
      {
        input: { id: 7, page: 2 },
        reply: () => json({ open: true }),
      },
    );
    expect(sent(observed)).toEqual(['GET https://api.test/orders/7?page=2']);
    expect(observed.main.data['return']).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: { open: true },
    });
    expect(observed.world.started.size).toBe(1);
  });

  test('is a POST with JSON if it has a body', async () => {
    const observed = await run(workflowOf('url: https://api.test, body: {order: jq(.id)}', CALL), { input: { id: 7 } });
    expect(sent(observed)).toEqual(['POST https://api.test/ {"order":7}']);
    expect(observed.web.requests[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  test('is a form with a file if that is its content type, and bytes of a response are sent as they came', async () => {
    const states = `- id: get
  type: action
  action: {function: f}
  transform: {photo: jq(.return.body)}
  transition: form
- id: form
  type: action
  action: {function: f, input: {headers: {Content-Type: multipart/form-data}, body: {a: '1', photo: jq(.photo)}}}
  transition: put
- {id: put, type: action, action: {function: f, input: {method: PUT, body: jq(.photo)}}}
`;
    const bytes = Buffer.from([0x89, 0, 0xff]);
    const reply: Reply = ({ method }) =>
      method === 'GET' ? { status: 200, headers: { 'content-type': 'image/png' }, body: bytes } : json({});
    const { web } = await run(workflowOf('url: https://api.test', states), { reply });
    const [, form, put] = web.requests;
    const type = form?.headers['content-type'] ?? '';
    const fields = await new Response(Buffer.from(form?.body ?? []), { headers: { 'content-type': type } }).formData();
    const photo = fields.get('photo') as File;
    expect([fields.get('a'), photo.name, photo.type]).toEqual(['1', 'photo', 'image/png']);
    expect(Buffer.from(await photo.arrayBuffer())).toEqual(bytes);
    expect([put?.method, put?.headers['content-type'], Buffer.from(put?.body ?? [])]).toEqual([
      'PUT',
      'image/png',
      bytes,
    ]);
  });

  test('takes fields from the input of the action; headers are merged by name', async () => {
    const states = `- id: go
  type: action
  action:
    function: f
    input: {method: put, path: /orders/7, headers: {accept: text/plain, X-B: 2}, query: {b: [1, 2]}, body: hello}
`;
    const observed = await run(workflowOf('url: https://api.test/v1?a=0, headers: {Accept: a/b, X-A: 1}', states));
    expect(sent(observed)).toEqual(['PUT https://api.test/v1/orders/7?a=0&b=1&b=2 hello']);
    expect(observed.web.requests[0]?.headers).toMatchObject({ accept: 'text/plain', 'x-a': '1', 'x-b': '2' });
  });

  test('carries an idempotency key, the trace of the run and a user agent', async () => {
    const { web, main } = await run(workflowOf('url: https://api.test', CALL));
    expect(web.requests[0]?.headers).toMatchObject({
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
      traceparent: expect.stringMatching(new RegExp(`^00-${main.id.replaceAll('-', '')}-[0-9a-f]{16}-01$`)),
      'user-agent': 'weft/v0',
    });
  });

  test.each([
    ['{bearer: KEY}', { authorization: 'Bearer s3cret' }],
    ['{basic: {user: ada, password: KEY}}', { authorization: `Basic ${btoa('ada:s3cret')}` }],
    ['{apiKey: {header: X-Key, secret: KEY}}', { 'x-key': 's3cret' }],
  ])('has the credentials of %s', async (auth, credentials) => {
    const { web } = await run(workflowOf(`url: https://api.test, auth: ${auth}`, CALL), { secrets: { KEY: 's3cret' } });
    expect(web.requests[0]?.credentials).toEqual(credentials);
  });

  test('has the token of OAuth, which is requested once and again when it is refused', async () => {
    const auth = "{oauth2: {tokenUrl: 'https://id.test/token', clientId: me, clientSecret: KEY, scope: a b}}";
    let tokens = 0;
    const reply: Reply = ({ url, credentials }) => {
      if (url.host === 'id.test') return json({ access_token: `t${++tokens}`, expires_in: 3600 });
      return credentials['authorization'] === 'Bearer t1' && tokens === 1
        ? json({ n: 1 })
        : json({}, tokens === 1 ? 401 : 200);
    };
    const states = `- {id: one, type: action, action: {function: f}, transition: two}
- {id: two, type: action, action: {function: f}}
`;
    const observed = await run(workflowOf(`url: https://api.test, auth: ${auth}`, states), {
      secrets: { KEY: 's3cret' },
      reply,
    });
    expect(observed.main.status).toBe('complete');
    expect(sent(observed)).toEqual([
      'POST https://id.test/token grant_type=client_credentials&scope=a+b',
      'GET https://api.test/',
      'GET https://api.test/',
    ]);
  });

  test.each([
    ['url: jq(.no), x: 1', 'unknown field'],
    ['method: GET', 'url required'],
    ['url: ftp://a.test', 'url must be a URL'],
    ['url: https://a.test, base: https://b.test', 'same field'],
    ['url: https://a.test, auth: {bearer: A, basic: {user: u, password: P}}', 'exactly one of'],
    ['url: https://a.test, expect: [99]', 'expect must be a list of statuses'],
    ['url: https://a.test, redirects: 21', 'redirects must be a number'],
    ['url: https://a.test, timeout: 5s', 'timeout is not a ISO8601 string'],
  ])('is checked when the workflow is stored: %s', async (fields, problem) => {
    await expect(run(workflowOf(fields, CALL))).rejects.toThrow(problem);
  });

  test.each([
    ['{headers: {X-A: jq(.line)}}', 'line break'],
    ['{headers: {Host: other}}', "'host' is set by Weft itself"],
    ['{url: jq(.id)}', "'url' is no text"],
    ['{method: CONNECT}', "'method' is none"],
    ['{colour: red}', "has the field 'colour'"],
    ['{body: {a: {b: 1}}, headers: {Content-Type: application/x-www-form-urlencoded}}', "'a' in 'body' is neither"],
    ['jq(.id)', "action's input is no object"],
  ])('fails with http.request for the input %s', async (input, message) => {
    const states = `- {id: go, type: action, action: {function: f, input: "${input}"}}\n`.replaceAll(
      '"',
      input.startsWith('jq') ? '' : '',
    );
    const { main, web } = await run(workflowOf('url: https://api.test', states), {
      input: { line: 'a\r\nb: c', id: 3 },
    });
    expect([main.code, main.message]).toEqual(['service.http.request', expect.stringContaining(message)]);
    expect(web.requests).toEqual([]);
  });
});

describe('a failed call', () => {
  const caught = `- {id: go, type: action, action: {function: f}, catch: [{error: '*', transition: end}]}
- {id: end, type: noop}
`;

  test('has the code of its status, and a message without secrets', async () => {
    const states = `- id: go
  type: action
  action: {function: f, secrets: [KEY], input: {path: jq(.secrets.KEY), query: {k: jq(.secrets.KEY)}}}
  catch: [{error: http.status.4, transition: end}]
- {id: end, type: noop}
`;
    const { main, log } = await run(workflowOf('url: https://api.test/a', states), {
      secrets: { KEY: 's3 cret' },
      reply: ({ url }) => json({ wrong: `no 's3 cret' in ${url.pathname}` }, 404),
    });
    expect(main.data['error']).toEqual({
      code: 'service.http.status.404',
      msg: `GET https://api.test/a/*** answered 404 Not Found: {"wrong":"no '***' in /a/***"}`,
    });
    expect(JSON.stringify([main, log])).not.toMatch(/s3 ?(%20)?cret/);
  });

  test.each([
    'dns',
    'refused',
    'tls',
    'timeout',
    'blocked',
    'tooLarge',
    'redirects',
    'connection',
    'response',
  ] as const)('has the code of its cause: %s', async (problem) => {
    const { main } = await run(workflowOf('url: https://api.test', caught), {
      reply: () => Promise.reject(new UnreachableError('it did not work', problem)),
    });
    expect(main.data['error']).toEqual({
      code: `service.http.${problem}`,
      msg: expect.stringMatching(
        problem === 'timeout' ? /: it did not work; the function waits for 30 s, / : /: it did not work$/,
      ),
    });
  });

  test('is none if its status is expected', async () => {
    const { main } = await run(workflowOf('url: https://api.test, expect: [2xx, 404]', CALL), {
      reply: () => json({}, 404),
    });
    expect(main.data['return']).toMatchObject({ status: 404 });
  });

  test('is one with a JSON type and no JSON', async () => {
    const { main } = await run(workflowOf('url: https://api.test', caught), {
      reply: () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{') }),
    });
    expect(main.data['error']).toMatchObject({ code: 'service.http.response' });
  });

  const retrying = (more = '') => `- id: go
  type: action
  action: {function: f, retries: {max_attempts: 2, delay: PT5S, multiplier: 2, codes: [http.status.503]}}
${more}`;

  test('is retried by the machine with the same idempotency key, and waits as long as the server asks', async () => {
    const times: number[] = [];
    const web: { world?: World } = {};
    const reply: Reply = () => (times.push(0) < 3 ? json({}, 503, { 'retry-after': '60' }) : json({ ok: true }));
    const observed = await run(workflowOf('url: https://api.test, body: {a: 1}', retrying()), { reply });
    expect(web).toEqual({});
    expect(observed.main.data['return']).toMatchObject({ body: { ok: true } });
    const keys = observed.web.requests.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    expect(observed.log.filter((line) => line.startsWith('Scheduling'))).toEqual([
      'Scheduling retry attempt in: 60s.',
      'Scheduling retry attempt in: 60s.',
    ]);
    expect(observed.main.updated - observed.main.created).toBeGreaterThanOrEqual(120_000);
  });

  test('whose retries are exhausted fails with retries.exceeded', async () => {
    const { main, web } = await run(workflowOf('url: https://api.test', retrying()), { reply: () => json({}, 503) });
    expect([main.code, web.requests.length]).toEqual(['service.retries.exceeded', 3]);
  });
});

describe('calls', () => {
  test('begin after a commit, so that a state before them is not repeated', async () => {
    const states = `- {id: one, type: action, action: {function: f, input: {path: a}}, transition: two}
- {id: two, type: action, action: {function: f, input: {path: b}}}
`;
    const seen: (readonly [string, number])[] = [];
    const world: { at?: World } = {};
    const reply: Reply = async ({ url }) => {
      const runs = world.at === undefined ? [] : await runsOf(world.at);
      seen.push([url.pathname, runs[0]?.step ?? -1]);
      return json({});
    };
    const web = new ProgrammedWeb(reply);
    world.at = new World(database, { web });
    worlds.push(world.at);
    await world.at.store({ main: workflowOf('url: https://api.test', states) });
    await world.at.execute('main', '{}');
    await world.at.pass();
    expect(seen).toEqual([
      ['/a', 0],
      ['/b', 2],
    ]);
  });

  test('of a request that waits are made within it, without a machine', async () => {
    const web = new ProgrammedWeb(() => json({ n: 1 }));
    const world = new World(database, { web });
    worlds.push(world);
    await world.store({ main: workflowOf('url: https://api.test', CALL) });
    const invocation = { namespace: world.namespace, path: '/main', ref: '', input: Buffer.from('{}') };
    const { run: ended } = await executeAndWait(world.ports, invocation);
    expect([ended.status, world.started.size, web.requests.length]).toEqual(['complete', 0, 1]);
  });

  test('of a foreach are made for each element, which is their data', async () => {
    const states = '- {id: go, type: foreach, array: "jq([range(20) | {n: .}])", action: {function: f}}\n';
    const { main, web, world } = await run(workflowOf("url: 'https://api.test/jq(.n)'", states), {
      reply: ({ url }) => json({ path: url.pathname }),
    });
    expect((main.data['return'] as { body: unknown }[]).map(({ body }) => body)).toEqual(
      Array.from({ length: 20 }, (_, n) => ({ path: `/${n}` })),
    );
    expect(new Set(web.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(20);
    expect(world.started.size).toBe(1);
  });

  const parallel = (mode: string) =>
    `- {id: go, type: parallel, mode: ${mode}, actions: [{function: f, input: {path: a}}, {function: f, input: {path: b}}]}\n`;

  test('of a parallel state in mode or: the first that succeeds ends the state and aborts the other', async () => {
    const { main, web } = await run(workflowOf('url: https://api.test', parallel('or')), {
      reply: ({ url, signal }) =>
        url.pathname === '/b'
          ? json({ b: 1 })
          : new Promise((_, reject) =>
              signal?.addEventListener('abort', () => reject(new UnreachableError('aborted'))),
            ),
    });
    expect(main.data['return']).toEqual([null, expect.objectContaining({ body: { b: 1 } })]);
    expect(web.requests.length).toBe(2);
  });

  test('of a parallel state in mode and: the first failure fails the state and aborts the other', async () => {
    const { main } = await run(workflowOf('url: https://api.test', parallel('and')), {
      reply: ({ url, signal }) =>
        url.pathname === '/b'
          ? json({}, 500)
          : new Promise((_, reject) =>
              signal?.addEventListener('abort', () => reject(new UnreachableError('aborted'))),
            ),
    });
    expect(main.code).toBe('service.http.status.500');
  });

  test('of a parallel state in mode or that are retried: the first that succeeds ends the state', async () => {
    const retries = 'retries: {max_attempts: 3, delay: PT1S, codes: [http]}';
    const states = `- id: go
  type: parallel
  mode: or
  actions: [{function: f, input: {path: a}, ${retries}}, {function: f, input: {path: b}, ${retries}}]
`;
    let calls = 0;
    const { main } = await run(workflowOf('url: https://api.test', states), {
      reply: ({ url }) => (++calls > 3 && url.pathname === '/b' ? json({ b: 1 }) : json({}, 500)),
    });
    expect(main.data['return']).toEqual([null, expect.objectContaining({ body: { b: 1 } })]);
  });

  test('that may take longer than half a minute are made by the machine, and their stored input is sealed', async () => {
    const { main, web, world } = await run(
      workflowOf('url: https://api.test, timeout: PT5M, auth: {bearer: KEY}', CALL),
      { secrets: { KEY: 's3cret' }, reply: () => json({ ok: 1 }) },
    );
    expect(main.data['return']).toMatchObject({ body: { ok: 1 } });
    expect([web.requests.length, web.requests[0]?.ms]).toEqual([1, 300_000]);
    const { items } = { items: await runsOf(world) };
    expect(items).toHaveLength(1);
  });

  test('that are async are made by an execution of their own', async () => {
    const { main, web } = await run(
      workflowOf('url: https://api.test', '- {id: go, type: action, async: true, action: {function: f}}\n'),
    );
    expect([main.status, web.requests.length]).toEqual(['complete', 1]);
    expect(main.data).toEqual({});
  });

  test('that are async and fail are named in the log of the run that made them', async () => {
    const { main, log } = await run(
      workflowOf('url: https://api.test', '- {id: go, type: action, async: true, action: {function: f}}\n'),
      { reply: () => json({ wrong: 1 }, 503) },
    );
    expect(main.status).toBe('complete');
    expect(log).toContainEqual(
      expect.stringMatching(
        /^Child '[0-9a-f-]{36}' in fire-and-forget mode failed with error 'service\.http\.status\.503': /,
      ),
    );
  });

  test('in a subflow have the trace of the run that called it', async () => {
    const main =
      'functions: [{id: kid, type: subflow, workflow: kid}]\nstates: [{id: go, type: action, action: {function: kid}}]\n';
    const observed = await run(main, { others: { kid: workflowOf('url: https://api.test', CALL) } });
    const trace = observed.main.id.replaceAll('-', '');
    expect(observed.web.requests[0]?.headers['traceparent']).toContain(trace);
  });
});
