import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Json, openClient, rowsOf } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const sourceOf = (version: string, start = '') =>
  `${start}states:\n- id: a\n  type: noop\n  transform: { version: ${version} }\n`;
const EVENT = 'start:\n  type: event\n  event: { type: greeting }\n';

/** The services of the export and of the import. */
let from: Client;
let to: Client;
let workspace: Workspace;

const place = (client: Client) => ['--url', client.url, '--key', client.key];

async function need(client: Client, method: string, path: string, options: Parameters<Client['call']>[2] = {}) {
  const answer = await client.call(method, `/api/namespaces/${path}`, options);
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer;
}

/** Workflows of every kind: with revisions, tags and routes, disabled, started by events, with attributes and a logger. */
async function fill(client: Client): Promise<void> {
  await need(client, 'PUT', 'demo');
  await need(client, 'PUT', 'demo/tree/dir?op=create-directory');
  await need(client, 'PUT', 'demo/tree/dir/empty?op=create-directory');
  await need(client, 'PUT', 'demo/tree/dir?op=create-node-attributes', { json: { attributes: ['b', 'a'] } });
  const wf = 'demo/tree/dir/routed.yaml';
  const first = await need(client, 'PUT', `${wf}?op=create-workflow`, { body: sourceOf('one') });
  await need(client, 'POST', `${wf}?op=save-workflow`);
  await need(client, 'POST', `${wf}?op=tag&ref=latest&tag=v1`);
  await need(client, 'POST', `${wf}?op=update-workflow`, { body: sourceOf('two') });
  await need(client, 'POST', `${wf}?op=tag&ref=latest&tag=v2`);
  await need(client, 'POST', `${wf}?op=update-workflow`, { body: sourceOf('three') });
  await need(client, 'POST', `${wf}?op=update-workflow`, { body: sourceOf('four') });
  const route = [
    { ref: String(first.json()['revision']?.['name']), weight: 30 },
    { ref: 'latest', weight: 50 },
    { ref: 'v2', weight: 20 },
  ];
  await need(client, 'POST', `${wf}?op=edit-router`, { json: { live: true, route } });
  await need(client, 'PUT', `${wf}?op=set-var&var=conf.json`, { body: '{"a":1}' });
  await need(client, 'PUT', 'demo/tree/listening?op=create-workflow', { body: sourceOf('x', EVENT) });
  await need(client, 'PUT', 'demo/tree/off?op=create-workflow', { body: sourceOf('y') });
  await need(client, 'POST', 'demo/tree/off?op=toggle', { json: { live: false } });
  await need(client, 'POST', 'demo/tree/off?op=set-workflow-event-logging', { json: { logger: 'lg' } });
  await need(client, 'PUT', 'demo/vars/big', {
    body: Buffer.alloc(2_000_000, 'xyz'),
    headers: { 'Content-Type': 'application/x-big' },
  });
  await need(client, 'PUT', 'demo/vars/empty', { body: '', headers: { 'Content-Type': 'text/css' } });
  await need(client, 'PUT', 'demo/secrets/pw', { body: 'hunter2' });
  await need(client, 'PATCH', 'demo/config', {
    json: {
      ...{ broadcast: { 'workflow.update': true }, events: { lookback: 'PT1H' }, record: 'flow' },
      ...{ limits: { activeRuns: 7 }, egress: ['api.internal'] },
      alerts: { url: 'https://hooks.example/', secret: 'pw', within: 'PT1M' },
      mail: { host: 'mail.example', user: 'name', password: 'pw' },
    },
  });
}

/** Unpacks an archive, and returns its files by name. */
async function contentOf(file: string): Promise<Map<string, string>> {
  const folder = join(workspace.folder, `${file}.content`);
  await mkdir(folder, { recursive: true });
  execFileSync('tar', ['xzf', join(workspace.folder, file), '-C', folder]);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = files.map(async (name) => [name.slice(folder.length + 1), await readFile(name, 'latin1')] as const);
  return new Map((await Promise.all(texts)).sort());
}

