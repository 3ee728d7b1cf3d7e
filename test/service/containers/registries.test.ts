import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../../../bin/server/service.ts';
import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import { credentialsFor } from '../../../lib/domain/credentials/registries.ts';
import { trial } from '../../../lib/domain/credentials/registry-trial.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { type Answer, type Client, clientOf, openOwnClient } from '../access/client.ts';
import { type Manner, startRegistry } from './fake-registry.ts';

const GLOBAL = '/api/functions/registries/global';
const PRIVATE = '/api/functions/registries/private';
const ofNamespace = (name: string): string => `/api/functions/registries/namespaces/${name}`;
const HUB = 'https://docker.io';

let service: Service;
let client: Client;

beforeAll(async () => {
  const settings = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, brand: 'service' };
  const others = { databaseEndpoint: undefined, version: packageVersion(), allowsPrivateAddresses: true };
  service = await startService({ ...settings, ...others });
  client = clientOf(service.url, service.key, () => service.close());
  for (const name of ['one', 'two']) await client.call('PUT', `/api/namespaces/${name}`);
});

afterAll(() => client.close());

const post = (path: string, reg: string, data: string) => client.call('POST', path, { json: { reg, data } });
const remove = (path: string, reg: string) => client.call('DELETE', path, { json: { reg } });
const list = async (path: string): Promise<unknown> => (await client.call('GET', path)).json()['registries'];
const messageOf = ({ status, text }: Answer): [number, string] => [status, String(JSON.parse(text).message)];

describe.each([
  ['global', GLOBAL],
  ['private', PRIVATE],
  ['of a namespace', ofNamespace('one')],
])('registries: %s', (_scope, path) => {
  test('are stored, listed by address, replaced and deleted', async () => {
    expect(await list(path)).toEqual([]);
    const made = await post(path, HUB, 'admin1:token:with:colons');
    expect([made.status, made.text, made.headers.get('content-type')]).toEqual([200, '', null]);
    await post(path, 'https://a.example.com:5000', 'bob:x');
    const bob = { name: 'https://a.example.com:5000', id: 'aHR0cHM6Ly9hLmV4YW1wbGUuY29tOjUwMDA=', user: 'b***' };
    expect(await list(path)).toEqual([bob, { name: HUB, id: 'aHR0cHM6Ly9kb2NrZXIuaW8=', user: 'ad***n1' }]);
    await post(path, HUB, 'jane:other');
    expect(await list(path)).toEqual([bob, { name: HUB, id: 'aHR0cHM6Ly9kb2NrZXIuaW8=', user: 'j***e' }]);
    const gone = await remove(path, HUB);
    expect([gone.status, gone.text]).toEqual([200, '']);
    expect(messageOf(await remove(path, HUB))).toEqual([404, `registry '${HUB}' does not exist`]);
    await remove(path, bob.name);
    expect(await list(path)).toEqual([]);
  });

  test.each([
    [HUB, 'nocolon', /^invalid username\/token format/],
    [HUB, ':token', /^invalid username\/token format/],
    ['docker.io', 'a:b', /^'docker\.io' is not the address of a registry: write it as https:\/\/docker\.io$/],
    ['', 'a:b', /^'' is not the address of a registry/],
    ['ftp://docker.io', 'a:b', /is not the address of a registry/],
    ['https://', 'a:b', /is not the address of a registry/],
    [
      'https://me:pass@docker.io',
      'a:b',
      /^'https:\/\/\*\*\*@docker\.io' is not the address of a registry: remove the user and the token/,
    ],
  ])('are rejected: %s with %s', async (reg, data, text) => {
    expect(messageOf(await post(path, reg, data))).toEqual([500, expect.stringMatching(text)]);
    expect(await list(path)).toEqual([]);
  });

  test.each([
    [{ reg: HUB, data: 7 }, 'json: cannot unmarshal number into Go value of type string (field data)'],
    [{ reg: HUB, data: 'a:b', more: true }, 'json: cannot unmarshal bool into Go value of type string (field more)'],
  ])('accept only texts: %j is rejected', async (json, text) => {
    expect(messageOf(await client.call('POST', path, { json }))).toEqual([500, text]);
    expect(await list(path)).toEqual([]);
  });

  test.each(['', 'https://nosuch', 'x'.repeat(3000)])('that do not exist cannot be deleted: %s', async (reg) => {
    expect(messageOf(await remove(path, reg))).toEqual([404, `registry '${reg}' does not exist`]);
  });

  test('with very long values are rejected with short messages', async () => {
    expect(messageOf(await remove(path, 'x'.repeat(3_000_000)))).toEqual([
      413,
      'the field reg has 3000000 characters; at most 8192 fit',
    ]);
  });

  test('with half a surrogate pair are rejected', async () => {
    const body = '{"reg": "https://docker.io/\\ud800", "data": "a:b"}';
    expect((await client.call('POST', path, { body })).status).toBe(500);
    expect(messageOf(await client.call('DELETE', path, { body }))[0]).toBe(404);
  });

  test('require both fields, as text', async () => {
    for (const json of [{ foo: 1 }, { reg: HUB }, { reg: 1, data: 'a:b' }, { reg: HUB, data: ['a:b'] }, 'text', null]) {
      const message = expect.stringMatching(/^json: |^invalid username\/token format/);
      expect(messageOf(await client.call('POST', path, { json }))).toEqual([500, message]);
    }
    expect(messageOf(await post(path, HUB, `a:${'x'.repeat(9000)}`))[0]).toBe(413);
    expect(await list(path)).toEqual([]);
  });
});

