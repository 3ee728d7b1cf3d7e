import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, openClient } from '../access/client.ts';

const WORKFLOWS: Readonly<Record<string, string>> = {
  ident: 'states:\n- id: a\n  type: noop\n',
  wraps: 'states:\n- id: a\n  type: noop\n  transform: {__proto__: {x: 1}, constructor: 2, y: jq(.)}\n',
  touches: 'states:\n- id: a\n  type: noop\n  transform: "jq(.seen = (. | tojson | length))"\n',
  gets: 'states:\n- id: a\n  type: getter\n  variables: [{key: constructor, scope: instance}, {key: v, as: __proto__, scope: instance}]\n',
  sets: 'states:\n- id: a\n  type: setter\n  variables: [{key: constructor, scope: workflow, value: jq(.v), mimeType: application/json}]\n  transition: tostring\n- id: tostring\n  type: getter\n  variables: [{key: constructor, scope: workflow}]\n',
  misnames: 'states:\n- id: a\n  type: setter\n  variables: [{key: __proto__, scope: instance, value: 1}]\n',
  injects: 'states:\n- id: a\n  type: error\n  error: "a\\r\\nX-Injected: 1"\n  message: "b\\r\\nX-Injected: 2 é"\n',
  deepens: 'states:\n- id: a\n  type: noop\n  transform: "jq({a: .})"\n  transition: a\n',
  doubles: 'states:\n- id: a\n  type: noop\n  transform: "jq({a: (.a + .a)})"\n  transition: a\n',
  shares: 'states:\n- id: a\n  type: noop\n  transform: "jq({a: ., b: .})"\n  transition: a\n',
  recurses: 'states:\n- id: a\n  type: noop\n  transform: "jq({a: reduce range(20000) as $i (0; [.])})"\n',
  caught:
    'states:\n- id: a\n  type: noop\n  transform: "jq({a: .})"\n  transition: a\n  catch: [{error: service.jq.badCommand}]\n',
};

let client: Client;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/odd');
  for (const [name, body] of Object.entries(WORKFLOWS)) {
    const stored = await client.call('PUT', `/api/namespaces/odd/tree/${name}?op=create-workflow`, { body });
    expect(stored.status, stored.text).toBe(200);
  }
});

afterAll(() => client.close());

const wait = (name: string, body = '{}') => client.call('POST', `/api/namespaces/odd/tree/${name}?op=wait`, { body });
const codeOf = ({ headers }: Answer) => headers.get('service-instance-error-code');

describe('unusual input', () => {
  test('with names of Object.prototype members is returned unchanged', async () => {
    const body = '{"__proto__":{"z":1},"constructor":2,"hasOwnProperty":3}';
    expect((await wait('ident', body)).text.replace(/\s/g, '')).toBe(body);
    const wrapped = '{"__proto__":{"x":1},"constructor":2,"y":{"__proto__":{"z":1}}}';
    expect((await wait('wraps', '{"__proto__":{"z":1}}')).text.replace(/\s/g, '')).toBe(wrapped);
    expect(JSON.parse((await wait('touches', body)).text)).toMatchObject({ seen: body.length });
  });

  test('with half a surrogate pair is returned with the replacement character', async () => {
    expect((await wait('ident', '{"a\\ud800":"\\udfff"}')).text).toBe('{\n  "a\ufffd": "\ufffd"\n}');
    expect((await wait('touches', '{"a":"\\ud800"}')).status).toBe(200);
  });

  test('with NUL characters is returned unchanged', async () => {
    expect((await wait('ident', '{"a\\u0000":"\\u0000"}')).text).toBe('{\n  "a\\u0000": "\\u0000"\n}');
    expect(JSON.parse((await wait('touches', '{"a":"\\u0000"}')).text)).toMatchObject({ a: '\0' });
  });

  test('with the maximum number of levels is returned unchanged', async () => {
    const body = `{"a":${'['.repeat(999)}${']'.repeat(999)}}`;
    expect((await wait('ident', body)).text.replace(/\s/g, '')).toBe(body);
    expect((await wait('ident', `{"a":${'['.repeat(1000)}${']'.repeat(1000)}}`)).status).toBe(400);
  });

  test('of 31 MiB is run, and returned completely', async () => {
    const body = JSON.stringify({ a: 'x'.repeat(31 * 1024 * 1024) });
    const answer = await wait('ident', body);
    expect(answer.status).toBe(200);
    expect(answer.bytes.length).toBe(body.length + '\n  ".": \n'.length - '".":'.length);
  });
});

describe('variables with unusual names', () => {
  test('are stored and read, and are null before', async () => {
    expect((await wait('gets')).text.replace(/\s/g, '')).toBe('{"var":{"__proto__":null,"constructor":null}}');
    expect(JSON.parse((await wait('sets', '{"v":{"__proto__":1}}')).text).var).toEqual({
      constructor: JSON.parse('{"__proto__":1}'),
    });
  });

  test('that are invalid fail the run with a clear message', async () => {
    const answer = await wait('misnames');
    expect([answer.status, codeOf(answer)]).toEqual([500, 'service.var.invalidKey']);
    expect(answer.text).toContain('(got: __proto__)');
  });
});

describe('an error with line breaks', () => {
  test('adds no header', async () => {
    const answer = await wait('injects');
    expect(answer.headers.get('x-injected')).toBeNull();
    expect(codeOf(answer)).toBe('a  X-Injected: 1');
    expect(answer.headers.get('service-instance-error-message')).toMatch(/^b {2}X-Injected: 2/);
    expect(answer.text).toContain('X-Injected: 2 é');
  });
});

describe('a workflow whose data grows without limit', () => {
  // Either limit may be reached first: that of the data, that of the query engine or, on a slow machine, the deadline.
  test.each([
    ['deepens', /nested/],
    ['doubles', /longer than|too large|out of memory|timeout/],
    ['shares', /longer than|too large|out of memory|timeout/],
    ['recurses', /out of memory|nested|timeout/],
  ])('fails when it %s, with the reason, by both ways to start it', async (name, reason) => {
    const waited = await wait(name, '{"a":"xxxxxxxx"}');
    expect([waited.status, codeOf(waited)]).toEqual([500, 'service.jq.badCommand']);
    expect(waited.text).toMatch(reason);
    const started = await client.call('POST', `/api/namespaces/odd/tree/${name}?op=execute`, {
      body: '{"a":"xxxxxxxx"}',
    });
    const path = `/api/namespaces/odd/instances/${started.json()['instance']}`;
    const statusNow = async () => (await client.call('GET', path)).json()['instance']?.['status'];
    await expect.poll(statusNow, { timeout: 120_000 }).toBe('failed');
  });

  test('can catch the error', async () => {
    expect((await wait('caught')).json()['error']?.['code']).toBe('service.jq.badCommand');
  });
});
