import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, type Json, openClient, rowsOf } from '../access/client.ts';

const KID = 'states:\n- id: echo\n  type: noop\n';

let client: Client;
let spaces = 0;

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

/** A separate namespace for a test. */
class Space {
  readonly name = `secrets-${++spaces}`;
  readonly home = `/api/namespaces/${this.name}`;

  async open(): Promise<this> {
    expect((await client.call('PUT', this.home)).status).toBe(200);
    return this;
  }

  put = (name: string, body: string | Uint8Array = 'value') =>
    client.call('PUT', `${this.home}/secrets/${name}`, { body });
  patch = (name: string, body: string) => client.call('PATCH', `${this.home}/secrets/${name}`, { body });
  remove = (name: string) => client.call('DELETE', `${this.home}/secrets/${name}`);
  get = (rest = '') => client.call('GET', `${this.home}/secrets${rest}`);
  names = async (rest = '') => namesOf(await this.get(rest));

  async store(path: string, source: string): Promise<void> {
    const stored = await client.call('PUT', `${this.home}/tree/${path}?op=create-workflow`, { body: source });
    expect(stored.status, stored.text).toBe(200);
  }

  run = (path: string, input: unknown = {}) =>
    client.call('POST', `${this.home}/tree/${path}?op=wait`, { json: input });

  /** The value of a secret as a child receives it. */
  async valueOf(name: string): Promise<unknown> {
    await client.call('DELETE', `${this.home}/tree/reads?op=delete-node`);
    await client.call('PUT', `${this.home}/tree/kid?op=create-workflow`, { body: KID });
    await this.store(
      'reads',
      'functions: [{id: kid, type: subflow, workflow: kid}]\nstates:\n- id: a\n  type: action\n' +
        `  action: {function: kid, secrets: ['${name}'], input: {value: 'jq(.secrets["${name}"])'}}\n`,
    );
    return (await this.run('reads')).json()['return']?.['value'];
  }
}

const open = (): Promise<Space> => new Space().open();
const namesOf = (answer: Answer): unknown[] => {
  expect(answer.status, answer.text).toBe(200);
  return rowsOf((answer.json()['secrets'] as Json)['results']).map(({ name }) => name);
};
const messageOf = ({ status, text }: Answer): [number, string] => [status, String(JSON.parse(text).message)];

