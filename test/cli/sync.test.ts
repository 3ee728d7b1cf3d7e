import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BOUNDS, type Bounds } from '../../bin/cli/git/bounds.ts';
import { withCheckout } from '../../bin/cli/git/checkout.ts';
import { type Client, openClient } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const NOOP = 'states:\n- id: a\n  type: noop\n';
const OTHER = 'states:\n- id: b\n  type: noop\n';
const WRONG = 'states:\n- id: b\n  type: nope\n';

let client: Client;
let workspace: Workspace;
let namespace: string;
let count = 0;

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

const AUTHOR = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];

const git = (...args: readonly string[]): string => gitWith('', ...args);

function gitWith(input: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: workspace.folder };
  return execFileSync('git', [...AUTHOR, ...args], {
    cwd: join(workspace.folder, 'repo'),
    env,
    input,
    encoding: 'utf8',
  }).trim();
}

/** Writes files into the repository, and returns the commit of them. */
async function commit(files: Readonly<Record<string, string>>, ...options: readonly string[]): Promise<string> {
  await workspace.write(Object.fromEntries(Object.entries(files).map(([name, text]) => [`repo/${name}`, text])));
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Change it', ...options);
  return git('rev-parse', 'HEAD');
}

beforeEach(async () => {
  count += 1;
  namespace = `sync-${count}`;
  await client.call('PUT', `/api/namespaces/${namespace}`);
  workspace = await openWorkspace(client, namespace);
  await workspace.write({ 'repo/README.md': '# flows' });
  git('init', '--quiet', '--initial-branch=main');
  return () => workspace.clear();
});

const tree = (path: string) => client.call('GET', `/api/namespaces/${namespace}/tree/${path}`);
const sourceOf = async (path: string) =>
  Buffer.from(String((await tree(path)).json()['revision']?.['source']), 'base64').toString();

