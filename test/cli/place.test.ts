import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { choosePlace } from '../../bin/cli/client/target.ts';
import { type Client, openClient, rowsOf } from '../service/access/client.ts';
import { type Desk, openDesk } from './desk.ts';

const HERE = 'http://127.0.0.1:8080';

describe('the place that a command is about', () => {
  test.each([
    ['is this machine where nothing is named', [], { url: HERE, key: '', namespace: undefined }],
    [
      'is made of the first sources that name its parts',
      [{ namespace: 'n' }, { url: 'http://a', key: 'ka' }, { url: 'http://b', key: 'kb', namespace: 'm' }],
      { url: 'http://a', key: 'ka', namespace: 'n' },
    ],
    [
      'has the key of a source without an address',
      [{ url: 'http://a' }, { key: 'k' }],
      { url: 'http://a', key: 'k', namespace: undefined },
    ],
    [
      'has not the key that was given for another address',
      [{ url: 'http://a' }, { url: 'http://b', key: 'kb', namespace: 'm' }],
      { url: 'http://a', key: '', namespace: 'm' },
    ],
    [
      'has the key that was given for the same address, written otherwise',
      [{ url: 'http://a/' }, { url: 'http://a/api', key: 'ka' }],
      { url: 'http://a', key: 'ka', namespace: undefined },
    ],
  ])('%s', (_, sources, place) => {
    expect(choosePlace(sources)).toEqual(place);
  });
});

let client: Client;
let desk: Desk;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/demo');
  await client.call('PUT', '/api/namespaces/demo/vars/x', { body: '1' });
});

afterAll(() => client.close());

beforeEach(async () => {
  desk = await openDesk();
  return () => desk.clear();
});

const config = () => join(desk.folder, '.config/weft/config.json');

describe('weft login', () => {
  test('keeps what the service lets in, for its owner alone, and other commands use it', async () => {
    const made = await desk.weft(['login', '--url', `${client.url}/`, '--key', '-', '-n', 'demo'], {
      input: `${client.key}\n`,
    });
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toBe(`logged in to ${client.url} (v0.1.0) as profile 'default'\n`);
    expect((await stat(config())).mode & 0o777).toBe(0o600);
    expect((await stat(join(desk.folder, '.config/weft'))).mode & 0o777).toBe(0o700);
    const profile = { url: client.url, key: client.key, namespace: 'demo' };
    expect(JSON.parse(await readFile(config(), 'utf8'))).toEqual({
      current: 'default',
      profiles: { default: profile },
    });
    expect((await desk.weft(['vars', 'get', 'x'])).out).toBe('1');
  });

  test('asks for the key without showing it', async () => {
    const made = await desk.weft(['login', '--url', client.url, '--json'], { answers: [client.key] });
    expect(made).toMatchObject({ code: 0, asked: ['hidden:Key: '] });
    expect(made.json()).toEqual({ profile: 'default', url: client.url, version: 'v0.1.0' });
    expect(made.out + made.err).not.toContain(client.key);
  });

  test('keeps nothing for a key that is not let in, or a service that is not there', async () => {
    const wrong = await desk.weft(['login', '--url', client.url], { env: { WEFT_KEY: 'wrong' } });
    expect(wrong).toMatchObject({ code: 3, out: '' });
    expect((await desk.weft(['login', '--url', 'http://127.0.0.1:1', '--key', 'k'])).code).toBe(3);
    expect((await desk.weft(['login', '--url', client.url])).err).toMatch(/give the key by WEFT_KEY, or by --key - on/);
    await expect(stat(config())).rejects.toThrow('ENOENT');
  });

  test('takes XDG_CONFIG_HOME for the folder of settings', async () => {
    const env = { XDG_CONFIG_HOME: join(desk.folder, 'xdg'), WEFT_KEY: client.key };
    expect((await desk.weft(['login', '--url', client.url], { env })).code).toBe(0);
    expect((await stat(join(desk.folder, 'xdg/weft/config.json'))).isFile()).toBe(true);
  });
});

