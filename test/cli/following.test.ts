import { execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { runChild } from '../../bin/cli/git/children.ts';
import { followAll } from '../../bin/cli/git/following.ts';
import { Followed } from '../../bin/server/follow/followed.ts';
import { followedIn } from '../../bin/server/follow/settings.ts';
import { type Service, startService } from '../../bin/server/service.ts';
import { readSettings } from '../../bin/server/settings.ts';
import { type Client, clientOf, rowsOf } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const NOOP = 'states:\n- id: a\n  type: noop\n';
const OTHER = 'states:\n- id: b\n  type: noop\n';
const SECRET = 'a-secret-of-the-hook';

let workspace: Workspace;
let service: Service;
let client: Client;
let stop: () => Promise<void>;

function commit(repository: string, files: Readonly<Record<string, string>>): Promise<string> {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: `${workspace.folder}/${repository}`,
      env: { PATH: process.env['PATH'], HOME: workspace.folder },
      encoding: 'utf8',
    }).trim();
  const named = Object.entries(files).map(([name, text]) => [`${repository}/${name}`, text] as const);
  return workspace.write(Object.fromEntries(named)).then(() => {
    git('init', '--quiet', '--initial-branch=main');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Change it');
    return git('rev-parse', 'HEAD');
  });
}

let first = '';

beforeAll(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  workspace = await openWorkspace();
  first = await commit('shop', { 'flows/one.yaml': NOOP, 'flows/two.yaml': NOOP });
  const every = '1h';
  const WEFT_FOLLOW = JSON.stringify([
    { namespace: 'shop', url: `${workspace.folder}/shop`, folder: 'flows', prune: true, secret: 'HOOK_SECRET', every },
    { namespace: 'away', url: `${workspace.folder}/away`, every },
  ]);
  const env = { WEFT_FOLLOW, HOOK_SECRET: SECRET, PORT: '0', APIKEY: 'a-key-for-the-tests', HOME: workspace.folder };
  service = await startService({ ...readSettings(env), data: undefined });
  client = clientOf(service.url, service.key, service.close);
  stop = await followAll(service, { ...env, PATH: process.env['PATH'] });
});

afterAll(async () => {
  await stop();
  await service.close();
  await workspace.clear();
  vi.restoreAllMocks();
});

const statusOf = async (namespace: string) => (await client.call('GET', `/sync/${namespace}`)).json();
const sourceOf = async (path: string) => {
  const { revision } = (await client.call('GET', `/api/namespaces/shop/tree/${path}`)).json();
  return Buffer.from(String(revision?.['source'] ?? ''), 'base64').toString();
};
const isAt = (hash: string) =>
  vi.waitFor(async () => expect(await statusOf('shop')).toMatchObject({ commit: hash, error: null }), 10_000);

beforeEach(() => isAt(first));

test('the namespace is made and has the workflows of the branch; a push that the server signs brings the next commit', async () => {
  expect(await statusOf('shop')).toMatchObject({
    namespace: 'shop',
    folder: 'flows',
    branch: null,
    subject: 'Change it',
  });
  expect(await sourceOf('one')).toBe(NOOP);
  first = await commit('shop', { 'flows/one.yaml': OTHER, 'flows/three.yaml': NOOP });
  const body = '{"ref":"refs/heads/main"}';
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  const notify = (headers: Record<string, string>) => client.call('POST', '/sync/shop', { body, headers, key: null });
  expect((await notify({ 'X-Hub-Signature-256': `${signature}0` })).status).toBe(401);
  expect((await notify({ 'X-Gitlab-Token': 'another' })).status).toBe(401);
  expect((await notify({})).status).toBe(401);
  const guessed = { headers: { 'X-Gitlab-Token': 'another' }, key: null };
  const replies = ['shop', 'none', 'away'].map((name) => client.call('POST', `/sync/${name}`, guessed));
  const [known, ...others] = (await Promise.all(replies)).map((reply) => [reply.status, reply.text]);
  expect(others).toEqual([known, known]);
  expect((await notify({ 'X-Hub-Signature-256': signature })).status).toBe(202);
  await isAt(first);
  expect(await sourceOf('one')).toBe(OTHER);
});

