import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, openClient, rowsOf } from '../access/client.ts';
import { type RawAnswer, sendRaw } from '../access/raw.ts';

const NOOP = 'states:\n- id: a\n  type: noop\n';
const MIB = 1024 * 1024;

let client: Client;
/** The content of the namespace before the invalid requests. */
let whole: string;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/bad');
  await client.call('PUT', at('/wf?op=create-workflow'), { body: NOOP });
  whole = await contents();
});

/** After all invalid requests the content is unchanged, and the service replies. */
afterEach(async () => {
  expect(await contents()).toBe(whole);
});

afterAll(() => client.close());

const at = (path: string): string => `/api/namespaces/bad/tree${path}`;

async function contents(): Promise<string> {
  const [namespaces, tree, instances, keys] = await Promise.all(
    ['/api/namespaces', at(''), '/api/namespaces/bad/instances', '/api/keys'].map((path) => client.call('GET', path)),
  );
  return [namespaces?.text, tree?.text, instances?.text, keys?.text].join('\n');
}

const send = (method: string, path: string, body?: string | Uint8Array): Promise<RawAnswer> => {
  const headers = { 'Service-Api-Key': client.key };
  return sendRaw(client.url, method, path, { headers, ...(body === undefined ? {} : { body }) });
};

/** A list of more values than a document may have, in few bytes. */
const CROWD = `[${'0,'.repeat(500_001)}0]`;

/** The status and the message of an error reply, whose shape is checked. */
function refusalOf({ status, text }: RawAnswer | Answer): [number, string] {
  const { code, message, Error: again, StatusCode: number } = JSON.parse(text) as Record<string, unknown>;
  expect([code, number, again]).toEqual([status, status, message]);
  expect(text).not.toMatch(/\bat .*\.(ts|js):\d+|node_modules|internal error/);
  return [status, String(message)];
}

const create = (body: string | Uint8Array) => send('PUT', at('/new?op=create-workflow'), body);
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('an invalid workflow', () => {
  const aliases = Array.from({ length: 10_000 }, (_, index) => `k${index}: *x`).join(', ');
  const list = (name: string, item: string) =>
    `${name}: &${name} [${Array.from({ length: 10 }, () => item).join(', ')}]`;
  const bomb = ['bcdefgh'].flatMap((names) =>
    [...names].map((name, index) => list(name, index === 0 ? '1' : `*${names[index - 1]}`)),
  );
  const transform = (text: string) => `x: &x 1\nstates:\n- id: a\n  type: noop\n  transform: ${text}\n`;

  test.each([
    ['nothing', '', 'workflow has no defined states'],
    ['null', 'null', 'workflow has no defined states'],
    ['one word', 'hello', /^yaml: unmarshal errors:\n {2}line 1: cannot unmarshal !!str `hello`/],
    ['broken YAML', 'states: [', /^yaml: line 1: /],
    ['a tab', 'states:\n\t- id: a\n', /^yaml: line 2: /],
    ['JSON of the wrong kind', '{"states":{}}', /states/],
    ['an unknown field', 'id: x\nstates:\n- id: a\n  type: noop\n', 'failed to decode workflow: unknown field "id"'],
    [
      'an unknown field of a state',
      'states:\n- id: a\n  type: noop\n  foo: 1\n',
      'failed to decode state[0]: unknown field "foo"',
    ],
    [
      '__proto__ as a field',
      '__proto__: {states: []}\nstates:\n- id: a\n  type: noop\n',
      'failed to decode workflow: unknown field "__proto__"',
    ],
    ['__proto__ as an id', 'states:\n- id: __proto__\n  type: noop\n', /^state\[0\]: state id must match/],
    ['constructor as a type', 'states:\n- id: a\n  type: constructor\n', /^state\[0\]: type unrecognized/],
    ['a number as an id', 'states:\n- id: 1\n  type: noop\n', /state\[0\]/],
    [
      'a transition to nowhere',
      'states:\n- id: a\n  type: noop\n  transition: tostring\n',
      /'tostring' does not exist/,
    ],
    ['a NUL', 'description: "\0"\nstates:\n- id: a\n  type: noop\n', /control characters are not allowed/],
    ['10,000 aliases', transform(`{${aliases}}`), /excessive aliasing/],
    ['aliases of aliases', `${bomb.join('\n')}\n${NOOP}`, /excessive aliasing/],
    ['an alias of itself', 'states: &s\n- *s\n', /yaml|state/],
    ['20,000 levels', `states: ${nested(20_000)}`, /exceeded max depth of 100/],
    ['20,000 levels of blocks', `${'- '.repeat(20_000)}a`, /exceeded max depth of 100/],
    ['more than a mebibyte', `description: ${'x'.repeat(2 * MIB)}\n${NOOP}`, /longer than 1048576 characters/],
    ['bytes of another encoding', Buffer.from('description: "\xff\xfe"\nstates: []\n', 'latin1'), /not UTF-8/],
  ])('with %s is 406 with the reason', async (_, body, message) => {
    const [status, words] = refusalOf(await create(body));
    expect(status).toBe(406);
    expect(words).toMatch(message);
    expect(refusalOf(await send('POST', at('/wf?op=update-workflow'), body))).toEqual([406, words]);
  });

  test('has problems with line, column and message', async () => {
    const answer = await create('states:\n- id: a\n  type: nop\n  transition: b\n- type: noop\n');
    const { problems } = JSON.parse(answer.text);
    expect(problems.length).toBeGreaterThan(1);
    for (const { line, column, message, text } of rowsOf(problems)) {
      expect(text).toContain(`${line}:${column}: ${message}`);
    }
  });
});