describe('profiles', () => {
  const login = (name: string, ...more: string[]) =>
    desk.weft(['login', '--profile', name, '--url', client.url, ...more], { env: { WEFT_KEY: client.key } });

  test('are listed without their keys, chosen and deleted', async () => {
    await login('one', '-n', 'demo');
    await login('two');
    const listed = await desk.weft(['profiles', 'list']);
    expect(listed.out).not.toContain(client.key);
    expect(rowsOf((await desk.weft(['profiles', 'list', '--json'])).json())).toEqual([
      { name: 'one', isCurrent: false, url: client.url, namespace: 'demo', hasKey: true },
      { name: 'two', isCurrent: true, url: client.url, namespace: '', hasKey: true },
    ]);
    expect((await desk.weft(['vars', 'get', 'x', '-P', 'one'])).out).toBe('1');
    expect((await desk.weft(['vars', 'get', 'x'], { env: { WEFT_PROFILE: 'one' } })).out).toBe('1');
    expect((await desk.weft(['vars', 'get', 'x'])).code).toBe(2);
    expect((await desk.weft(['profiles', 'use', 'one'])).code).toBe(0);
    expect((await desk.weft(['vars', 'get', 'x'])).out).toBe('1');
    expect((await desk.weft(['profiles', 'delete', 'one'])).code).toBe(0);
    expect(await desk.weft(['profiles', 'use', 'one'])).toMatchObject({
      code: 1,
      err: "weft: there is no profile 'one'; 'weft profiles list' tells them\n",
    });
    expect((await desk.weft(['vars', 'get', 'x', '-P', 'one'])).err).toBe(
      "weft: there is no profile 'one': make it with 'weft login --profile one'; there are two (see 'weft help vars')\n",
    );
  });

  test('that others can read are told of', async () => {
    await login('one', '-n', 'demo');
    await chmod(config(), 0o644);
    const { out, err } = await desk.weft(['vars', 'get', 'x']);
    expect({ out, err }).toEqual({
      out: '1',
      err: `weft: ${config()} can be read by others; chmod 600 it, or log in again\n`,
    });
  });

  test('in a file that is no JSON are a mistake to mend', async () => {
    await desk.write({ '.config/weft/config.json': '{' });
    await chmod(config(), 0o600);
    expect(await desk.weft(['vars', 'get', 'x'])).toMatchObject({ code: 2 });
  });
});

describe('the names of the original tool', () => {
  test('are read from the environment', async () => {
    const place = { DIREKTIV_ADDR: client.url, DIREKTIV_NAMESPACE: 'demo' };
    for (const name of ['DIREKTIV_AUTH', 'DIREKTIV_API_KEY', 'DIREKTIV_AUTH_TOKEN']) {
      const ended = await desk.weft(['vars', 'get', 'x'], { env: { ...place, [name]: client.key } });
      expect(ended).toMatchObject({ out: '1', err: '' });
    }
    expect((await desk.weft(['vars', 'get', 'x', '-a', client.url, '-t', client.key, '-n', 'demo'])).out).toBe('1');
  });

  test('are read from .direktiv.yaml, of a folder above too', async () => {
    await desk.write({
      '.direktiv.yaml': `addr: ${client.url}\nnamespace: demo\nauth: ${client.key}\n`,
      'sub/deep/x': '',
    });
    expect((await desk.weft(['vars', 'get', 'x'], { cwd: 'sub/deep' })).out).toBe('1');
    expect((await desk.weft(['vars', 'get', 'x'], { env: { WEFT_NAMESPACE: 'none' } })).code).toBe(1);
  });

  test('are read from a profile of .direktiv.yaml, the first unless one is named', async () => {
    const profileOf = (id: string, namespace: string) =>
      `- id: ${id}\n  addr: ${client.url}\n  namespace: ${namespace}\n  api-key: ${client.key}\n`;
    await desk.write({ '.direktiv.yaml': `profiles:\n${profileOf('a', 'none')}${profileOf('b', 'demo')}` });
    expect((await desk.weft(['vars', 'get', 'x'])).err).toBe('weft: 404: namespace not found\n');
    expect((await desk.weft(['vars', 'get', 'x', '-P', 'b'])).out).toBe('1');
  });

  test('in a file that is no YAML are a mistake to mend', async () => {
    await desk.write({ '.direktiv.yaml': 'a: [\n' });
    const { code, err } = await desk.weft(['vars', 'get', 'x']);
    expect(code).toBe(2);
    expect(err).toMatch(/^weft: .*\.direktiv\.yaml is no YAML: /);
  });
});
