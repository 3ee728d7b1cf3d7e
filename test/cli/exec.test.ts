import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pathOfFile } from '../../bin/cli/workflows/file-path.ts';
import { type Client, openClient, rowsOf } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const ECHO = 'states:\n- id: a\n  type: noop\n  log: "jq(.)"\n';
const FAILING = 'states:\n- id: a\n  type: error\n  error: my.code\n  message: it went wrong\n';
const SLOW =
  'states:\n- id: a\n  type: delay\n  duration: PT1S\n  log: before\n  transition: b\n- id: b\n  type: noop\n  log: after\n';

let client: Client;
let workspace: Workspace;

beforeAll(async () => {
  client = await openClient();
  workspace = await openWorkspace(client, 'demo');
  await client.call('PUT', '/api/namespaces/demo');
  await workspace.write({ 'flows/echo.yaml': ECHO, 'flows/failing.yaml': FAILING, 'flows/slow.yaml': SLOW });
  await workspace.weft(['push', 'flows']);
});

afterAll(async () => {
  await workspace.clear();
  await client.close();
});

describe('weft exec', () => {
  test('prints only the output on the standard output, and the log on the standard error', async () => {
    const { code, out, err } = await workspace.weft(['exec', 'slow', 'x=1']);
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { x: '1' } });
    const lines = err.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^instance [0-9a-f-]{36}$/);
    const messages = lines.slice(1).map((line) => line.replace(/^\S+ /, ''));
    expect(messages.filter((message) => /before|after|completed/.test(message))).toEqual([
      '"before"',
      '"after"',
      'Workflow completed.',
    ]);
    expect(new Set(lines).size).toBe(lines.length);
  });

  test('takes its input from words, a file or the standard input', async () => {
    const outputOf = async (args: readonly string[], input = '') =>
      JSON.parse((await workspace.weft(['exec', 'echo', '-q', ...args], { input })).out) as unknown;
    expect(await outputOf([])).toEqual({});
    expect(await outputOf(['a=1', 'b:=[1,{"c":null}]', 'd=x=y:=z', 'e='])).toEqual({
      a: '1',
      b: [1, { c: null }],
      d: 'x=y:=z',
      e: '',
    });
    await workspace.write({ 'in.json': '{"from":"file"}' });
    expect(await outputOf(['--input', 'in.json'])).toEqual({ from: 'file' });
    expect(await outputOf(['-i', '-'], '{"from":"input"}')).toEqual({ from: 'input' });
  });

  test('lists the input of a file beside the help', async () => {
    const properties = `{order: {type: string}, express: {type: boolean, default: false, description: By air}}`;
    const typed = `input: {required: [order, express], properties: ${properties}}\n${ECHO}`;
    await workspace.write({ 'typed.yaml': typed, 'wrong.yaml': 'states: 1\n' });
    const { code, out } = await workspace.weft(['exec', '--help', 'typed.yaml']);
    expect(code).toBe(0);
    expect(out).toContain(
      'Input of typed.yaml:\n  order=TEXT        required\n  express:=BOOLEAN  default false; By air\n',
    );
    expect((await workspace.weft(['exec', 'flows/echo.yaml', '-h'])).out).toContain('flows/echo.yaml takes any input.');
    expect((await workspace.weft(['exec', 'wrong.yaml', '-h'])).out).toContain(
      "'weft validate wrong.yaml' lists them.",
    );
    const { code: rejected, err } = await workspace.weft(['exec', 'typed.yaml', 'express:=1']);
    expect({ rejected, err }).toMatchObject({ rejected: 1, err: expect.stringContaining('(root): order is required') });
    const run = await workspace.weft(['exec', 'typed.yaml', 'order=o-1', '-q']);
    expect(JSON.parse(run.out)).toEqual({ order: 'o-1', express: false });
  });

  test.each([
    ['no workflow', ['exec'], 'no workflow given; give its path, or a local file'],
    ['an argument that is no input', ['exec', 'echo', 'x'], "'x' is no input; write it as NAME=TEXT or NAME:=JSON"],
    [
      'a number that is too large',
      ['exec', 'echo', 'x:=[1e400]'],
      "'x:=[1e400]' is beyond the range of numbers, which ends at about 1.8e308: .[0] is 1e400; write it as a text, in quotes",
    ],
    ['broken JSON', ['exec', 'echo', 'x:={'], "'x:={' has no JSON after ':='; write a text as NAME=TEXT"],
    ['two inputs', ['exec', 'echo', 'x=1', '-i', 'f'], 'give the input either as a file or as NAME=TEXT, not both'],
    ['a missing file', ['exec', 'echo', '-i', 'none'], "there is no file 'none'"],
  ])('ends with 2 for %s', async (_, args, message) => {
    expect(await workspace.weft(args)).toMatchObject({
      code: 2,
      out: '',
      err: `weft: ${message} (see 'weft help exec')\n`,
    });
  });

  test('ends with 1, the code and the message of a run that failed', async () => {
    const { code, out, err } = await workspace.weft(['exec', 'failing']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err.trimEnd().split('\n').at(-1)).toBe('weft: my.code: it went wrong');
    const failed = await workspace.weft(['exec', 'failing', '--json']);
    expect({ code: failed.code, err: failed.err }).toEqual({ code: 1, err: '' });
    const ending = { status: 'failed', errorCode: 'my.code', errorMessage: 'it went wrong', output: null };
    expect(failed.json()).toEqual({ instance: expect.any(String), error: expect.anything(), ...ending });
  });

  test('prints the result of a run as JSON', async () => {
    const { code, err, json } = await workspace.weft(['exec', 'echo', 'x=1', '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const ending = { status: 'complete', errorCode: '', errorMessage: '', output: { x: '1' } };
    expect(json()).toEqual({ instance: expect.any(String), ...ending });
  });

  test('writes the output to a file', async () => {
    expect(await workspace.weft(['exec', 'echo', 'x=1', '-q', '-o', 'out.json'])).toMatchObject({
      code: 0,
      out: '',
      err: '',
    });
    expect(JSON.parse(await readFile(join(workspace.folder, 'out.json'), 'utf8'))).toEqual({ x: '1' });
  });

  test('pushes a file before it runs it, except with --no-push', async () => {
    const changed = 'states:\n- id: a\n  type: noop\n  transform: { is: changed }\n';
    await workspace.weft(['exec', 'flows/echo.yaml', '-q']);
    await workspace.write({ 'flows/echo.yaml': changed });
    const unpushed = await workspace.weft(['exec', 'flows/echo.yaml', '--no-push', '-q', 'x=1']);
    expect(JSON.parse(unpushed.out)).toEqual({ x: '1' });
    expect(JSON.parse((await workspace.weft(['exec', 'flows/echo.yaml', '-q', 'x=1'])).out)).toEqual({ is: 'changed' });
    await workspace.write({ 'flows/echo.yaml': 'states: [' });
    expect((await workspace.weft(['exec', 'flows/echo.yaml'])).err).toMatch(
      /^weft: 1 problem, nothing was sent\nflows\/echo\.yaml:/,
    );
    await workspace.weft(['push', 'flows']);
  });

  test.each([
    ['its folder and its name', {}, ['a/b', 'c/b']],
    ['its path in the Git repository', { 'git/.git/HEAD': '' }, ['sub/a/b', 'sub/c/b']],
    ['its path from the folder of .weft.yaml', { 'git/.git/HEAD': '', 'git/sub/.weft.yaml': '' }, ['a/b', 'c/b']],
  ])('names the workflow of a file by %s: files of one name are several workflows', async (_, files, paths) => {
    const other = await openWorkspace();
    await other.write({ ...files, 'git/sub/a/b.yaml': ECHO, 'git/sub/c/b.yaml': ECHO });
    const pathIn = (folder: string) => pathOfFile(join(other.folder, 'git/sub', folder), 'b.yaml');
    expect([await pathIn('a'), await pathIn('c')]).toEqual(paths);
    expect(await pathOfFile(join(other.folder, 'git'), 'sub/a/b.yaml')).toBe(paths[0]);
    await other.clear();
  });

  test('explains a folder whose name no directory of a namespace can have', async () => {
    await workspace.write({ '1 odd/b.yaml': ECHO });
    expect(await workspace.weft(['exec', 'b.yaml'], { cwd: '1 odd' })).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        "'1 odd' in the path of b.yaml is no name of a workflow or directory; choose a path",
      ),
    });
  });

  test('runs the given revision', async () => {
    const tree = '/api/namespaces/demo/tree/echo';
    await client.call('POST', `${tree}?op=tag&ref=latest&tag=v1`);
    await workspace.write({ 'new/echo.yaml': 'states:\n- id: a\n  type: noop\n  transform: { is: new }\n' });
    await workspace.weft(['push', 'new']);
    expect(JSON.parse((await workspace.weft(['exec', 'echo', '-q'])).out)).toEqual({ is: 'new' });
    expect(JSON.parse((await workspace.weft(['exec', 'echo', '-q', '--ref', 'v1'])).out)).toEqual({});
  });

  test('starts one run for two calls with the same key', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(() => workspace.weft(['exec', 'slow', '--no-wait', '--idempotency-key', 'k1'])),
    );
    expect(one?.out).toBe(two?.out);
  });

  test('explains how to follow or cancel the run when it is interrupted', async () => {
    const stop = new AbortController();
    const onOutput = (text: string) => {
      if (text.startsWith('instance ')) stop.abort();
    };
    const { code, err } = await workspace.weft(['exec', 'slow'], { signal: stop.signal, onOutput });
    expect(code).toBe(130);
    const id = /^instance (\S+)$/m.exec(err)?.[1] ?? '';
    expect(err).toContain(`the run continues: 'weft logs -f ${id}' follows it, 'weft cancel ${id}' cancels it`);
    expect((await workspace.weft(['logs', '-f', id])).code).toBe(0);
  });

  test('names a missing workflow', async () => {
    expect((await workspace.weft(['exec', 'none'])).err).toMatch(/^weft: no workflow 'none' in '.+'\n$/);
  });
});