test('a commit with a mistake changes nothing and is named, until the next one; a key and the token of GitLab ask for it', async () => {
  await commit('shop', { 'flows/one.yaml': 'states: []\n' });
  expect((await client.call('POST', '/sync/shop')).status).toBe(202);
  await vi.waitFor(
    async () => expect((await statusOf('shop'))['error']).toMatch(/^1 problem, nothing was sent/),
    10_000,
  );
  expect(await statusOf('shop')).toMatchObject({ commit: first });
  expect(await sourceOf('two')).toBe(NOOP);
  first = await commit('shop', { 'flows/one.yaml': NOOP });
  const asked = await client.call('POST', '/sync/shop', { key: null, headers: { 'X-Gitlab-Token': SECRET } });
  expect(asked.status).toBe(202);
  const { entries } = (await client.call('GET', '/api/audit?namespace=shop&limit=1000')).json();
  const asks = rowsOf(entries).filter(({ action }) => String(action) === 'syncNamespace');
  expect(asks[0]).toMatchObject({
    actor: 'webhook',
    key: '',
    outcome: 'done',
    status: 202,
    target: { namespace: 'shop' },
  });
  expect(asks[1]).toMatchObject({ actor: 'admin', key: 'admin', outcome: 'done', address: expect.stringMatching(/./) });
  await isAt(first);
});

test('a repository that cannot be read is named in the list, which needs a key for all namespaces', async () => {
  const { results } = (await client.call('GET', '/sync')).json();
  expect(results).toMatchObject([{ namespace: 'shop' }, { namespace: 'away', commit: null }]);
  await vi.waitFor(
    async () => expect((await statusOf('away'))['error']).toContain('does not appear to be a git repository'),
    10_000,
  );
  const grant = { name: 'one', permission: 'read', namespaces: ['shop'] };
  const key = String((await client.call('POST', '/api/keys', { json: grant })).json()['secret']);
  const statuses = ['/sync', '/sync/shop', '/sync/away'].map((path) => client.call('GET', path, { key }));
  expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([403, 200, 403]);
  expect((await client.call('POST', '/sync/shop', { key })).status).toBe(403);
  const { entries } = (await client.call('GET', '/api/audit?namespace=shop&actor=one')).json();
  expect(entries).toMatchObject([{ action: 'syncNamespace', outcome: 'refused', status: 403 }]);
  expect((await client.call('GET', '/sync/none')).status).toBe(404);
  expect((await client.call('GET', '/sync/none', { key: null })).status).toBe(401);
  expect((await client.call('PUT', '/sync/shop')).status).toBe(405);
});

test('a call of the command line ends at its deadline and with the service, and leaves no file', async () => {
  const before = readdirSync(tmpdir());
  const args = ['sync', '--watch', '1h', `${workspace.folder}/shop`];
  const call = { args, env: { PATH: process.env['PATH'], WEFT_NAMESPACE: 'shop' } };
  const late = await runChild({ ...call, signal: new AbortController().signal, timeoutMs: 60 });
  expect(late).toMatchObject({ isSuccess: false, killed: 'no end within 0.001 minutes' });
  const stopped = await runChild({ ...call, signal: AbortSignal.timeout(60), timeoutMs: 60_000 });
  expect(stopped).toMatchObject({ isSuccess: false, killed: 'it was stopped' });
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith('weft-follow-') && !before.includes(name));
  expect(left).toEqual([]);
});

test('a server of Git that does not answer holds up no other repository, and not the stop', async () => {
  const every = 3_600_000;
  const slow = new Followed({ namespace: 'slow', url: 'ssh://git.example/flows', every });
  const quick = new Followed({ namespace: 'quick', url: `${workspace.folder}/shop`, every });
  // Ends with Git.
  const env = { PATH: process.env['PATH'], HOME: workspace.folder, GIT_SSH_COMMAND: 'cat > /dev/null; :' };
  const end = await followAll({ url: service.url, key: service.key, followed: [slow, quick] }, env);
  await vi.waitFor(() => expect(quick.status).toMatchObject({ commit: first, error: null }), 10_000);
  expect(slow.status).toMatchObject({ commit: null, checkedAt: null });
  await end();
});

