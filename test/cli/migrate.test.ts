import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient } from '../service/access/client.ts';
import { answerJson, type FakeServer, openFakeServer } from './fake-server.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const OLD = 'id: greet\nstates:\n- id: sayHello\n  type: noop\n  transform: \'{ "text": "Hello" }\'\n';
const NEW = 'states:\n- id: say-hello\n  type: noop\n  transform: \'jq({ "text": "Hello" })\'\n';
const CALLER = 'functions:\n- {id: f, workflow: greet}\nstates:\n- {id: a, type: action, action: {function: f}}\n';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
});
afterAll(() => workspace.clear());

const read = (name: string) => readFile(join(workspace.folder, name), 'utf8');

describe('weft migrate of a folder', () => {
  test('prints changes, the difference, constructs and images, and writes nothing', async () => {
    await workspace.write({ 'seen/greet.yaml': OLD, 'seen/svc.yaml': 'direktiv_api: service/v1\nimage: acme/f\n' });
    const { code, out, err } = await workspace.weft(['migrate', 'seen']);
    expect({ code, err }).toEqual({ code: 0, err: 'nothing was written: 1 text to change; --write writes it\n' });
    expect(out).toContain("  line 1: removed 'id'");
    expect(out).toContain('\n-- id: sayHello\n+- id: say-hello\n');
    expect(out).toMatch(/^unsupported {2}1 {6}service file/m);
    expect(out).toContain('1 workflow text: 0 need no change, 1 can be stored after these changes, 0 cannot be stored');
    expect(await read('seen/greet.yaml')).toBe(OLD);
  });

  test('writes with --write, renames files that are no names in the tree, and corrects who calls them', async () => {
    await workspace.write({ 'new/Greet All.yaml': OLD, 'new/Greet All.yaml.data': 'x', 'new/caller.yaml': CALLER });
    expect(await workspace.weft(['migrate', 'new', '--write', '-q'])).toMatchObject({ code: 0, err: '' });
    expect((await readdir(join(workspace.folder, 'new'))).sort()).toEqual([
      'caller.yaml',
      'greet-all.yaml',
      'greet-all.yaml.data',
    ]);
    expect(await read('new/greet-all.yaml')).toBe(NEW);
    expect(await read('new/caller.yaml')).toContain('{id: f, type: subflow, workflow: /greet-all}');
    const again = await workspace.weft(['migrate', 'new', '--write']);
    expect(again.out).toContain('2 workflow texts: 2 need no change');
  });

  test('asks before it writes', async () => {
    await workspace.write({ 'asked.yaml': OLD });
    const refused = await workspace.weft(['migrate', 'asked.yaml'], { answers: ['n'] });
    expect({ asked: refused.asked, text: await read('asked.yaml') }).toEqual({
      asked: ['Write 1 text? [y/N] '],
      text: OLD,
    });
    await workspace.weft(['migrate', 'asked.yaml'], { answers: ['y'] });
    expect(await read('asked.yaml')).toBe(NEW);
  });

  test('fails for a text that it cannot rewrite, names the place, and rewrites the others', async () => {
    await workspace.write({ 'mixed/a.yaml': 'states:\n- {id: a, type: callback}\n', 'mixed/b.yaml': OLD });
    const { code, json } = await workspace.weft(['migrate', 'mixed', '--json']);
    expect(code).toBe(1);
    expect(json()).toMatchObject({
      texts: [
        { file: 'a.yaml', isChanged: false, findings: [{ rule: 'unknown-type', line: 2 }] },
        { file: 'b.yaml', isChanged: true, text: NEW, findings: [] },
      ],
      isWritten: false,
    });
  });
});