describe('weft logs', () => {
  test('prints the log of a run, of a workflow, of the namespace and of the server', async () => {
    const id = String((await workspace.weft(['exec', 'slow', '--json'])).json()['instance']);
    const { code, out, err } = await workspace.weft(['logs', id]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^\S+Z Preparing workflow triggered by api\.\n(?:.*\n)*\S+ Workflow completed\.\n$/);
    const lines = rowsOf((await workspace.weft(['logs', id, '--json'])).json());
    expect(lines).toHaveLength(out.split('\n').length - 1);
    expect(lines[0]).toEqual({ t: expect.any(String), level: 'info', msg: 'Preparing workflow triggered by api.' });
    expect((await workspace.weft(['logs', '--follow', id])).out).toBe(out);
    expect((await workspace.weft(['logs', 'slow'])).out).toContain(id);
    expect((await workspace.weft(['logs', '--workflow', '/slow'])).out).toContain(id);
    expect((await workspace.weft(['logs'])).out).toContain("Created workflow '/slow'.");
    expect((await workspace.weft(['logs', '--server'])).out).toContain("Created namespace 'demo'.");
  });

  test('prints the newest lines, or those since a time', async () => {
    const id = String((await workspace.weft(['exec', 'slow', '--json'])).json()['instance']);
    const all = (await workspace.weft(['logs', id])).out.trimEnd().split('\n');
    const partOf = async (...options: string[]) =>
      (await workspace.weft(['logs', id, ...options])).out.trimEnd().split('\n');
    expect(await partOf('--tail', '2')).toEqual(all.slice(-2));
    expect(await partOf('--tail', '100')).toEqual(all);
    expect(await partOf('--since', '1h')).toEqual(all);
    const since = all.at(-1)?.split(' ')[0] ?? '';
    // Lines of the same millisecond are printed together.
    const expected = all.filter((line) => Date.parse(line.split(' ')[0] ?? '') >= Date.parse(since));
    expect(await partOf('--since', since)).toEqual(expected);
    expect((await workspace.weft(['logs', id, '--since', '2200-01-01'])).out).toBe('');
    expect((await workspace.weft(['logs', id, '--since', 'soon'])).err).toContain(
      "--since is 'soon'; it must be a time",
    );
    expect(await partOf('--since', '1h', '--limit', '2')).toEqual(all.slice(0, 2));
    expect(await partOf('--tail', '3', '--limit', '1')).toEqual(all.slice(-3, -2));
    expect((await workspace.weft(['logs', id, '--limit', '1', '--json'])).json()).toHaveLength(1);
    expect((await workspace.weft(['logs', id, '--limit', 'x'])).err).toContain("--limit is 'x'; it must be a number");
    expect((await workspace.weft(['logs', id, '--tail', 'x'])).err).toContain("--tail is 'x'; it must be a number");
  });

  test('follows new lines until it is interrupted', async () => {
    const stop = new AbortController();
    let seen = '';
    const started: Promise<unknown>[] = [];
    const onOutput = (text: string) => {
      seen += text;
      if (started.length === 0) started.push(client.call('PUT', '/api/namespaces/demo/vars/fresh', { body: '1' }));
      if (seen.includes("namespace variable 'fresh'")) stop.abort();
    };
    const { code, out } = await workspace.weft(['logs', '-f', '--json'], { signal: stop.signal, onOutput });
    await Promise.all(started);
    expect(code).toBe(130);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string });
    expect(lines.at(-1)?.msg).toBe("Created namespace variable 'fresh'.");
  });

  test('colours errors only on a terminal with colours', async () => {
    const id = String((await workspace.weft(['exec', 'failing', '--json'])).json()['instance']);
    expect((await workspace.weft(['logs', id])).out).not.toContain('\u001b');
    expect((await workspace.weft(['logs', id], { hasColour: true })).out).toContain('\u001b[');
  });

  test('needs exactly one log', async () => {
    expect(await workspace.weft(['logs', 'slow', '--server'])).toMatchObject({ code: 2 });
    expect(await workspace.weft(['logs', '-f', 'none'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^weft: no workflow 'none' in '.+'\n$/),
    });
  });
});