test('npm start follows what WEFT_FOLLOW names, and does not start with what cannot be followed', async () => {
  const start = async (url: string) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'bin/local.ts'], {
      timeout: 20_000,
      env: {
        ...{ PATH: process.env['PATH'], HOME: workspace.folder, PORT: '0', WEFT_DATA: `${workspace.folder}/data` },
        WEFT_FOLLOW: JSON.stringify([{ namespace: 'here', url }]),
      },
    });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece) => {
        out += piece;
        if (/^\d+ created$/m.test(out)) child.kill('SIGTERM');
      });
    }
    const [code] = (await once(child, 'exit')) as [number];
    return { code, out };
  };
  // Those of the command line have no effect on the service.
  await workspace.write({ '.config/weft/config.json': 'no JSON', '.weft.yaml': '[no YAML' });
  const followed = await start(`${workspace.folder}/shop`);
  expect(followed.code, followed.out).toBe(0);
  expect(followed.out).toContain(
    `Follows: here ${workspace.folder}/shop\nhere: commit ${first.slice(0, 12)} Change it`,
  );
  const refused = await start('-x');
  expect(refused.code).toBe(1);
  expect(refused.out).toContain("Weft could not start: '-x' is no URL of a repository");
});

test.each([
  ['{}', 'ENOENT'],
  ['[{"namespace": "a"}]', '[0] has no url'],
  ['[{"namespace": "a", "url": "b", "brnach": "c"}]', "[0] has 'brnach', which is no member"],
  ['[{"namespace": "a", "url": "b", "every": "1s"}]', "[0].every is '1s'; it must be a duration of at least 10s"],
  [
    '[{"namespace": "a", "url": "b", "every": "597h"}]',
    "[0].every is '597h'; it must be a duration of at least 10s and at most 576h",
  ],
  ['[{"namespace": "a", "url": "b", "prune": "yes"}]', "[0].prune is 'yes'; it must be true or false"],
  ['[{"namespace": "a", "url": "b"}, {"namespace": "a", "url": "c"}]', "the namespace 'a' follows two repositories"],
])('WEFT_FOLLOW=%s is refused', (text, message) => {
  expect(() => readSettings({ WEFT_FOLLOW: text })).toThrow(message);
  expect(() => readSettings({ WEFT_FOLLOW: text })).toThrow(/^WEFT_FOLLOW: /);
});

test('the settings in docs/tools.md are accepted', () => {
  const [, shown = ''] =
    /`WEFT_FOLLOW`[\s\S]*?```json\n([\s\S]*?)```/.exec(readFileSync('docs/tools.md', 'utf8')) ?? [];
  expect(followedIn(shown)).toMatchObject([{ namespace: 'production', every: 60_000, prune: true }]);
});

test('a URL that Git would read as a program is refused at the start', async () => {
  const followed = followedIn('[{"namespace": "a", "url": "ext::sh -c id"}]').map(
    (settings) => ({ settings }) as never,
  );
  await expect(followAll({ url: service.url, key: service.key, followed }, {})).rejects.toThrow(
    'is no URL of a repository',
  );
});

test.each([
  [
    'for repositories of two servers',
    [{ url: 'https://one.example/a' }, { url: 'https://two.example/b' }],
    "WEFT_GIT_TOKEN is for one server, but 'n0' follows https://one.example and 'n1' https://two.example",
  ],
  [
    'that no variable has',
    [{ url: 'https://one.example/a', token: 'MISSING' }],
    "the 'token' of 'n0' names the variable MISSING, which is not set",
  ],
])('a token %s is refused at the start', async (_, entries, message) => {
  const env = { WEFT_GIT_TOKEN: 'geheim', PATH: process.env['PATH'] };
  const source = JSON.stringify(entries.map((one, n) => ({ namespace: `n${n}`, ...one })));
  const followed = followedIn(source).map((settings) => new Followed(settings));
  await expect(followAll({ url: service.url, key: service.key, followed }, env)).rejects.toThrow(message);
});

test('without the program git, the service is not started', async () => {
  const followed = followedIn('[{"namespace": "a", "url": "https://git.example/a"}]').map((one) => new Followed(one));
  const starting = followAll({ url: service.url, key: service.key, followed }, { PATH: workspace.folder });
  await expect(starting).rejects.toThrow(
    "WEFT_FOLLOW: the program 'git' is not installed; install it, or use an image that has it",
  );
});

test('a token of its own, or none, lets repositories of several servers be followed', async () => {
  const env = { WEFT_GIT_TOKEN: 'geheim', PATH: process.env['PATH'] };
  const entries = [{ url: 'https://127.0.0.1:1/a' }, { url: 'https://127.0.0.1:2/b', token: '' }];
  const source = JSON.stringify(entries.map((one, n) => ({ namespace: `n${n}`, ...one })));
  const followed = followedIn(source).map((settings) => new Followed(settings));
  const end = await followAll({ url: service.url, key: service.key, followed }, env);
  await end();
});