describe('a body above the size limit', () => {
  const large = Buffer.alloc(33 * MIB, 97);

  test.each([
    ['PUT', at('/new?op=create-workflow')],
    ['POST', at('/wf?op=execute')],
    ['POST', at('/wf?op=wait')],
    ['POST', '/api/jq'],
  ])('is 413 for %s %s, with two HTTP clients', async (method, path) => {
    const expected = [413, 'request payload too large: at most 33554432 bytes'];
    expect(refusalOf(await send(method, path, large))).toEqual(expected);
    expect(refusalOf(await client.call(method, path, { body: large }))).toEqual(expected);
  });

  test('is 401 without a key: it is not read', async () => {
    const answer = await client.call('POST', at('/wf?op=execute'), { body: large, key: 'wrong' });
    expect(refusalOf(answer)[0]).toBe(401);
  });

  test('is 413 also without a declared length', async () => {
    const headers = { 'Service-Api-Key': client.key, 'Transfer-Encoding': 'chunked' };
    const answer = sendRaw(client.url, 'POST', at('/wf?op=execute'), { headers, body: large });
    expect(refusalOf(await answer)[0]).toBe(413);
  });
});

describe('a body of too many JSON values', () => {
  const base64 = Buffer.from(CROWD).toString('base64');

  test.each([
    [
      'POST',
      at('/wf?op=execute'),
      CROWD,
      400,
      'the input is of more than 500000 values, of which each different key of its objects counts as ten, and a list or object one more for each 64 that it is in; send less of it',
    ],
    [
      'POST',
      at('/wf?op=wait'),
      CROWD,
      400,
      'the input is of more than 500000 values, of which each different key of its objects counts as ten, and a list or object one more for each 64 that it is in; send less of it',
    ],
    [
      'POST',
      '/api/keys',
      CROWD,
      413,
      'request payload too large: at most 500000 values, of which each different key of its objects counts as ten, and a list or object one more for each 64 that it is in',
    ],
    [
      'POST',
      '/api/jq',
      `{"query":".","data":"${base64}"}`,
      400,
      'invalid json data: of more than 500000 values, of which each different key of its objects counts as ten, and a list or object one more for each 64 that it is in',
    ],
  ])('is refused by %s %s', async (method, path, body, status, message) => {
    expect(refusalOf(await send(method, path, body))).toEqual([status, message]);
  });
});

