import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, openClient } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const NOOP = 'states:\n- id: a\n  type: noop\n';
const OTHER = 'states:\n- id: b\n  type: noop\n';

let client: Client;
let workspace: Workspace;
let namespace: string;
let count = 0;

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

beforeEach(async () => {
  count += 1;
  namespace = `push-${count}`;
  await client.call('PUT', `/api/namespaces/${namespace}`);
  workspace = await openWorkspace(client, namespace);
  return () => workspace.clear();
});

const tree = (path: string) => client.call('GET', `/api/namespaces/${namespace}/tree/${path}`);
const sourceOf = async (path: string) =>
  Buffer.from(String((await tree(path)).json()['revision']?.['source']), 'base64').toString();

describe('weft push', () => {
  test('warns about what fails in a run, and about subflows that neither the folder nor the namespace has', async () => {
    await client.call('PUT', `/api/namespaces/${namespace}/tree/there?op=create-workflow`, { body: NOOP });
    const calling = (workflow: string) =>
      `functions:\n- {id: f, type: subflow, workflow: ${workflow}}\nstates:\n- {id: a, type: action, action: {function: f}}\n`;
    await workspace.write({
      'flows/one.yaml': calling('there'),
      'flows/two.yaml': calling('nowhere'),
      'flows/three.yaml': "states:\n- {id: a, type: noop, log: 'jq(.a | lenght)'}\n",
    });
    const { code, err } = await workspace.weft(['push', 'flows']);
    expect(code).toBe(0);
    expect(err.match(/^warning: .*/gm)).toEqual([
      expect.stringMatching(/^warning: flows\/three\.yaml:2:.*lenght.*\[jq-unknown-name\]$/),
      expect.stringMatching(/^warning: flows\/two\.yaml:2:.*subflow '\/nowhere' does not exist.*\[subflow-missing\]$/),
    ]);
    expect((await workspace.weft(['push', 'flows', '--no-validate'])).err).toBe('');
  });

  test('creates the workflows of a folder with their directories and variables, and sends only what changed', async () => {
    await workspace.write({
      'flows/hello.yaml': NOOP,
      'flows/hello.yaml.data.json': '{"d":1}\n',
      'flows/hello.yaml.more.yaml': 'a: 1\n',
      'flows/sub/deep/w2.yml': NOOP,
      'flows/README.md': '# no workflow',
    });
    const first = await workspace.weft(['push', 'flows']);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out.trimEnd().split('\n')).toEqual([
      'created    directory sub',
      'created    directory sub/deep',
      'created    workflow hello',
      'created    variable hello: data.json',
      'created    variable hello: more.yaml',
      'created    workflow sub/deep/w2',
      '4 created',
    ]);
    expect(await sourceOf('sub/deep/w2')).toBe(NOOP);
    expect((await tree('hello?op=var&var=data.json')).text).toBe('{"d":1}\n');
    const again = await workspace.weft(['push', 'flows']);
    expect(again.out).toMatch(/\n4 unchanged\n$/);
    const before = (await tree('hello')).json()['revision']?.['name'];
    await workspace.write({ 'flows/sub/deep/w2.yml': OTHER, 'flows/hello.yaml.data.json': '{"d":2}\n' });
    const items = (await workspace.weft(['push', 'flows', '--json'])).json() as unknown as {
      change: string;
      name: string;
    }[];
    expect(items.filter(({ change }) => change !== 'unchanged')).toMatchObject([
      { kind: 'variable', name: 'hello: data.json', change: 'update' },
      { kind: 'workflow', name: 'sub/deep/w2', change: 'update', details: ['source'] },
    ]);
    expect((await tree('hello')).json()['revision']?.['name']).toBe(before);
    expect(await sourceOf('sub/deep/w2')).toBe(OTHER);
  });

  test('leaves out tests beside workflows, but not a workflow with such a name', async () => {
    await workspace.write({
      'flows/one.yaml': NOOP,
      'flows/one.test.yaml': 'workflow: one.yaml\ncases: [{name: it}]\n',
      'flows/two.test.yaml': NOOP,
    });
    const { code, out, err } = await workspace.weft(['push', 'flows']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.trim().split('\n')).toEqual(['created    workflow one', 'created    workflow two.test', '2 created']);
  });

  test('pushes one file to a given path', async () => {
    await workspace.write({ 'flows/hello.yaml': NOOP, 'flows/hello.yaml.x': '1', 'flows/other.yaml': NOOP });
    expect((await workspace.weft(['push', 'flows/hello.yaml'])).out).toMatch(/^created {4}workflow hello\n/);
    expect((await workspace.weft(['push', 'flows/hello.yaml', '/a/b/'])).code).toBe(0);
    expect((await workspace.weft(['push', 'flows', 'c/d'])).code).toBe(0);
    expect((await workspace.weft(['push', 'flows/hello.yaml', '--keep-extension'])).out).toContain(
      'workflow hello.yaml',
    );
    expect((await tree('a/b?op=var&var=x')).text).toBe('1');
    for (const path of ['hello', 'a/b', 'c/d/other', 'hello.yaml']) expect((await tree(path)).status).toBe(200);
    expect((await tree('other')).status).toBe(404);
  });

  test('uses paths relative to the folder of .direktiv.yaml, as Direktiv’s command line does', async () => {
    await workspace.write({ '.direktiv.yaml': `addr: ${client.url}\n`, 'sub/deep/w.yaml': NOOP });
    expect((await workspace.weft(['push', 'w.yaml'], { cwd: 'sub/deep' })).out).toContain('workflow sub/deep/w\n');
    expect((await workspace.weft(['push', 'sub'])).out).toContain('unchanged  workflow sub/deep/w\n');
  });

  test('prefers .weft.yaml to a .direktiv.yaml in the same folder', async () => {
    const files = { '.direktiv.yaml': 'namespace: theirs\n', '.weft.yaml': 'namespace: ours\n' };
    await workspace.write({ ...files, 'below/w.yaml': NOOP });
    const pushed = await workspace.weft(['push', 'w.yaml'], { cwd: 'below', env: { WEFT_NAMESPACE: '' } });
    expect(pushed.err).toContain("namespace 'ours'");
  });

  test('sends no file that is not UTF-8', async () => {
    await workspace.write({ 'latin1.yaml': Buffer.from("states: [{id: a, type: noop, log: '\u00e9'}]\n", 'latin1') });
    const { code, err } = await workspace.weft(['push', 'latin1.yaml']);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('latin1.yaml:1:36: the text is not UTF-8; save the file in that encoding'),
    });
  });

  test('prints every problem of every file with its position, and sends nothing', async () => {
    await workspace.write({
      'flows/good.yaml': NOOP,
      'flows/one.yaml': 'states:\n- id: a\n  type: nop\n',
      'flows/two.yaml': 'states:\n- id: a\n  type: noop\n  transition: b\n',
    });
    const { code, out, err } = await workspace.weft(['push', 'flows']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^weft: 2 problems, nothing was sent\nflows\/one\.yaml:3:9: state\[0\]: type unrecognized/);
    expect(err).toMatch(/\nflows\/two\.yaml:4:15: /);
    expect((await tree('good')).status).toBe(404);
    const unchecked = await workspace.weft(['push', 'flows', '--no-validate', '-q']);
    expect(unchecked.code).toBe(1);
    expect(unchecked.out).toMatch(/^failed {5}workflow one: 406: .*\nfailed {5}workflow two: 406: .*\n2 failed\n$/);
    expect((await tree('good')).status).toBe(200);
  });

  test('skips ignored and hidden files and other kinds of definitions, and does not follow links', async () => {
    await workspace.write({
      'flows/.weftignore': '# notes\ndrafts/\n*.tmp.yaml\n!kept.tmp.yaml\n',
      'flows/.direktivignore': '/top.yaml\n',
      'flows/kept.yaml': NOOP,
      'flows/kept.tmp.yaml': NOOP,
      'flows/a.tmp.yaml': ':',
      'flows/drafts/d.yaml': ':',
      'flows/top.yaml': ':',
      'flows/sub/top.yaml': NOOP,
      'flows/.hidden/h.yaml': ':',
      'flows/node_modules/n.yaml': ':',
      'flows/consumer.yaml': 'direktiv_api: consumer/v1\nusername: x\n',
      'elsewhere/e.yaml': ':',
    });
    await symlink(join(workspace.folder, 'elsewhere'), join(workspace.folder, 'flows/link'));
    const { code, out } = await workspace.weft(['push', 'flows']);
    expect(code).toBe(0);
    const names = [...out.matchAll(/workflow (\S+)/g)].map(([, name]) => name);
    expect(names).toEqual(['kept.tmp', 'kept', 'sub/top']);
  });

  test.each([
    [
      'a folder without workflows',
      { 'flows/x.txt': '' },
      ['push', 'flows'],
      'flows contains no workflow; the files of workflows end in .yaml or .yml',
    ],
    ['a missing file', {}, ['push', 'none'], 'none cannot be read: ENOENT'],
    ['no file', {}, ['push'], "'push' takes FILE.yaml|DIRECTORY [PATH]"],
    [
      'an invalid name',
      { 'flows/1hello.yaml': NOOP },
      ['push', 'flows'],
      "1hello.yaml: '1hello' is no name of a node; use letters, digits, - _ and . after a letter, or ignore the file",
    ],
  ])('ends with 2 for %s', async (_, files: Record<string, string>, args, message) => {
    await workspace.write(files);
    expect(await workspace.weft(args)).toMatchObject({
      code: 2,
      out: '',
      err: `weft: ${message} (see 'weft help push')\n`,
    });
  });

  test('ends with 1 for two files with one path, for the path of a directory, and for a missing namespace', async () => {
    await workspace.write({ 'flows/x.yaml': NOOP, 'flows/x.yml': NOOP, 'one/x.yaml': NOOP });
    expect((await workspace.weft(['push', 'flows'])).err).toBe(
      "weft: two files have the path 'x' of a workflow; rename one\n",
    );
    await client.call('PUT', `/api/namespaces/${namespace}/tree/x?op=create-directory`);
    const blocked = await workspace.weft(['push', 'one']);
    expect(blocked).toMatchObject({ code: 1, out: 'conflict   workflow x (a directory has this path)\n1 failed\n' });
    expect(await workspace.weft(['push', 'one', '-n', 'missing'])).toMatchObject({
      code: 1,
      err: "weft: no namespace 'missing'; create it with 'weft namespaces create missing'\n",
    });
  });

  test('pushes again when a file changes while it watches', async () => {
    await workspace.write({ 'flows/w.yaml': NOOP });
    const stop = new AbortController();
    const steps = [
      { sees: 'watching', does: () => workspace.write({ 'flows/w.yaml': 'states: [' }) },
      { sees: 'problem', does: () => workspace.write({ 'flows/w.yaml': OTHER }) },
      { sees: 'updated    workflow w', does: async () => stop.abort() },
    ];
    const onOutput = (text: string) => {
      if (steps[0] !== undefined && text.includes(steps[0].sees)) void steps.shift()?.does();
    };
    const { code } = await workspace.weft(['push', 'flows', '--watch'], { signal: stop.signal, onOutput });
    expect({ code, left: steps.length }).toEqual({ code: 130, left: 0 });
    expect(await sourceOf('w')).toBe(OTHER);
    await rm(join(workspace.folder, 'flows'), { recursive: true });
  });
});
