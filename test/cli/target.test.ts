import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chooseTarget } from '../../bin/cli/client/target.ts';
import { type Client, openClient, rowsOf } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const HERE = 'http://127.0.0.1:8080';

describe('the target of a command', () => {
  test.each([
    ['is this computer by default', [], { url: HERE, key: '', namespace: undefined }],
    [
      'has each part from the first source with it',
      [{ namespace: 'n' }, { url: 'http://a', key: 'ka' }, { url: 'http://b', key: 'kb', namespace: 'm' }],
      { url: 'http://a', key: 'ka', namespace: 'n' },
    ],
    [
      'has the key of a source without a URL',
      [{ url: 'http://a' }, { key: 'k' }],
      { url: 'http://a', key: 'k', namespace: undefined },
    ],
    [
      'does not have the key of a source with another URL',
      [{ url: 'http://a' }, { url: 'http://b', key: 'kb', namespace: 'm' }],
      { url: 'http://a', key: '', namespace: 'm' },
    ],
    [
      'has the key of a source with the same URL in another form',
      [{ url: 'http://a/' }, { url: 'http://a/api', key: 'ka' }],
      { url: 'http://a', key: 'ka', namespace: undefined },
    ],
  ])('%s', (_, sources, place) => {
    expect(chooseTarget(sources.map((source) => ({ name: 'a source', ...source })))).toEqual(place);
  });

  const ofFolder = { name: '.direktiv.yaml', url: 'http://stranger', isOfFolder: true };
  const environment = { name: 'WEFT_KEY', key: 'mine' };

  test('that only a file of the folder names gets no key of the environment', () => {
    expect(() => chooseTarget([environment, ofFolder])).toThrow(
      "the key of WEFT_KEY is not sent to http://stranger, which only .direktiv.yaml names; if you trust that address, run 'weft login --url http://stranger', or give it with --url or WEFT_URL",
    );
  });

  test.each([
    ['the key of that file', [{ ...ofFolder, key: 'theirs' }], [], 'theirs'],
    ['the key of the options', [{ name: '--key', key: 'given', isOption: true }, ofFolder], [], 'given'],
    ['a key of the environment after a login there', [environment, ofFolder], ['http://stranger/'], 'mine'],
    ['a key of the environment that names it too', [{ ...environment, url: 'http://stranger' }, ofFolder], [], 'mine'],
  ])('that a file of the folder names gets %s', (_, sources, known, key) => {
    expect(chooseTarget(sources, known)).toMatchObject({ url: 'http://stranger', key });
  });
});

let client: Client;
let workspace: Workspace;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/demo');
  await client.call('PUT', '/api/namespaces/demo/vars/x', { body: '1' });
});

afterAll(() => client.close());

beforeEach(async () => {
  workspace = await openWorkspace();
  return () => workspace.clear();
});

const config = () => join(workspace.folder, '.config/weft/config.json');

