import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient } from '../access/client.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PNG = Buffer.from('89504e470d0a1a0a787878', 'hex');

const WORKFLOWS: Readonly<Record<string, string>> = {
  ident: 'states:\n- id: a\n  type: noop\n',
  wrap: 'states:\n- id: a\n  type: noop\n  transform:\n    result: jq(.)\n',
  fails: 'states:\n- id: a\n  type: error\n  error: my.code\n  message: "bad thing %s"\n  args: [jq(.x)]\n',
  crashes: 'states:\n- id: a\n  type: getter\n  variables: [{key: nope, scope: system}]\n',
  listens: 'start:\n  type: event\n  event: {type: greeting}\nstates:\n- id: a\n  type: noop\n',
  off: 'states:\n- id: a\n  type: noop\n',
  slow: 'timeouts: {interrupt: PT1S}\nstates:\n- id: a\n  type: noop\n  transition: b\n- id: b\n  type: noop\n  transition: a\n',
};

let client: Client;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/demo');
  for (const [name, body] of Object.entries(WORKFLOWS))
    await client.call('PUT', `${at(name)}?op=create-workflow`, { body });
  await client.call('PUT', `${at('dir')}?op=create-directory`);
  await client.call('POST', `${at('off')}?op=toggle`, { json: { live: false } });
});

afterAll(() => client.close());

const at = (name: string) => `/api/namespaces/demo/tree/${name}`;

const wait = (name: string, query = '', body?: string | Uint8Array) =>
  client.call(body === undefined ? 'GET' : 'POST', `${at(name)}?op=wait${query}`, body === undefined ? {} : { body });

describe('the input of op=wait', () => {
  test.each([
    ['', {}],
    ['&input.x=1', { x: '1' }],
    ['&input.x=1&input.x=2', { x: ['1', '2'] }],
    ['&input.=1&input.c=', { '': '1', c: '' }],
    ['&input.a.b=1', { 'a.b': '1' }],
    ['&input.__proto__=1', JSON.parse('{"__proto__":"1"}')],
    ['&inputx=1&x=2', {}],
  ])('without a body is made from the query %s', async (query, result) => {
    expect((await wait('wrap', query)).json()).toEqual({ result });
    expect((await client.call('POST', `${at('wrap')}?op=wait${query}`)).json()).toEqual({ result });
  });

  test.each([
    ['{"a":1}', { a: 1 }],
    ['"str"', { input: 'str' }],
    ['null', { input: null }],
    ['5', { input: 5 }],
    ['[1]', { input: [1] }],
    ['plain words', { input: 'cGxhaW4gd29yZHM=' }],
    ['{broken', { input: 'e2Jyb2tlbg==' }],
    [new Uint8Array([0xff, 0xfe]), { input: '//4=' }],
  ])('with the body %s is that body, whatever the query is', async (body, result) => {
    expect((await wait('wrap', '&input.z=1', body)).json()).toEqual({ result });
  });
});