test('the name of a user is shown as one or two letters', async () => {
  for (const [user, shown] of [
    ['a', 'a***'],
    ['abc', 'a***'],
    ['abcd', 'a***d'],
    ['abcde', 'a***e'],
    ['abcdef', 'ab***ef'],
    ['robot$builder', 'ro***er'],
  ] as const) {
    await post(GLOBAL, HUB, `${user}:token`);
    expect(await list(GLOBAL)).toMatchObject([{ user: shown }]);
  }
  await remove(GLOBAL, HUB);
});

test('an unknown namespace stores no registry', async () => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const json = { reg: HUB, data: 'a:b' };
    const answer = await client.call(method, ofNamespace('nosuch'), method === 'GET' ? {} : { json });
    expect(messageOf(answer)).toEqual([404, 'namespace not found']);
  }
});

test('the registries of a namespace are deleted with it', async () => {
  await post(ofNamespace('two'), HUB, 'a:b');
  await client.call('DELETE', '/api/namespaces/two?recursive=true');
  await client.call('PUT', '/api/namespaces/two');
  expect(await list(ofNamespace('two'))).toEqual([]);
});

test('only administrators can change the registries of all namespaces', async () => {
  const made = await client.call('POST', '/api/keys', { json: { name: 'w', permission: 'write' } });
  const key = String(made.json()['secret']);
  const json = { reg: HUB, data: 'a:b' };
  for (const path of [GLOBAL, PRIVATE]) {
    expect((await client.call('POST', path, { json, key })).status).toBe(403);
    expect((await client.call('GET', path, { key })).status).toBe(200);
  }
  expect((await client.call('POST', ofNamespace('one'), { json, key })).status).toBe(200);
  await remove(ofNamespace('one'), HUB);
});

describe('credentials to pull an image', () => {
  const MINE = 'https://registry.example.com:5000';
  beforeAll(async () => {
    for (const [path, reg, user] of [
      [GLOBAL, HUB, 'all'],
      [GLOBAL, 'https://index.docker.io/v1/', 'also'],
      [PRIVATE, HUB, 'private'],
      [ofNamespace('one'), 'https://registry-1.docker.io', 'one'],
      [ofNamespace('one'), MINE, 'mine'],
    ] as const) {
      expect((await post(path, reg, `${user}:to:ken`)).status).toBe(200);
    }
  });

  const usersFor = async (where: string, image: string): Promise<string[]> => {
    const service_ = where === 'global' ? where : await namespaces.need(service.ports, where);
    const found = await credentialsFor(service.ports, service_, image);
    expect(found.every(({ password }) => password === 'to:ken')).toBe(true);
    return found.map(({ user }) => user);
  };

  test.each([
    ['global', 'alpine', ['all', 'also', 'private']],
    ['one', 'alpine:3', ['all', 'also', 'one']],
    ['one', 'library/alpine@sha256:0', ['all', 'also', 'one']],
    ['one', 'docker.io/library/alpine', ['all', 'also', 'one']],
    ['one', 'registry.example.com:5000/team/app:1', ['mine']],
    ['one', 'Registry.Example.com:5000/team/app:1', ['mine']],
    ['one', 'registry.example.com/team/app', []],
    ['one', 'localhost/app', []],
    ['global', 'registry.example.com:5000/team/app', []],
    ['two', 'registry.example.com:5000/team/app', []],
  ])('of a service in %s: %s', async (where, image, users) => {
    expect(await usersFor(where, image)).toEqual(users);
  });
});