/** Without ids and the times of creation and export, which differ between servers. */
async function comparable(file: string): Promise<Record<string, string>> {
  const content = await contentOf(file);
  const ids = [...content].flatMap(([name, text]) =>
    name.endsWith('_workflow.json')
      ? rowsOf((JSON.parse(text) as Json)['revisions']).flatMap((row) => rowsOf(row['ids']))
      : [],
  );
  const known = new Map(ids.map((id, index) => [String(id), `id-${index}`]));
  const plain = [...content].map(([name, text]) => [
    name,
    [...known]
      .reduce((result, [id, short]) => result.replaceAll(id, short), text)
      .replace(/"(createdAt|exportedAt|url)": ".*"/g, ''),
  ]);
  return Object.fromEntries(plain) as Record<string, string>;
}

beforeAll(async () => {
  [from, to] = await Promise.all([openClient(), openClient()]);
  workspace = await openWorkspace();
  await fill(from);
});

afterAll(async () => {
  await workspace.clear();
  await Promise.all([from.close(), to.close()]);
});

const SETTINGS = [
  'workflow.update',
  'lookback',
  'limits {"activeRuns":7}',
  'record "flow"',
  'egress ["api.internal"]',
  'alerts {"url":"https://hooks.example/","secret":"pw","within":"PT1M"}',
  'mail {"host":"mail.example","user":"name","password":"pw"}',
].join('; ');

const listOf = (ended: { readonly out: string }) => ended.out.trimEnd().split('\n');