describe('weft login', () => {
  test('stores an accepted key, readable only by its owner, for other commands', async () => {
    const made = await workspace.weft(['login', '--url', `${client.url}/`, '--key', '-', '-n', 'demo'], {
      input: `${client.key}\n`,
    });
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toBe(`logged in to ${client.url} (v0.1.0) as profile 'default'\n`);
    expect((await stat(config())).mode & 0o777).toBe(0o600);
    expect((await stat(join(workspace.folder, '.config/weft'))).mode & 0o777).toBe(0o700);
    const profile = { url: client.url, key: client.key, namespace: 'demo' };
    expect(JSON.parse(await readFile(config(), 'utf8'))).toEqual({
      current: 'default',
      profiles: { default: profile },
    });
    expect((await workspace.weft(['vars', 'get', 'x'])).out).toBe('1');
  });

  test('asks for the key without displaying it', async () => {
    const made = await workspace.weft(['login', '--url', client.url, '--json'], { answers: [client.key] });
    expect(made).toMatchObject({ code: 0, asked: ['hidden:Key: '] });
    expect(made.json()).toEqual({ profile: 'default', url: client.url, version: 'v0.1.0' });
    expect(made.out + made.err).not.toContain(client.key);
  });

  test('stores nothing for a rejected key or a missing service', async () => {
    const wrong = await workspace.weft(['login', '--url', client.url], { env: { WEFT_KEY: 'wrong' } });
    expect(wrong).toMatchObject({ code: 3, out: '' });
    expect((await workspace.weft(['login', '--url', 'http://127.0.0.1:1', '--key', 'k'])).code).toBe(3);
    expect((await workspace.weft(['login', '--url', client.url])).err).toMatch(
      /no key given; set WEFT_KEY, or send it/,
    );
    await expect(stat(config())).rejects.toThrow('ENOENT');
  });

  test('stores profiles in XDG_CONFIG_HOME', async () => {
    const env = { XDG_CONFIG_HOME: join(workspace.folder, 'xdg'), WEFT_KEY: client.key };
    expect((await workspace.weft(['login', '--url', client.url], { env })).code).toBe(0);
    expect((await stat(join(workspace.folder, 'xdg/weft/config.json'))).isFile()).toBe(true);
  });
});

describe('profiles', () => {
  const login = (name: string, ...more: string[]) =>
    workspace.weft(['login', '--profile', name, '--url', client.url, ...more], { env: { WEFT_KEY: client.key } });

  test('are listed without their keys, selected and deleted', async () => {
    await login('one', '-n', 'demo');
    await login('two');
    const listed = await workspace.weft(['profiles', 'list']);
    expect(listed.out).not.toContain(client.key);
    expect(rowsOf((await workspace.weft(['profiles', 'list', '--json'])).json())).toEqual([
      { name: 'one', isCurrent: false, url: client.url, namespace: 'demo', hasKey: true },
      { name: 'two', isCurrent: true, url: client.url, namespace: '', hasKey: true },
    ]);
    expect((await workspace.weft(['vars', 'get', 'x', '-P', 'one'])).out).toBe('1');
    expect((await workspace.weft(['vars', 'get', 'x'], { env: { WEFT_PROFILE: 'one' } })).out).toBe('1');
    expect((await workspace.weft(['vars', 'get', 'x'])).code).toBe(2);
    expect((await workspace.weft(['profiles', 'use', 'one'])).code).toBe(0);
    expect((await workspace.weft(['vars', 'get', 'x'])).out).toBe('1');
    expect((await workspace.weft(['profiles', 'delete', 'one'])).code).toBe(0);
    expect(await workspace.weft(['profiles', 'use', 'one'])).toMatchObject({
      code: 1,
      err: "weft: no profile 'one'; 'weft profiles list' prints them\n",
    });
    expect((await workspace.weft(['vars', 'get', 'x', '-P', 'one'])).err).toBe(
      "weft: no profile 'one'; create it with 'weft login --profile one'; existing profiles: two (see 'weft help vars')\n",
    );
  });

  test('that other users can read cause a warning', async () => {
    await login('one', '-n', 'demo');
    await chmod(config(), 0o644);
    const { out, err } = await workspace.weft(['vars', 'get', 'x']);
    expect({ out, err }).toEqual({
      out: '1',
      err: `weft: other users can read ${config()}; change it with chmod 600, or log in again\n`,
    });
  });

  test('in an invalid JSON file are a usage error', async () => {
    await workspace.write({ '.config/weft/config.json': '{' });
    await chmod(config(), 0o600);
    expect(await workspace.weft(['vars', 'get', 'x'])).toMatchObject({ code: 2 });
  });
});