describe('a secret', () => {
  test('is created, and listed by name without its value', async () => {
    const space = await open();
    const made = await space.put('TOKEN', 'top-secret-value');
    expect([made.status, made.json()]).toEqual([200, { namespace: space.name, key: 'TOKEN' }]);
    const list = await space.get();
    expect(list.json()).toMatchObject({
      namespace: space.name,
      secrets: { pageInfo: { total: 1 }, results: [{ name: 'TOKEN', initialized: true }] },
    });
    for (const answer of [list, await space.get('/TOKEN'), await space.get('?op=search&term=TOK')]) {
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain('top-secret');
    }
  });

  test('gets another value by PUT and by PATCH, which workflows read at once', async () => {
    const space = await open();
    await space.put('A', 'one');
    expect(await space.valueOf('A')).toBe('one');
    expect((await space.put('A', 'two')).json()).toEqual({ namespace: space.name, key: 'A' });
    expect(await space.valueOf('A')).toBe('two');
    expect((await space.patch('A', 'three')).json()).toEqual({ namespace: space.name, key: 'A' });
    expect(await space.valueOf('A')).toBe('three');
    expect(await space.names()).toEqual(['A']);
  });

  test('that a stored workflow names is listed before it has a value', async () => {
    const space = await open();
    const caller = (name: string) =>
      `functions: [{id: kid, type: subflow, workflow: kid}]\nstates: [{id: a, type: action, action: {function: kid, secrets: [${name}]}}]`;
    await space.put('SET');
    await space.store('one', caller('SET, MISSING, deep/er'));
    const states = async () => rowsOf(((await space.get()).json()['secrets'] as Json)['results']);
    expect(await states()).toEqual([
      { name: 'MISSING', initialized: false },
      { name: 'SET', initialized: true },
      { name: 'deep/', initialized: true },
    ]);
    await space.put('MISSING', 'now');
    expect(await states()).toContainEqual({ name: 'MISSING', initialized: true });
    expect(await space.valueOf('MISSING')).toBe('now');
  });

  test('that does not exist is not created by PATCH', async () => {
    const space = await open();
    expect(messageOf(await space.patch('A', 'x'))).toEqual([404, "secret 'A' not found"]);
    expect(await space.names()).toEqual([]);
  });

  test('can be deleted once', async () => {
    const space = await open();
    await space.put('A');
    const gone = await space.remove('A');
    expect([gone.status, gone.text]).toEqual([200, '']);
    expect(messageOf(await space.remove('A'))).toEqual([404, "secret 'A' not found"]);
    expect(await space.names()).toEqual([]);
  });

  test.each(['Grüße, "quoted" \\ and\nlines 🔑', '{"a":1}', ' ', '0'])(
    'keeps the value %j unchanged',
    async (value) => {
      const space = await open();
      await space.put('A', value);
      expect(await space.valueOf('A')).toBe(value);
    },
  );

  test('has at most 65,536 bytes', async () => {
    const space = await open();
    const longest = 'x'.repeat(65_536);
    expect((await space.put('A', longest)).status).toBe(200);
    expect(await space.valueOf('A')).toBe(longest);
    expect(messageOf(await space.put('A', `${longest}x`))).toEqual([
      413,
      'the value has 65537 bytes; a secret has at most 65536',
    ]);
    expect(await space.valueOf('A')).toBe(longest);
  });

  test('must have a value', async () => {
    const space = await open();
    expect(messageOf(await space.put('A', ''))).toEqual([
      500,
      expect.stringMatching(/^name, namespace and secret values are required/),
    ]);
    expect(await space.names()).toEqual([]);
  });

  test.each(['a%20b', '9a', '-', 'a-', 'a.', '%C3%A4', `a${'b'.repeat(1000)}`])(
    'cannot have the name %s',
    async (name) => {
      const space = await open();
      expect(messageOf(await space.put(name))).toEqual([
        500,
        expect.stringMatching(/^secret name must match the regex pattern `/),
      ]);
      expect((await space.remove(name)).status).toBe(404);
      expect(await space.names()).toEqual([]);
    },
  );

  test('of an unknown namespace is 404', async () => {
    const nowhere = new Space();
    for (const answer of await Promise.all([
      nowhere.get(),
      nowhere.get('/A'),
      nowhere.get('?op=search'),
      nowhere.put('A'),
      nowhere.patch('A', 'x'),
      nowhere.remove('A'),
    ])) {
      expect(messageOf(answer)).toEqual([404, 'namespace not found']);
    }
  });

  test('belongs to one namespace, and is deleted with it', async () => {
    const [one, two] = [await open(), await open()];
    await one.put('A', 'of one');
    await two.put('A', 'of two');
    expect([await one.valueOf('A'), await two.valueOf('A')]).toEqual(['of one', 'of two']);
    expect((await client.call('DELETE', `${one.home}?recursive=true`)).status).toBe(200);
    await one.open();
    expect(await one.names()).toEqual([]);
    expect(await two.valueOf('A')).toBe('of two');
  });

  test('is stored for each of many concurrent requests that are the first in a namespace', async () => {
    const space = await open();
    const names = Array.from({ length: 8 }, (_, index) => `N${index}`);
    const answers = await Promise.all(names.map((name) => space.put(name, `value of ${name}`)));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    for (const name of names) expect(await space.valueOf(name)).toBe(`value of ${name}`);
  });
});

describe('folders of secrets', () => {
  const filled = async (): Promise<Space> => {
    const space = await open();
    for (const name of ['a', 'f/one', 'f/two', 'f/g/three', 'fx', 'h/']) {
      expect((await space.put(name, name.endsWith('/') ? '' : 'x')).json()['key']).toBe(name);
    }
    return space;
  };

  test('contain their own level, with the whole path of each name', async () => {
    const space = await filled();
    expect(await space.names()).toEqual(['a', 'f/', 'fx', 'h/']);
    expect(await space.names('/f/')).toEqual(['f/g/', 'f/one', 'f/two']);
    expect(await space.names('/f/g/')).toEqual(['f/g/three']);
    expect(await space.names('/h/')).toEqual([]);
    expect(await space.names('/f/one')).toEqual(['f/one']);
    expect(await space.names('/nosuch')).toEqual([]);
  });

  test('are searched at all levels', async () => {
    const space = await filled();
    expect(await space.names('?op=search&term=e')).toEqual(['f/g/three', 'f/one']);
    expect(await space.names('?op=search')).toEqual(['a', 'f/g/three', 'f/one', 'f/two', 'fx']);
    expect(await space.names('?op=search&term=zz')).toEqual([]);
  });

  test('are deleted with their content, and nothing else', async () => {
    const space = await filled();
    expect((await space.remove('f/')).status).toBe(200);
    expect(await space.names('?op=search')).toEqual(['a', 'fx']);
    expect(messageOf(await space.remove('f/'))).toEqual([404, "secret 'f/' not found"]);
    expect((await space.remove('h/')).status).toBe(200);
    expect(await space.names()).toEqual(['a', 'fx']);
  });

  test('are deleted completely when they have more secrets than one write can contain', async () => {
    const space = await open();
    const names = Array.from({ length: 120 }, (_, index) => `many/n${index}`);
    for (let from = 0; from < names.length; from += 20) {
      await Promise.all(names.slice(from, from + 20).map((name) => space.put(name)));
    }
    expect(await space.names('/many/')).toHaveLength(120);
    expect((await space.remove('many/')).status).toBe(200);
    expect(await space.names('/many/')).toEqual([]);
  });

  test('can be read by the paths of their secrets', async () => {
    const space = await filled();
    await space.put('f/one', 'inner');
    expect(await space.valueOf('f/one')).toBe('inner');
  });
});

describe('a list of secrets', () => {
  let space: Space;
  beforeAll(async () => {
    space = await open();
    for (const name of ['B', 'a', 'C', 'ab']) await space.put(name);
  });

  test.each([
    ['', ['B', 'C', 'a', 'ab']],
    ['?order.field=NAME&order.direction=DESC', ['ab', 'a', 'C', 'B']],
    ['?order.field=NAME', ['B', 'C', 'a', 'ab']],
    ['?limit=2&offset=1', ['C', 'a']],
    ['?filter.field=NAME&filter.type=&filter.val=a', ['a', 'ab']],
    ['?filter.field=&filter.type=&filter.val=b', ['ab']],
    ['?filter.field=NAME&filter.type=CONTAINS&filter.val=B', ['B']],
    ['?first=1', ['B']],
  ])('%s is %j', async (query, names) => {
    expect(await space.names(query)).toEqual(names);
  });

  test.each([
    ['?order.field=CREATED&order.direction=ASC', 'invalid order field: CREATED'],
    ['?order.field=NAME&order.direction=UP', 'invalid order direction: UP'],
    ['?filter.field=VALUE&filter.type=&filter.val=a', 'invalid filter field: VALUE'],
    ['?filter.field=NAME&filter.type=MATCH&filter.val=a', 'invalid filter type: MATCH'],
    ['?limit=x', "limit is 'x', which is not a 32-bit integer"],
  ])('%s is rejected', async (query, text) => {
    const [status, message] = messageOf(await space.get(query));
    expect([status, message.startsWith(text)]).toEqual([500, true]);
  });
});

describe('a workflow', () => {
  const FUNCTIONS = 'functions: [{id: kid, type: subflow, workflow: kid}]\nstates:\n';

  async function outcomeOf(states: string, secrets: Readonly<Record<string, string>>, input: unknown = {}) {
    const space = await open();
    for (const [name, value] of Object.entries(secrets)) await space.put(name, value);
    await space.store('kid', KID);
    await space.store('main', FUNCTIONS + states);
    return space.run('main', input);
  }

  test('passes its secrets to the child with its data if the action has no input', async () => {
    const answer = await outcomeOf(
      '- {id: a, type: action, action: {function: kid, secrets: [A, B]}}',
      { A: '1', B: '2' },
      { x: 1 },
    );
    expect(answer.json()).toEqual({ x: 1, return: { x: 1, secrets: { A: '1', B: '2' } } });
  });

  test('gets the secrets of the action in place of its own data of that name, in the action only', async () => {
    const states =
      "- {id: a, type: action, action: {function: kid, secrets: [A], input: {s: 'jq(.secrets)'}}, transform: 'jq(.after = .secrets)'}";
    const answer = await outcomeOf(states, { A: '1', B: '2' }, { secrets: 'mine' });
    expect(answer.json()).toEqual({ secrets: 'mine', after: 'mine', return: { s: { A: '1' } } });
  });

  test('reads them with js as well, and in every action of a parallel state', async () => {
    const states =
      '- id: a\n  type: parallel\n  actions:\n' +
      "  - {function: kid, secrets: [A], input: {s: 'js(return data.secrets.A)'}}\n" +
      "  - {function: kid, secrets: [B], input: {s: 'jq(.secrets)'}}\n  - {function: kid, input: {s: 'jq(.secrets // \"none\")'}}\n";
    const answer = await outcomeOf(states, { A: '1', B: '2' });
    expect(answer.json()['return']).toEqual([{ s: '1' }, { s: { B: '2' } }, { s: 'none' }]);
  });

  test('adds them to each element of a foreach', async () => {
    const states = '- {id: a, type: foreach, array: [{n: 1}, {n: 2}], action: {function: kid, secrets: [A]}}';
    const answer = await outcomeOf(states, { A: '1' });
    expect(answer.json()['return']).toEqual([1, 2].map((n) => ({ n, secrets: { A: '1' } })));
  });

  test.each([
    [
      'action',
      "- {id: a, type: action, action: {function: kid, secrets: [A, NOPE]}, catch: [{error: '*', transition: b}]}",
    ],
    [
      'async action',
      "- {id: a, type: action, async: true, action: {function: kid, secrets: [NOPE]}, catch: [{error: '*', transition: b}]}",
    ],
    [
      'foreach',
      "- {id: a, type: foreach, array: [{}], action: {function: kid, secrets: [NOPE]}, catch: [{error: '*', transition: b}]}",
    ],
    [
      'parallel',
      "- {id: a, type: parallel, actions: [{function: kid, secrets: [NOPE]}], catch: [{error: '*', transition: b}]}",
    ],
    [
      'name that none can have',
      "- {id: a, type: action, action: {function: kid, secrets: ['no name'], input: x}}\n- {id: c, type: noop}",
    ],
  ])('fails without a catch when a secret is missing: %s', async (_what, states) => {
    const answer = await outcomeOf(`${states}\n- {id: b, type: noop}`, { A: '1' });
    expect(answer.status).toBe(500);
    expect(answer.headers.get('service-instance-error-code')).toBe('service.secrets.notFound');
    expect(answer.headers.get('service-instance-error-message')).toMatch(/^secret '(NOPE|no name)' not found$/);
  });

  test('reads more secrets than one call of the database returns', async () => {
    const names = Array.from({ length: 130 }, (_, index) => `N${index}`);
    const states = `- {id: a, type: action, action: {function: kid, secrets: [${names}], input: 'jq(.secrets | length)'}}`;
    const answer = await outcomeOf(states, Object.fromEntries(names.map((name) => [name, name])));
    expect(answer.json()['return']).toEqual({ input: 130 });
  });
});

test('setting secrets needs the permission to write, and listing them the permission to read', async () => {
  const space = await open();
  const keyOf = async (permission: string) => {
    const made = await client.call('POST', '/api/keys', {
      json: { name: permission, permission, namespaces: [space.name] },
    });
    return String(made.json()['secret']);
  };
  const [read, run, write] = [await keyOf('read'), await keyOf('run'), await keyOf('write')];
  const put = (key: string) => client.call('PUT', `${space.home}/secrets/A`, { body: 'x', key });
  expect((await put(read)).status).toBe(403);
  expect((await put(run)).status).toBe(403);
  expect((await put(write)).status).toBe(200);
  expect((await client.call('GET', `${space.home}/secrets`, { key: read })).status).toBe(200);
  expect((await client.call('DELETE', `${space.home}/secrets/A`, { key: run })).status).toBe(403);
});