describe('a namespace that is exported and imported', () => {
  test('is exported completely, with only the names of secrets', async () => {
    const ended = await workspace.weft(['export', 'demo', 'one.tar.gz', '--quiet', ...place(from)]);
    expect(ended.code, ended.err).toBe(0);
    expect(ended.out).toBe('one.tar.gz: 3 workflows with 5 revisions, 3 directories, 3 variables\n');
    const content = await contentOf('one.tar.gz');
    expect([...content.keys()].filter((name) => name.startsWith('tree/dir/'))).toEqual([
      'tree/dir/_directory.json',
      'tree/dir/empty/_directory.json',
      'tree/dir/routed.yaml/_workflow.json',
      'tree/dir/routed.yaml/revisions/1.yaml',
      'tree/dir/routed.yaml/revisions/2.yaml',
      'tree/dir/routed.yaml/revisions/3.yaml',
      'tree/dir/routed.yaml/variables/conf.json',
    ]);
    expect([...content.values()].join('')).not.toContain('hunter2');
    expect(JSON.parse(content.get('namespace.json') ?? '')).toMatchObject({ secrets: ['pw'] });
    expect(JSON.parse(content.get('manifest.json') ?? '')).toMatchObject({
      format: 'weft-namespace',
      version: 1,
      namespace: 'demo',
      server: { url: from.url, version: 'v0.1.0' },
    });
  });

  test('is printed before it is imported, and nothing is changed without confirmation', async () => {
    const plan = [
      'create     namespace demo',
      'create     directory dir',
      'create     directory dir/empty',
      'create     variable big',
      'create     variable empty',
      'create     workflow dir/routed.yaml (3 revisions)',
      'create     variable dir/routed.yaml: conf.json',
      'create     workflow listening',
      'create     workflow off',
      `update     settings (${SETTINGS})`,
      'by-hand    secret pw (weft secrets set pw)',
      '9 to create, 1 to update, 1 unchanged, 1 by hand',
    ];
    const dry = await workspace.weft(['import', 'one.tar.gz', '--dry-run', ...place(to)]);
    expect({ code: dry.code, lines: listOf(dry) }).toEqual({ code: 0, lines: plan });
    const unasked = await workspace.weft(['import', 'one.tar.gz', ...place(to)]);
    expect(unasked.code).toBe(2);
    expect(unasked.err).toMatch(/^weft: nothing was changed: 10 changes in 'demo' need --yes; --dry-run prints them/);
    const refused = await workspace.weft(['import', 'one.tar.gz', ...place(to)], { answers: ['n'] });
    expect({ code: refused.code, asked: refused.asked }).toEqual({
      code: 1,
      asked: ["Make these 10 changes in 'demo'? [y/N] "],
    });
    expect((await to.call('GET', '/api/namespaces/demo/tree')).status).toBe(404);
  });

  test('is the same after another export', async () => {
    const ended = await workspace.weft(['import', 'one.tar.gz', ...place(to)], { answers: ['y'] });
    expect(ended.code, ended.err + ended.out).toBe(0);
    expect(listOf(ended).at(-1)).toBe('9 created, 1 updated, 1 unchanged, 1 by hand');
    await need(to, 'PUT', 'demo/secrets/pw', { body: 'other' });
    expect((await workspace.weft(['export', 'demo', 'two.tar.gz', '-q', ...place(to)])).code).toBe(0);
    expect(await comparable('two.tar.gz')).toEqual(await comparable('one.tar.gz'));
  });

  test('runs as before', async () => {
    const run = async (path: string) => (await to.call('GET', `/api/namespaces/demo/tree/${path}`)).json();
    expect(await run('dir/routed.yaml?op=wait&ref=v1')).toEqual({ version: 'one' });
    expect(await run('dir/routed.yaml?op=wait&ref=v2')).toEqual({ version: 'two' });
    expect(await run('dir/routed.yaml?op=wait&ref=latest')).toEqual({ version: 'four' });
    expect((await to.call('POST', '/api/namespaces/demo/tree/off?op=execute')).status).toBe(500);
    const listeners = rowsOf((await to.call('GET', '/api/namespaces/demo/event-listeners')).json()['results']);
    expect(listeners.map((row) => row['workflow'])).toEqual(['/listening']);
  });

  test('is not changed by a second import', async () => {
    const before = (await to.call('GET', '/api/namespaces/demo/tree/dir/routed.yaml')).json()['revision']?.['name'];
    const ended = await workspace.weft(['import', 'one.tar.gz', '--yes', ...place(to)]);
    expect({ code: ended.code, lines: listOf(ended) }).toEqual({ code: 0, lines: ['11 unchanged'] });
    const printed = (await workspace.weft(['import', 'one.tar.gz', '--json', ...place(to)])).json();
    expect(printed).toMatchObject({ namespace: 'demo', applied: false });
    expect(rowsOf(printed['items']).every(({ change }) => String(change) === 'unchanged')).toBe(true);
    expect((await to.call('GET', '/api/namespaces/demo/tree/dir/routed.yaml')).json()['revision']?.['name']).toBe(
      before,
    );
  });

  test('is corrected where it differs, and nothing else is deleted', async () => {
    const wf = 'demo/tree/dir/routed.yaml';
    await need(to, 'POST', `${wf}?op=edit-router`, { json: { live: true, route: [] } });
    await need(to, 'POST', `${wf}?op=update-workflow`, { body: sourceOf('five') });
    await need(to, 'POST', `${wf}?op=tag&ref=latest&tag=mine`);
    await need(to, 'POST', `${wf}?op=retag&ref=latest&tag=v1`);
    await need(to, 'POST', `${wf}?op=untag&ref=v2`);
    await need(to, 'PUT', 'demo/vars/own', { body: '1' });
    await need(to, 'PUT', 'demo/vars/empty', { body: 'not' });
    await need(to, 'POST', 'demo/tree/off?op=toggle', { json: { live: true } });
    await need(to, 'DELETE', 'demo/tree/listening?op=delete-node');
    const ended = await workspace.weft(['import', 'one.tar.gz', '--yes', ...place(to)]);
    expect({ code: ended.code, lines: listOf(ended) }).toEqual({
      code: 0,
      lines: [
        'updated    variable empty',
        'updated    workflow dir/routed.yaml (source; 1 older revision; tag v1; tag v2; router)',
        'created    workflow listening',
        'updated    workflow off (switch)',
        '1 created, 3 updated, 7 unchanged',
      ],
    });
    expect((await need(to, 'GET', 'demo/vars/own')).text).toBe('1');
    expect((await need(to, 'GET', `${wf}?op=wait&ref=mine`)).json()).toEqual({ version: 'five' });
    expect((await need(to, 'GET', `${wf}?op=wait&ref=v1`)).json()).toEqual({ version: 'one' });
    expect((await need(to, 'GET', `${wf}?op=wait&ref=v2`)).json()).toEqual({ version: 'two' });
    await need(to, 'POST', `${wf}?op=untag&ref=mine`);
    await need(to, 'DELETE', 'demo/vars/own');
    await workspace.weft(['export', 'demo', 'three.tar.gz', '-q', ...place(to)]);
    expect(await comparable('three.tar.gz')).toEqual(await comparable('one.tar.gz'));
  });

  test('is completed after a partial import', async () => {
    await need(to, 'PUT', 'half');
    await need(to, 'PUT', 'half/tree/dir?op=create-directory');
    await need(to, 'PUT', 'half/tree/dir/routed.yaml?op=create-workflow', { body: sourceOf('one') });
    await need(to, 'POST', 'half/tree/dir/routed.yaml?op=toggle', { json: { live: false } });
    await need(to, 'PUT', 'half/vars/big', { body: 'cut off' });
    const ended = await workspace.weft(['import', 'one.tar.gz', 'half', '--yes', ...place(to)]);
    expect(ended.code, ended.err + ended.out).toBe(0);
    await need(to, 'PUT', 'half/secrets/pw', { body: 'x' });
    await workspace.weft(['export', 'half', 'half.tar.gz', '-q', ...place(to)]);
    const half = await comparable('half.tar.gz');
    const whole = await comparable('one.tar.gz');
    expect({ ...half, 'manifest.json': '' }).toEqual({ ...whole, 'manifest.json': '' });
  });

  test('leaves settings out that only an administrator changes, with a note', async () => {
    await need(to, 'PUT', 'keyed');
    const key = { name: 'w', permission: 'write', namespaces: ['keyed'] };
    const made = (await to.call('POST', '/api/keys', { json: key })).json();
    const ended = await workspace.weft(['import', 'one.tar.gz', 'keyed', '--yes', '--url', to.url], {
      env: { WEFT_KEY: String(made['secret'] ?? made['key']) },
    });
    expect(ended.code, ended.err + ended.out).toBe(0);
    expect(ended.err).toMatch(
      /note: settings: limits is left out: 403: .*\n.*note: settings: egress is left out: 403: /,
    );
    const { alerts, limits, mail } = (await need(to, 'GET', 'keyed/config')).json();
    expect([alerts?.['secret'], mail?.['user'], limits]).toEqual(['pw', 'name', undefined]);
    const plan = await workspace.weft(['import', 'one.tar.gz', 'other', '--dry-run', '--no-settings', ...place(to)]);
    expect(plan.out).not.toContain('settings');
  });

  test('is imported although single items have conflicts', async () => {
    await need(to, 'PUT', 'blocked');
    await need(to, 'PUT', 'blocked/tree/off?op=create-directory');
    await need(to, 'PUT', 'blocked/tree/dir?op=create-workflow', { body: sourceOf('z') });
    const ended = await workspace.weft(['import', 'one.tar.gz', 'blocked', '--yes', ...place(to)]);
    expect(ended.code).toBe(1);
    const plan = await workspace.weft(['import', 'one.tar.gz', 'blocked', '--dry-run', ...place(to)]);
    expect(plan.out).toContain('conflict   directory dir (a workflow has this path)\n');
    expect(plan.out).toContain('conflict   workflow off (a directory has this path)\n');
    expect((await need(to, 'GET', 'blocked/tree/listening')).status).toBe(200);
    expect((await need(to, 'GET', 'blocked/vars/big')).bytes).toHaveLength(2_000_000);
  });

  test('can be imported from an unpacked archive', async () => {
    const folder = 'one.tar.gz.content';
    const ended = await workspace.weft(['import', folder, '--dry-run', ...place(to)]);
    expect({ code: ended.code, lines: listOf(ended) }).toEqual({ code: 0, lines: ['11 unchanged'] });
    await writeFile(join(workspace.folder, folder, 'tree/off/revisions/1.yaml'), sourceOf('changed'));
    expect((await workspace.weft(['import', folder, '--dry-run', ...place(to)])).err).toBe(
      'weft: tree/off/revisions/1.yaml in the archive differs from the exported file: its hash is another one\n',
    );
  });
});