describe('weft sync', () => {
  test('brings the workflows of a repository into the namespace, then what a commit changed', async () => {
    const first = await commit({
      'flows/one.yaml': NOOP,
      'flows/one.yaml.data.json': '{}',
      'flows/deep/two.yaml': NOOP,
    });
    const created = await workspace.weft(['sync', 'repo', '--folder', 'flows']);
    expect(created).toMatchObject({ code: 0, err: '' });
    expect(created.out.trimEnd().split('\n')).toEqual([
      `commit ${first.slice(0, 12)} Change it`,
      'created    directory deep',
      'created    workflow deep/two',
      'created    workflow one',
      'created    variable one: data.json',
      '3 created',
    ]);
    const second = await commit({ 'flows/one.yaml': OTHER });
    const { commit: named, items } = (await workspace.weft(['sync', 'repo', '--folder', 'flows', '--json'])).json();
    expect(named).toBe(second);
    expect((items as unknown as { change: string }[]).map(({ change }) => change)).toContain('update');
    expect(await sourceOf('one')).toBe(OTHER);
  });

  test('takes the named branch, and the paths from the folder of .weft.yaml as push does', async () => {
    await commit({ 'flows/one.yaml': NOOP, '.weft.yaml': '' });
    git('checkout', '--quiet', '-b', 'release/2');
    await commit({ 'flows/one.yaml': OTHER });
    git('checkout', '--quiet', 'main');
    const url = `file://${workspace.folder}/repo`;
    await workspace.weft(['sync', url, '--branch', 'release/2', '--folder', 'flows']);
    expect(await sourceOf('flows/one')).toBe(OTHER);
    await workspace.weft(['sync', url, 'team', '--folder', 'flows']);
    expect(await sourceOf('team/one')).toBe(NOOP);
    const missing = await workspace.weft(['sync', url, '--branch', 'gone']);
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('Remote branch gone not found') });
  });

  test('shows what would change, deletes with --prune, and tags the revisions with the commit', async () => {
    await commit({ 'one.yaml': NOOP, 'two.yaml': NOOP });
    await workspace.weft(['sync', 'repo']);
    await rm(join(workspace.folder, 'repo', 'two.yaml'));
    const head = await commit({ 'one.yaml': OTHER });
    const planned = await workspace.weft(['sync', 'repo', '--prune', '--dry-run']);
    expect(planned.out).toContain('1 to update, 1 to delete');
    expect(await sourceOf('one')).toBe(NOOP);
    expect((await workspace.weft(['sync', 'repo', '--prune'])).code).toBe(2);
    const args = ['sync', 'repo', '--prune', '--yes', '--tag', 'git-{commit}'];
    expect((await workspace.weft(args)).out).toContain(`tagged git-${head.slice(0, 12)}`);
    expect((await tree('two')).status).toBe(404);
    expect((await tree(`one?ref=git-${head.slice(0, 12)}`)).status).toBe(200);
  });

  test('sends nothing of a commit with a mistake, and leaves no folder behind', async () => {
    const before = new Set(readdirSync(tmpdir()).filter((name) => name.startsWith('weft-sync-')));
    await commit({ 'one.yaml': NOOP, 'two.yaml': WRONG });
    const { code, err } = await workspace.weft(['sync', 'repo']);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/1 problem, nothing was sent\ntwo\.yaml:3/) });
    expect((await tree('one')).status).toBe(404);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('weft-sync-') && !before.has(name))).toEqual([]);
  });

  test('follows the branch: reports what fails once, and brings the commit that mends it', async () => {
    await commit({ 'one.yaml': WRONG });
    const stop = new AbortController();
    const seen: string[] = [];
    const following = workspace.weft(['sync', 'repo', '--watch', '1s'], {
      signal: stop.signal,
      onOutput: (text) => void seen.push(text),
    });
    const failures = () => seen.filter((text) => text.includes('nothing was sent'));
    await expect.poll(failures, { timeout: 5_000 }).toHaveLength(1);
    await commit({ 'one.yaml': NOOP });
    await expect.poll(() => seen.at(-1), { timeout: 5_000 }).toContain('created    workflow one');
    expect(failures()).toHaveLength(1);
    stop.abort();
    expect((await following).code).toBe(130);
  });

  test('refuses a commit without a signature that the user accepts, with --signed', async () => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(workspace.folder, 'key')]);
    const key = (await workspace.read('key.pub')).trim();
    const signers = join(workspace.folder, 'signers');
    await workspace.write({
      signers: `ada@example.com ${key}\n`,
      '.gitconfig': `[gpg "ssh"]\nallowedSignersFile = ${signers}\n`,
    });
    await commit({ 'one.yaml': NOOP });
    const refused = await workspace.weft(['sync', 'repo', '--signed']);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/signature of the commit .* is not accepted/),
    });
    expect((await tree('one')).status).toBe(404);
    const signing = join(workspace.folder, 'key.pub');
    git('config', 'gpg.format', 'ssh');
    git('config', 'user.signingkey', signing);
    await commit({ 'one.yaml': OTHER }, '-S');
    expect(await workspace.weft(['sync', 'repo', '--signed'])).toMatchObject({ code: 0, err: '' });
    expect(await sourceOf('one')).toBe(OTHER);
  });

  describe('the token', () => {
    const AUTHORIZED = `Basic ${Buffer.from('x-access-token:geheim').toString('base64')}`;
    const env = { WEFT_GIT_TOKEN: 'geheim' };
    let servers: Server[];
    beforeEach(() => {
      servers = [];
      return () => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    });

    /** A server of Git, and the credentials that each of its requests had. */
    async function gitServer(answer: (request: IncomingMessage, response: ServerResponse) => void) {
      const seen: (string | undefined)[] = [];
      const server = createServer((request, response) => {
        seen.push(request.headers.authorization);
        answer(request, response);
      });
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
    }
    const refuse = (response: ServerResponse, status: number) =>
      void response.writeHead(status, { 'WWW-Authenticate': 'Basic realm="git"' }).end();

    test('is sent to the server of the URL that asks for it, nowhere as an argument, and stored by no helper', async () => {
      await workspace.write({ '.gitconfig': '[credential]\nhelper = store\n' });
      const { url, seen } = await gitServer(({ headers }, response) =>
        refuse(response, headers.authorization === AUTHORIZED ? 403 : 401),
      );
      const { code, err } = await workspace.weft(['sync', `${url}/flows.git`], { env });
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('403') });
      expect(err).not.toContain('geheim');
      expect(seen).toEqual([undefined, AUTHORIZED]);
      const wrong = await workspace.weft(['sync', `${url}/flows.git`], { env: { WEFT_GIT_TOKEN: 'wrong' } });
      expect(wrong.err).toContain('the server does not accept WEFT_GIT_TOKEN');
      expect(readdirSync(workspace.folder)).not.toContain('.git-credentials');
    });

    test('is not sent to a server that a redirect names', async () => {
      const other = await gitServer(({ url = '' }, response) => {
        if (url.includes('/info/refs')) response.end(`${'a'.repeat(40)}\trefs/heads/main\n`);
        else refuse(response, 401);
      });
      const { url, seen } = await gitServer((request, response) => {
        response.writeHead(302, { Location: `${other.url}${request.url}` }).end();
      });
      const { code, err } = await workspace.weft(['sync', `${url}/flows.git`], { env });
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('sent to the server of the URL alone') });
      expect(seen.length).toBeGreaterThan(0);
      expect(other.seen.length).toBeGreaterThan(1);
      expect(new Set(other.seen)).toEqual(new Set([undefined]));
    });
  });

  describe('a repository that is too large', () => {
    const bringWithin = (bounds: Partial<Bounds>, more: Readonly<Record<string, string>> = {}) => {
      const env = { PATH: process.env['PATH'], HOME: workspace.folder, ...more };
      const terminal = { env, cwd: workspace.folder, signal: new AbortController().signal };
      const scheme = more['GIT_SSH_COMMAND'] === undefined ? 'file://' : 'ssh://git.example';
      const repository = { url: `${scheme}${workspace.folder}/repo`, branch: undefined, folder: '', isSigned: false };
      return withCheckout(terminal, repository, async ({ root }) => readdirSync(root), { ...BOUNDS, ...bounds });
    };

    test('is not taken: by its transfer, its files or their bytes', async () => {
      await commit({ 'one.yaml': NOOP, 'noise.bin': randomBytes(300_000).toString('base64') });
      expect(await bringWithin({})).toContain('one.yaml');
      const rest = ', which is too large; follow a repository that has the workflows alone';
      await expect(bringWithin({ transferred: 200_000 })).rejects.toThrow(`more than 0 MiB to transfer${rest}`);
      await expect(bringWithin({ bytes: 400_000 })).rejects.toThrow(`more than 0 MiB of files${rest}`);
      await expect(bringWithin({ files: 2 })).rejects.toThrow(`more than 2 files${rest}`);
    });

    test('is given up while it is on its way', async () => {
      await commit({ 'noise.bin': randomBytes(300_000).toString('base64') });
      // It sends no end.
      const GIT_SSH_COMMAND = `sh -c 'git upload-pack ${workspace.folder}/repo | (dd bs=4096 count=60; sleep 10)'`;
      const before = Date.now();
      const env = { GIT_SSH_COMMAND, GIT_SSH_VARIANT: 'ssh' };
      await expect(bringWithin({ transferred: 100_000 }, env)).rejects.toThrow('to transfer');
      expect(Date.now() - before).toBeLessThan(9_000);
    });

    test('is not taken if its trees have any number of files in few bytes', async () => {
      await commit({ 'one.yaml': NOOP });
      let tree = git('rev-parse', 'HEAD^{tree}');
      for (let depth = 0; depth < 9; depth += 1) {
        const rows = Array.from({ length: 10 }, (_, n) => `040000 tree ${tree}\tf${n}`).join('\n');
        tree = gitWith(`${rows}\n`, 'mktree');
      }
      git('update-ref', 'HEAD', git('commit-tree', tree, '-m', 'A bomb'));
      await expect(bringWithin({ files: 1_000 })).rejects.toThrow('more than 1000 files');
    });
  });

  test('gives Git none of the keys', async () => {
    const seen = join(workspace.folder, 'seen');
    const env = {
      PATH: String(process.env['PATH']),
      GIT_SSH_COMMAND: `env > '${seen}'; false`,
      WEFT_GIT_TOKEN: 'geheim',
      DIREKTIV_AUTH: 'geheim',
    };
    const { code } = await workspace.weft(['sync', 'ssh://git.example/flows'], { env });
    expect(code).toBe(1);
    const environment = await workspace.read('seen');
    expect(environment).toContain('GIT_TERMINAL_PROMPT=0');
    expect(environment).not.toMatch(/^(WEFT|DIREKTIV)_|geheim/m);
    expect(environment).not.toContain(client.key);
  });

  test.each(['.weftignore', '.weft.yaml'])('refuses a repository whose %s is a link', async (name) => {
    await symlink('/dev/zero', join(workspace.folder, 'repo', name));
    await commit({ 'one.yaml': NOOP });
    const { code, err } = await workspace.weft(['sync', 'repo']);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining(`weft: ${name} is a link, which is not followed; put a file in its place`),
    });
    expect((await tree('one')).status).toBe(404);
  });

  test('reads no .weft.yaml outside of the repository', async () => {
    await commit({ 'flows/one.yaml': NOOP });
    await workspace.write({ 'tmp/.weft.yaml': '[no YAML' });
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = join(workspace.folder, 'tmp');
    const { code, err } = await workspace.weft(['sync', 'repo']).finally(() => {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(await sourceOf('flows/one')).toBe(NOOP);
  });

  test('does not leave the repository by a link', async () => {
    await workspace.write({ 'outside/one.yaml': NOOP });
    await symlink(join(workspace.folder, 'outside'), join(workspace.folder, 'repo', 'flows'));
    await symlink(join(workspace.folder, 'outside', 'one.yaml'), join(workspace.folder, 'repo', 'two.yaml'));
    await commit({ 'own.yaml': NOOP });
    const linked = await workspace.weft(['sync', 'repo', '--folder', 'flows']);
    expect(linked).toMatchObject({ code: 2, err: expect.stringContaining('a link that leads out of the repository') });
    expect((await workspace.weft(['sync', 'repo'])).out).toContain('1 created');
  });

  test.each([
    ['an option in place of a URL', ['--', '--upload-pack=touch /tmp/x'], 'is no URL of a repository'],
    ['a transport that starts a program', ['ext::sh -c true'], 'is no URL of a repository'],
    ['a password in the URL', ['https://ada:secret@git.example/flows'], 'the URL has credentials; set WEFT_GIT_TOKEN'],
    ['a branch with a refspec', ['repo', '--branch', 'main:main'], "'main:main' is no name of a branch"],
    ['a folder above the repository', ['repo', '--folder', '../x'], "'../x' is outside of the repository"],
    ['an interval without a unit', ['repo', '--watch', '60'], "'60' is no duration of at least 1s"],
    [
      'an interval that no timer can have',
      ['repo', '--watch', '600h'],
      "'600h' is no duration of at least 1s and at most 576h",
    ],
    ['an unattended prune without consent', ['repo', '--watch', '1m', '--prune'], '--watch with --prune needs --yes'],
  ])('refuses %s before Git is called', async (_, args, message) => {
    const { code, err } = await workspace.weft(['sync', ...args]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
  });
});