describe('weft migrate with a service', () => {
  let client: Client;
  let old: FakeServer;
  const RUNS = [
    { id: '1', as: 'double', invoker: 'api', status: 'complete', input: { n: 2 }, output: { n: 4 } },
    { id: '2', as: '/double:latest', invoker: 'api', status: 'complete', input: { n: 3 }, output: { n: 7 } },
    { id: '3', as: 'fail', invoker: 'api', status: 'failed', errorCode: 'direktiv.jq.badCommand', input: {} },
    { id: '4', as: 'double', invoker: 'cron', status: 'complete', input: {}, output: {} },
    { id: '5', as: 'gone', invoker: 'api', status: 'complete', input: {}, output: {} },
  ];
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

  beforeAll(async () => {
    client = await openClient();
    old = await openFakeServer(({ url }, response) => {
      const [, id, part] = /\/instances\/(\d)\/(input|output)$/.exec(url) ?? [];
      const run = RUNS.find((one) => one.id === id);
      if (run === undefined) return answerJson(response, { instances: { results: RUNS } });
      return answerJson(response, { data: encode(part === 'input' ? run.input : run.output) });
    });
    await client.call('PUT', '/api/namespaces/moved');
    const store = (name: string, body: string) =>
      client.call('PUT', `/api/namespaces/moved/tree/${name}?op=create-workflow`, { body });
    await store('double', 'states:\n- {id: a, type: noop, transform: {n: jq(.n * 2)}}\n');
    await store('fail', "states:\n- {id: a, type: noop, transform: 'jq(.a | error)'}\n");
  });
  afterAll(() => {
    old.close();
    return client.close();
  });

  const place = () => ['--url', client.url, '--key', client.key, '-n', 'moved'];

  test('runs the recorded inputs of another server, and compares the outcomes', async () => {
    const { code, json } = await workspace.weft(['migrate', '--compare', old.url, '--yes', '--json', ...place()]);
    expect(code).toBe(1);
    const { comparisons, same } = json();
    expect(same).toBe(2);
    expect(comparisons).toMatchObject([
      { old: '1', differences: [] },
      { old: '2', differences: ['output was {"n":7}, is {"n":6}'] },
      { old: '3', differences: [] },
      { old: '5', differences: ["no workflow 'gone' in 'moved'"] },
    ]);
    expect(old.asked.every(({ method }) => method === 'GET')).toBe(true);
  });

  test('compares the named workflows only, and asks before it runs them', async () => {
    const refused = await workspace.weft(['migrate', '--compare', old.url, 'fail', ...place()]);
    expect({ code: refused.code, err: refused.err }).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    const { code, out } = await workspace.weft(['migrate', '--compare', old.url, 'fail', '--yes', ...place()]);
    expect({ code, last: out.trim().split('\n').at(-1) }).toEqual({
      code: 0,
      last: '1 of 1 runs have the same outcome',
    });
  });

  test('rewrites every revision in an archive, which can be imported', async () => {
    await client.call('PUT', '/api/namespaces/source');
    await client.call('PUT', '/api/namespaces/source/tree/a?op=create-workflow', {
      body: 'states:\n- {id: a, type: noop}\n',
    });
    const at = ['--url', client.url, '--key', client.key];
    await workspace.weft(['export', 'source', 'old.tar.gz', ...at]);
    await plant(OLD);
    const { code, out } = await workspace.weft(['migrate', 'old.tar.gz', '--out', 'new.tar.gz']);
    expect({ code, last: out.trim().split('\n').at(-1) }).toEqual({
      code: 0,
      last: "new.tar.gz written; import it with 'weft import new.tar.gz'",
    });
    expect(await workspace.weft(['import', 'new.tar.gz', 'target', '--yes', ...at])).toMatchObject({ code: 0 });
    const stored = await client.call('GET', '/api/namespaces/target/tree/a');
    expect(Buffer.from(String(stored.json()['revision']?.['source']), 'base64').toString()).toBe(NEW);
  });

  /** Replaces the text of the only workflow in old.tar.gz, as an older server would have exported it. */
  async function plant(text: string): Promise<void> {
    const run = (...args: string[]) => execFileSync('tar', args, { cwd: workspace.folder });
    await workspace.write({ 'unpacked/.keep': '' });
    run('xzf', 'old.tar.gz', '-C', 'unpacked');
    const described = JSON.parse(await read('unpacked/tree/a/_workflow.json'));
    described.revisions[0].hash = createHash('sha256').update(text).digest('hex');
    await workspace.write({
      'unpacked/tree/a/_workflow.json': JSON.stringify(described),
      'unpacked/tree/a/revisions/1.yaml': text,
    });
    const names = ['namespace.json', 'variables.json', 'tree', 'manifest.json'];
    run('czf', 'old.tar.gz', '-C', 'unpacked', ...names);
  }
});