describe('the names of Direktiv’s command line', () => {
  test('are read from the environment', async () => {
    const place = { DIREKTIV_ADDR: client.url, DIREKTIV_NAMESPACE: 'demo' };
    for (const name of ['DIREKTIV_AUTH', 'DIREKTIV_API_KEY', 'DIREKTIV_AUTH_TOKEN']) {
      const ended = await workspace.weft(['vars', 'get', 'x'], { env: { ...place, [name]: client.key } });
      expect(ended).toMatchObject({ out: '1', err: '' });
    }
    expect((await workspace.weft(['vars', 'get', 'x', '-a', client.url, '-t', client.key, '-n', 'demo'])).out).toBe(
      '1',
    );
  });

  test('are read from .direktiv.yaml, also in a folder above', async () => {
    await workspace.write({
      '.direktiv.yaml': `addr: ${client.url}\nnamespace: demo\nauth: ${client.key}\n`,
      'sub/deep/x': '',
    });
    expect((await workspace.weft(['vars', 'get', 'x'], { cwd: 'sub/deep' })).out).toBe('1');
    expect((await workspace.weft(['vars', 'get', 'x'], { env: { WEFT_NAMESPACE: 'none' } })).code).toBe(1);
  });

  test('are read from a profile of .direktiv.yaml, by default from the first', async () => {
    const profileOf = (id: string, namespace: string) =>
      `- id: ${id}\n  addr: ${client.url}\n  namespace: ${namespace}\n  api-key: ${client.key}\n`;
    await workspace.write({ '.direktiv.yaml': `profiles:\n${profileOf('a', 'none')}${profileOf('b', 'demo')}` });
    expect((await workspace.weft(['vars', 'get', 'x'])).err).toBe(
      "weft: no namespace 'none'; 'weft namespaces list' lists them\n",
    );
    expect((await workspace.weft(['vars', 'get', 'x', '-P', 'b'])).out).toBe('1');
  });

  describe('in a .direktiv.yaml that another person may have written', () => {
    const get = (env: Readonly<Record<string, string>>, ...more: string[]) =>
      workspace.weft(['vars', 'get', 'x', ...more], { env });
    const fileOf = (more = '') =>
      workspace.write({ '.direktiv.yaml': `addr: ${client.url}\nnamespace: demo\n${more}` });

    test.each(['WEFT_KEY', 'DIREKTIV_AUTH'])('select no URL that gets the key of %s', async (name) => {
      await fileOf();
      const { code, err, out } = await get({ [name]: client.key });
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(
        `the key of ${name} is not sent to ${client.url}, which only ${workspace.folder}/.direktiv`,
      );
    });

    test('select no URL by a profile that gets the key of the environment', async () => {
      await workspace.write({ '.direktiv.yaml': `profiles:\n- {id: a, addr: '${client.url}', namespace: demo}\n` });
      expect((await get({ WEFT_KEY: client.key, WEFT_PROFILE: 'a' })).err).toContain('is not sent to');
      expect((await get({ WEFT_KEY: client.key }, '-P', 'a')).err).toContain('is not sent to');
    });

    test('select a URL that gets the key if the user has named the URL, or has logged in there', async () => {
      await fileOf();
      expect((await get({ WEFT_KEY: client.key, WEFT_URL: `${client.url}/` })).out).toBe('1');
      expect((await get({ WEFT_KEY: client.key }, '--url', client.url)).out).toBe('1');
      expect((await get({}, '--key', client.key)).out).toBe('1');
      const login = ['login', '--profile', 'p', '--url', client.url];
      expect((await workspace.weft(login, { env: { WEFT_KEY: client.key } })).code).toBe(0);
      expect((await get({ WEFT_KEY: client.key })).out).toBe('1');
    });

    test('select a URL with the key of the file, not with that of the environment', async () => {
      await fileOf(`auth: ${client.key}\n`);
      expect((await get({ WEFT_KEY: 'a-key-of-another-service' })).out).toBe('1');
    });
  });

  test('in an invalid YAML file are a usage error', async () => {
    await workspace.write({ '.direktiv.yaml': 'a: [\n' });
    const { code, err } = await workspace.weft(['vars', 'get', 'x']);
    expect(code).toBe(2);
    expect(err).toMatch(/^weft: .*\.direktiv\.yaml is no YAML: /);
  });
});