describe('a path without a resource', () => {
  const long = 'a'.repeat(3000);
  const many = 'a/'.repeat(3000);

  test.each([
    ['GET', at(`/${long}`), 404, `inode not found at '/${long}'`],
    ['GET', at(`/${many}`), 404, "inode not found at '/a'"],
    ['PUT', at(`/${many}?op=create-directory`), 404, "inode not found at '/a'"],
    ['PUT', at(`/${long}?op=create-directory`), 406, 'one or more fields has an invalid value'],
    ['GET', `/api/namespaces/${long}/tree`, 404, 'namespace not found'],
    ['GET', `/api/namespaces/${long}/instances`, 404, 'namespace not found'],
    ['PUT', `/api/namespaces/${long}`, 406, 'one or more fields has an invalid value'],
    ['DELETE', `/api/namespaces/${long}`, 404, 'namespace not found'],
    ['GET', at(`/wf?ref=${long}`), 404, 'ref not found'],
    ['GET', at('/wf?op=wait&ref=%00'), 404, 'ref not found'],
    ['DELETE', `/api/keys/${long}`, 404, 'key not found'],
    ['GET', `/api/namespaces/bad/instances/${long}`, 500, 'invalid UUID length: 3000'],
    ['GET', at('/a%00b'), 404, "inode not found at '/a\0b'"],
    ['GET', at('/wf%00'), 404, "inode not found at '/wf\0'"],
    ['PUT', at('/a%00b?op=create-directory'), 406, 'one or more fields has an invalid value'],
    ['PUT', '/api/namespaces/a%00b', 406, 'one or more fields has an invalid value'],
    ['GET', '/api/namespaces/a%2Fb/tree', 404, 'namespace not found'],
    ['GET', '/api/namespaces/BAD/tree', 404, 'namespace not found'],
    ['GET', at('/WF'), 404, "inode not found at '/WF'"],
    ['GET', at('/wf/below'), 404, "inode not found at '/wf/below'"],
    ['GET', '/api/namespaces/__proto__/tree', 404, 'namespace not found'],
    ['GET', '/api/namespaces/constructor/config', 404, 'namespace not found'],
    ['POST', at('/wf?op=rename-node'), 500, 'EOF'],
  ])('%s %.60s is rejected', async (method, path, status, message) => {
    expect(refusalOf(await send(method, path))).toEqual([status, message]);
  });

  test('in a directory or namespace that was just deleted is rejected', async () => {
    await client.call('PUT', '/api/namespaces/brief');
    await client.call('PUT', '/api/namespaces/brief/tree/d?op=create-directory');
    await client.call('GET', '/api/namespaces/brief/tree/d');
    await client.call('DELETE', '/api/namespaces/brief/tree/d?op=delete-node');
    const path = '/api/namespaces/brief/tree/d/wf?op=create-workflow';
    expect(refusalOf(await send('PUT', path, NOOP))).toEqual([404, "inode not found at '/d'"]);
    await client.call('DELETE', '/api/namespaces/brief');
    expect(refusalOf(await send('PUT', path, NOOP))).toEqual([404, 'namespace not found']);
  });
});

describe('an input that is too deep or too long', () => {
  test.each([5000, 100_000])('with %i levels is 400, and nothing runs', async (levels) => {
    const message = 'the input is nested deeper than 1000 levels; send less of it';
    for (const op of ['execute', 'wait']) {
      expect(refusalOf(await send('POST', at(`/wf?op=${op}`), nested(levels)))).toEqual([400, message]);
    }
  });

  test('with very long names is rejected with a short message', async () => {
    const long = 'x'.repeat(2_000_000);
    const [status, message] = refusalOf(await send('POST', at('/wf?op=toggle'), JSON.stringify({ [long]: true })));
    expect([status, message.length]).toEqual([500, 'json: unknown field ""'.length + 200]);
    const home = '/api/functions/registries/private';
    const [, words] = refusalOf(await send('POST', home, JSON.stringify({ [long]: 1 })));
    expect(words).toMatch(/^json: cannot unmarshal number into Go value of type string \(field x{200}\)$/);
  });

  test.each(['live', '__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'as the member %s of a settings body is rejected',
    async (name) => {
      const [status, message] = refusalOf(await send('POST', at('/wf?op=toggle'), `{"${name}":${nested(100_000)}}`));
      expect(status).toBe(500);
      expect(message).toMatch(
        name === 'live'
          ? 'cannot unmarshal array into Go struct field ToggleWorkflowRequest.live of type bool'
          : `json: unknown field "${name}"`,
      );
      expect(refusalOf(await send('POST', at('/wf?op=toggle'), `{"${name}":{"a":1}}`))[0]).toBe(500);
    },
  );
});