describe('a check of credentials', () => {
  const trying = (url: string, username = 'user', password = 'pass:word') =>
    client.call('POST', '/api/functions/registries/test', { json: { url, username, password } });

  async function outcomeOf(manner: Manner, ...given: string[]) {
    const registry = await startRegistry(manner);
    const answer = await trying(registry.url, ...given);
    await registry.close();
    return { answer, asked: registry.asked, url: registry.url };
  }

  test.each<Manner>(['open', 'basic', 'bearer'])('of valid credentials succeeds: %s', async (manner) => {
    const { answer, asked } = await outcomeOf(manner);
    expect([answer.status, answer.json()]).toEqual([200, {}]);
    expect(asked[0]).toEqual(['GET', '/v2/', undefined]);
    expect(asked.length).toBeGreaterThan(1);
  });

  test('gets a token from the realm that the registry names', async () => {
    const { asked } = await outcomeOf('bearer');
    expect(asked.map(([, path, authorization]) => [path, authorization?.split(' ')[0]])).toEqual([
      ['/v2/', undefined],
      ['/token?x=1&service=registry+of+tests&account=user', 'Basic'],
      ['/v2/', 'Bearer'],
    ]);
  });

  test.each<[Manner, RegExp]>([
    ['basic', /^'http:\/\/localhost:\d+' refused the credentials: it answered 401$/],
    ['bearer', /^'http:\/\/localhost:\d+' refused the credentials: its token server 'localhost:\d+' answered 401$/],
  ])('of invalid credentials fails with a message: %s', async (manner, text) => {
    const { answer } = await outcomeOf(manner, 'user', 'wrong-password');
    expect(messageOf(answer)).toEqual([500, expect.stringMatching(text)]);
    expect(answer.text).not.toContain('wrong-password');
  });

  test('of invalid credentials at a registry with anonymous access fails with a message', async () => {
    const { answer } = await outcomeOf('open', 'x', 'y');
    expect(messageOf(answer)).toEqual([500, expect.stringMatching(/refused the credentials/)]);
  });

  test.each<[Manner, RegExp]>([
    ['none', /is not a registry: GET \/v2\/ answered 404$/],
    ['moved', /is not a registry: GET \/v2\/ answered 301$/],
    ['strange', /requires an authentication scheme that is not supported; Basic and Bearer are$/],
    ['tokenless', /its token server 'localhost:\d+' answered 200$/],
  ])('of a server that is not a registry has the reply of the server in its message: %s', async (manner, text) => {
    const { answer } = await outcomeOf(manner);
    expect(messageOf(answer)).toEqual([500, expect.stringMatching(text)]);
  });

  test('requires all three fields', async () => {
    for (const [url, username, password] of [
      ['', 'a', 'b'],
      [HUB, '', 'b'],
      [HUB, 'a', ''],
    ] as const) {
      expect(messageOf(await trying(url, username, password))).toEqual([
        500,
        'url, username and password need to be provided',
      ]);
    }
  });

  test.each(['http://169.254.169.254', 'http://[fe80::1]:5000', 'https://169.254.170.2'])(
    'sends no request to %s',
    async (url) => {
      expect(messageOf(await trying(url))).toEqual([500, expect.stringMatching(/kept from users/)]);
    },
  );

  test.each(['https://docker.io', 'https://index.docker.io/v1/', 'https://registry-1.docker.io'])(
    'of %s is sent to the server of Docker Hub',
    async (url) => {
      const asked: string[] = [];
      const get = async (address: string) => {
        asked.push(address);
        return { status: 200, headers: {}, body: '' };
      };
      const refuse = () => Promise.reject(new Error('nothing is sent'));
      await trial(
        { web: { get, send: refuse, deliver: refuse }, clock: service.ports.clock },
        { url, username: 'a', password: 'b' },
      );
      expect(new Set(asked)).toEqual(new Set(['https://registry-1.docker.io/v2/']));
    },
  );

  test('of an invalid address is rejected', async () => {
    expect(messageOf(await trying('docker.io'))).toEqual([
      500,
      expect.stringMatching(/is not the address of a registry/),
    ]);
  });
});

test('the trial of a registry reaches no private address and not this machine, unless the settings allow it', async () => {
  const own = await openOwnClient();
  const registry = await startRegistry('open');
  const { port } = new URL(registry.url);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, '10.0.0.1', '192.168.1.1', '[::1]:1']) {
    const json = { url: `http://${host}`, username: 'a', password: 'b' };
    const answer = await own.call('POST', '/api/functions/registries/test', { json });
    expect(messageOf(answer)).toEqual([500, expect.stringMatching(/kept from users/)]);
  }
  expect(registry.asked).toEqual([]);
  await registry.close();
  await own.close();
});