describe('the reply of op=wait', () => {
  const output = {
    s: 'str',
    n: 5,
    nul: null,
    o: { k: [1] },
    b64: PNG.toString('base64'),
    b64t: 'aGVsbG8gd29ybGQ=',
    html: '<html><body>x</body></html>',
    arr: [1, 2],
    t: true,
    q: 'say "hi"\n',
    empty: '',
    xml: '<?xml version="1.0"?><a/>',
    four: 'abcd',
    private: 'hidden',
  };
  const body = JSON.stringify(output);

  test('is the output, indented and with ordered keys, without private', async () => {
    const answer = await wait('ident', '', '{"b":"<&>","private":1,"a":[]}');
    expect(answer.text).toBe('{\n  "a": [],\n  "b": "\\u003c\\u0026\\u003e"\n}');
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('content-length')).toBe(String(answer.bytes.length));
    const id = answer.headers.get('service-instance-id');
    expect(id).toMatch(UUID);
    expect(answer.headers.get('direktiv-instance-id')).toBe(id);
    const shown = (await client.call('GET', `/api/namespaces/demo/instances/${id}`)).json();
    expect(shown['instance']).toMatchObject({ id, status: 'complete', as: '/ident', invoker: 'api' });
  });

  test.each([
    ['field=s', '"str"', 'application/json'],
    ['field=n', '5', 'application/json'],
    ['field=nul', 'null', 'application/json'],
    ['field=o', '{"k":[1]}', 'application/json'],
    ['field=html', '"\\u003chtml\\u003e\\u003cbody\\u003ex\\u003c/body\\u003e\\u003c/html\\u003e"', 'application/json'],
    ['field=missing', 'null', 'application/json'],
    ['field=constructor', 'null', 'application/json'],
    ['field=__proto__', 'null', 'application/json'],
    ['field=private', 'null', 'application/json'],
    ['field=s&raw-output=true', 'str', 'text/plain; charset=utf-8'],
    ['field=n&raw-output=true', '5', 'application/json'],
    ['field=nul&raw-output=true', '', 'text/plain'],
    ['field=missing&raw-output=1', '', 'text/plain'],
    ['field=empty&raw-output=T', '', 'text/plain'],
    ['field=o&raw-output=true', '{"k":[1]}', 'application/json'],
    ['field=b64t&raw-output=true', 'hello world', 'text/plain; charset=utf-8'],
    ['field=b64t&raw-output=no', '"aGVsbG8gd29ybGQ="', 'application/json'],
    ['field=html&raw-output=true', '<html><body>x</body></html>', 'text/html; charset=utf-8'],
    ['field=xml&raw-output=true', '<?xml version="1.0"?><a/>', 'text/xml; charset=utf-8'],
    ['field=q&raw-output=true', 'say "hi"\n', 'text/plain; charset=utf-8'],
    ['field=s&ctype=text/csv', '"str"', 'text/csv'],
    ['field=s&ctype=', '"str"', 'application/json'],
  ])('with %s', async (query, text, type) => {
    const answer = await wait('ident', `&${query}`, body);
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([200, text, type]);
  });

  test('has the bytes of a base64 text, and cannot be executed by a browser', async () => {
    const answer = await wait('ident', '&field=b64&raw-output=true', body);
    expect(Buffer.from(answer.bytes)).toEqual(PNG);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toBe('sandbox');
    const four = await wait('ident', '&field=four&raw-output=true', body);
    expect(Buffer.from(four.bytes).toString('hex')).toBe('69b71d');
    expect((await wait('ident', '&field=b64&raw-output=true&ctype=image/jpeg', body)).headers.get('content-type')).toBe(
      'image/jpeg',
    );
  });

  test('is the complete output with raw-output only', async () => {
    expect((await wait('ident', '&raw-output=true', '{}')).text).toBe('{}');
    expect(JSON.parse((await wait('ident', '&raw-output=true', body)).text)).toEqual({ ...output, private: undefined });
  });
});

describe('a run that fails', () => {
  test('returns 500 with a clear message, and its error in two headers of each brand', async () => {
    const answer = await wait('fails', '', '{"x":"foo"}');
    const id = answer.headers.get('service-instance-id');
    expect(answer.status).toBe(500);
    expect(answer.text).toBe(`An error occurred executing instance ${id}: my.code: bad thing foo\n`);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    for (const brand of ['service', 'direktiv']) {
      expect(answer.headers.get(`${brand}-instance-error-code`)).toBe('my.code');
      expect(answer.headers.get(`${brand}-instance-error-message`)).toBe('bad thing foo');
    }
  });

  test('with a cause inside the service has no reason and no error headers', async () => {
    const answer = await wait('crashes', '', '{}');
    const id = answer.headers.get('service-instance-id');
    expect(answer.status).toBe(500);
    expect(answer.text).toBe(`An internal error occurred executing instance: ${id}\n`);
    expect(answer.headers.get('service-instance-error-code')).toBeNull();
    const shown = (await client.call('GET', `/api/namespaces/demo/instances/${id}`)).json();
    const failure = {
      status: 'crashed',
      errorCode: 'service.internal.error',
      errorMessage: 'an internal error occurred',
    };
    expect(shown['instance']).toMatchObject(failure);
  });

  test('by its own timeout has a clear message', async () => {
    const answer = await wait('slow', '', '{}');
    expect(answer.status).toBe(500);
    expect(answer.headers.get('service-instance-error-code')).toBe('service.cancels.timeout.soft');
    expect(answer.text).toContain('operation timed out');
  });
});