describe('weft export', () => {
  test('leaves no file behind when it fails', async () => {
    const missing = await workspace.weft(['export', 'none', 'none.tar.gz', ...place(from)]);
    expect(missing).toMatchObject({ code: 1, err: `weft: no namespace 'none' at ${from.url}\n` });
    expect((await workspace.weft(['export', 'demo', 'none.tar.gz', '--url', from.url, '--key', 'wrong'])).code).toBe(3);
    expect((await readdir(workspace.folder)).filter((name) => name.startsWith('none'))).toEqual([]);
  });

  test('prints what was exported as JSON', async () => {
    const { code, json } = await workspace.weft(['export', 'demo', 'demo.tar.gz', '--json', ...place(from)]);
    expect(code).toBe(0);
    const counts = { workflows: 3, revisions: 5, directories: 3, variables: 3 };
    expect(json()).toMatchObject({ namespace: 'demo', file: 'demo.tar.gz', ...counts });
  });
});

describe('a folder of workflow files', () => {
  test('is imported as it would be pushed, after confirmation', async () => {
    await need(to, 'PUT', 'git');
    await workspace.write({ 'repo/a/wf.yaml': sourceOf('git'), 'repo/a/wf.yaml.v': '1', 'repo/bad.yaml': 'states: [' });
    const plan = await workspace.weft(['import', 'repo', 'git', '--dry-run', ...place(to)]);
    expect(plan.code).toBe(1);
    expect(listOf(plan)).toEqual([
      'create     directory a',
      'create     workflow a/wf',
      'create     variable a/wf: v',
      expect.stringMatching(/^conflict {3}workflow bad \(repo\/bad\.yaml:\d+:\d+: yaml: /),
      '3 to create, 1 conflict',
    ]);
    await workspace.write({ 'repo/bad.yaml': sourceOf('good') });
    expect((await workspace.weft(['import', 'repo', 'git', '-y', ...place(to)])).code).toBe(0);
    expect((await workspace.weft(['push', 'repo', '-n', 'git', ...place(to)])).out).toMatch(/\n3 unchanged\n$/);
  });
});

describe('names with capitals, as in archives of v0.8', () => {
  test('are pushed, exported and imported', async () => {
    await workspace.write({ 'capitals/Billing/Pay.yaml': sourceOf('one'), 'capitals/Main.yaml': sourceOf('two') });
    const run = async (args: readonly string[]) => {
      const ended = await workspace.weft(args);
      expect(ended.code, ended.err).toBe(0);
      return ended;
    };
    await run(['namespaces', 'create', 'capitals', ...place(from)]);
    await run(['push', 'capitals', '-n', 'capitals', '--yes', ...place(from)]);
    await run(['export', 'capitals', 'capitals.tar.gz', '--quiet', ...place(from)]);
    await run(['import', 'capitals.tar.gz', '--yes', ...place(to)]);
    const node = await need(to, 'GET', 'capitals/tree/Billing/Pay');
    expect(node.json()['node']).toMatchObject({ name: 'Pay', path: '/Billing/Pay', type: 'workflow' });
    const answer = await need(to, 'POST', 'capitals/tree/Main?op=wait', { json: {} });
    expect(answer.json()).toEqual({ version: 'two' });
  });
});