describe('op=execute', () => {
  test('returns the id of the instance at once, and the input is stored', async () => {
    const answer = await client.call('POST', `${at('ident')}?op=execute`, { json: { a: 1 } });
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({ namespace: 'demo', instance: expect.stringMatching(UUID) });
    const path = `/api/namespaces/demo/instances/${answer.json()['instance']}/input`;
    const { data } = (await client.call('GET', path)).json();
    expect(JSON.parse(Buffer.from(String(data), 'base64').toString())).toEqual({ a: 1 });
  });

  test('by GET starts nothing and returns the node', async () => {
    expect((await client.call('GET', `${at('ident')}?op=execute`)).json()['node']?.['name']).toBe('ident');
  });
});

describe('a start that is rejected', () => {
  const starts = [
    ['execute', (path: string, query: string) => client.call('POST', `${path}?op=execute${query}`)],
    ['wait', (path: string, query: string) => client.call('POST', `${path}?op=wait${query}`)],
    ['wait', (path: string, query: string) => client.call('GET', `${path}?op=wait${query}`)],
  ] as const;

  const cases: readonly (readonly [string, string, number, string])[] = [
    [at('nope'), '', 404, "inode not found at '/nope'"],
    ['/api/namespaces/nosuch/tree/wf', '', 404, 'namespace not found'],
    [at('ident'), '&ref=nope', 404, 'ref not found'],
    [at('dir'), '', 500, 'not a workflow'],
    [at(''), '', 500, 'not a workflow'],
    [at('listens'), '', 500, 'cannot manually invoke event-based workflow'],
    [at('off'), '', 500, 'cannot execute disabled workflow'],
  ];

  test.each(cases)('%s%s returns %i', async (path, query, status, message) => {
    for (const [, start] of starts) {
      const answer = await start(path, query);
      expect(answer.json()).toEqual({ code: status, message, Error: message, StatusCode: status });
      expect(answer.headers.get('service-instance-id')).toBeNull();
    }
  });

  test('creates no instance, and a workflow that is enabled again runs', async () => {
    const list = (
      await client.call('GET', '/api/namespaces/demo/instances?filter.field=AS&filter.type=CONTAINS&filter.val=off')
    ).json();
    expect(list['instances']?.['results']).toEqual([]);
    await client.call('POST', `${at('off')}?op=toggle`, { json: { live: true } });
    expect((await wait('off')).status).toBe(200);
  });

  test('with an invalid content type of the reply is 400, and nothing runs', async () => {
    for (const type of ['text/html\r\nX-Injected: 1', 'nonsense', 'text/plain; é', `a/${'b'.repeat(300)}`]) {
      const answer = await wait('ident', `&ctype=${encodeURIComponent(type)}`, '{}');
      expect(answer.status).toBe(400);
      expect(answer.json()['message']).toContain('ctype is not a media type');
      expect(answer.headers.get('x-injected')).toBeNull();
    }
  });

  test('by the ref of a saved revision starts that revision', async () => {
    const old = (await client.call('GET', at('wrap'))).json()['revision']?.['name'];
    await client.call('POST', `${at('wrap')}?op=save-workflow`);
    await client.call('POST', `${at('wrap')}?op=update-workflow`, { body: WORKFLOWS['ident'] ?? '' });
    expect((await wait('wrap', `&ref=${old}`)).json()).toEqual({ result: {} });
    expect((await wait('wrap', '&ref=latest')).json()).toEqual({});
  });
});
