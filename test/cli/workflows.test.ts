import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const NOOP = 'states:\n- {id: a, type: noop}\n';
const OTHER = 'states:\n- {id: b, type: noop}\n';

let client: Client;
let workspace: Workspace;
let spaces = 0;
beforeAll(async () => {
  client = await openClient();
});
afterAll(async () => {
  await client.close();
});

/** A new namespace with these workflows, and a workspace that selects it. */
async function open(files: Readonly<Record<string, string>>): Promise<Workspace> {
  const namespace = `wf-${++spaces}`;
  workspace = await openWorkspace(client, namespace);
  await workspace.weft(['namespaces', 'create', namespace]);
  await workspace.write(files);
  if (Object.keys(files).length > 0)
    expect(await workspace.weft(['push', 'flows'])).toMatchObject({ code: 0, err: '' });
  return workspace;
}

const FLOWS = { 'flows/one.yaml': NOOP, 'flows/deep/two.yaml': NOOP, 'flows/deep/two.yaml.greeting': 'hello' };

describe('weft workflows', () => {
  test('lists the workflows of all directories with their state and traffic', async () => {
    const { weft } = await open(FLOWS);
    const { out, code } = await weft(['workflows']);
    expect(code).toBe(0);
    expect(out).toMatch(/^WORKFLOW +STATE +TRAFFIC +UPDATED\ndeep\/two +enabled +latest 100% +\S+Z\none +enabled/);
    expect((await weft(['workflows', 'list', 'deep', '--json'])).json()).toMatchObject([
      { path: 'deep/two', enabled: true },
    ]);
    expect(await weft(['workflows', 'list', 'nosuch'])).toMatchObject({
      code: 1,
      err: `weft: no workflow 'nosuch' in 'wf-${spaces}'\n`,
    });
  });

  test('shows the source, and names what is missing', async () => {
    const { weft } = await open(FLOWS);
    expect((await weft(['workflows', 'get', 'deep/two'])).out).toBe(NOOP);
    expect(await weft(['workflows', 'get', 'two'])).toMatchObject({
      code: 1,
      err: expect.stringContaining("no workflow 'two'"),
    });
    expect(await weft(['workflows', 'get', 'deep'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('is a directory'),
    });
  });

  test('pulls what push makes, and pushes what it pulled without a change', async () => {
    const { weft, read } = await open(FLOWS);
    const pulled = await weft(['workflows', 'pull', '--output', 'copy']);
    expect(pulled.out).toContain('3 written, 0 unchanged');
    expect(await read('copy/deep/two.yaml.greeting')).toBe('hello');
    expect((await weft(['workflows', 'pull', '-o', 'copy'])).out).toBe('0 written, 3 unchanged\n');
    expect((await weft(['push', 'copy'])).out).toMatch(/\n3 unchanged\n$/);
  });

  test('disables and enables: a disabled workflow does not start', async () => {
    const { weft } = await open(FLOWS);
    expect((await weft(['workflows', 'disable', 'one', 'deep/two'])).out).toBe('disabled one\ndisabled deep/two\n');
    expect((await weft(['workflows'])).out).toMatch(/one +disabled/);
    expect(await weft(['exec', 'one'])).toMatchObject({ code: 1, err: expect.stringContaining('disabled') });
    expect((await weft(['workflows', 'enable', 'one'])).out).toBe('enabled one\n');
    expect((await weft(['exec', 'one', '-q'])).code).toBe(0);
  });

  test('tags a revision, moves the tag, and divides starts', async () => {
    const { weft, write } = await open(FLOWS);
    expect((await weft(['workflows', 'tag', 'one', 'v1'])).out).toBe('tagged one latest as v1\n');
    await write({ 'flows/one.yaml': OTHER });
    await weft(['push', 'flows']);
    expect((await weft(['workflows', 'get', 'one', '--ref', 'v1'])).out).toBe(NOOP);
    expect((await weft(['workflows', 'traffic', 'one', 'latest=1', 'v1=3'])).out).toBe('v1 75%, latest 25%\n');
    expect((await weft(['workflows', 'tag', 'one'])).out).toMatch(/^v1 +[0-9a-f-]{36}$/m);
    expect((await weft(['workflows', 'traffic', 'one', 'latest'])).out).toBe('latest 100%\n');
    expect((await weft(['workflows', 'tag', 'one', 'v1'])).code).toBe(0);
    expect((await weft(['workflows', 'get', 'one', '--ref', 'v1'])).out).toBe(OTHER);
    expect((await weft(['workflows', 'untag', 'one', 'v1'])).code).toBe(0);
    expect(await weft(['workflows', 'traffic', 'one', 'half'])).toMatchObject({ code: 2 });
  });

  test('deletes only after a confirmation', async () => {
    const { weft } = await open(FLOWS);
    expect(await weft(['workflows', 'delete', 'one'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes'),
    });
    const refused = await weft(['workflows', 'delete', 'one'], { answers: ['n'] });
    expect(refused).toMatchObject({ code: 1, asked: [`Delete the workflow 'one' of 'wf-${spaces}'? [y/N] `] });
    expect((await weft(['workflows', 'delete', 'one', 'deep/two', '--yes'])).out).toBe(
      'deleted one\ndeleted deep/two\n',
    );
    expect((await weft(['workflows'])).out).toBe('no workflows\n');
  });
});

describe('a mistake in a command on workflows', () => {
  test.each([
    ['a move to a missing directory', 'workflows move one nosuch/one', 1, "no directory 'nosuch' in 'NS'"],
    ['a move to a path in use', 'workflows move one deep/two', 1, "there is 'deep/two' in 'NS' already"],
    ['a move of nothing', 'workflows move nosuch two', 1, "no workflow 'nosuch' in 'NS'"],
    ['latest as a tag', 'workflows tag one latest', 2, "'latest' always names the latest revision; choose another tag"],
    ['latest as a tag of a push', 'push flows --tag latest', 2, "'latest' always names the latest revision"],
    ['an invalid tag', 'push flows --tag a!', 1, 'the name of a tag has letters, digits, and - _ . within'],
    ['an invalid name of a variable', 'vars set a! --value x', 1, "an invalid value: 'a!' does not match"],
    ['a folder for a value', 'vars set a flows', 2, "'flows' is a folder; give a file"],
    ['an unknown revision', 'workflows rollback one v9', 1, "no revision or tag 'v9' of the workflow 'one'"],
  ])('is named with its place and mend: %s', async (_, line, code, text) => {
    const { weft } = await open(FLOWS);
    expect(await weft(line.split(' '))).toMatchObject({
      code,
      err: expect.stringContaining(text.replace('NS', `wf-${spaces}`)),
    });
  });

  test('is a run of another workflow for a diagram', async () => {
    const { weft } = await open(FLOWS);
    const id = (await weft(['exec', 'one', '--no-wait'])).out.trim();
    expect(await weft(['graph', 'deep/two', '--run', id])).toMatchObject({
      code: 2,
      err: expect.stringContaining("the run is of the workflow 'one', not of 'deep/two'; leave out the path"),
    });
    expect((await weft(['graph', 'one', '--run', id])).out).toContain('a  noop');
  });
});

describe('weft push', () => {
  test('prints with --dry-run what it would do, the difference and the price, and sends nothing', async () => {
    const { weft, write } = await open(FLOWS);
    await write({ 'flows/one.yaml': OTHER, 'flows/new.yaml': NOOP });
    const { out, code } = await weft(['push', 'flows', '--dry-run']);
    expect(code).toBe(0);
    expect(out).toContain('create     workflow new');
    expect(out).toContain('update     workflow one');
    expect(out).toContain('-- {id: a, type: noop}\n+- {id: b, type: noop}');
    expect(out).toMatch(/\$[\d.]+ per million runs/);
    expect(out).toMatch(/\n1 to create, 1 to update, 2 unchanged\n$/);
    expect((await weft(['workflows', 'get', 'one'])).out).toBe(NOOP);
  });

  test('deletes with --prune what the folder no longer has, and nothing outside of the pushed directory', async () => {
    const { weft } = await open({ ...FLOWS, 'flows/deep/three.yaml': NOOP });
    await workspace.write({ 'less/two.yaml': NOOP });
    expect((await weft(['push', 'less', 'deep', '--prune', '--dry-run'])).out).toContain(
      'delete     workflow deep/three',
    );
    expect(await weft(['push', 'less', 'deep', '--prune'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes'),
    });
    expect((await weft(['push', 'less', 'deep', '--prune', '--yes'])).out).toContain('deleted    workflow deep/three');
    expect((await weft(['workflows', '--json'])).json()).toMatchObject([{ path: 'deep/two' }, { path: 'one' }]);
  });
});

describe('two namespaces', () => {
  test('are compared, and one is brought into the state of the other', async () => {
    await open({ 'flows/one.yaml': OTHER, 'flows/only-there.yaml': NOOP });
    const target = `wf-${spaces}`;
    const { weft } = await open(FLOWS);
    const source = `wf-${spaces}`;
    const difference = await weft(['diff', source, target]);
    expect(difference).toMatchObject({ code: 1 });
    expect(difference.out).toContain('create     workflow deep/two');
    expect(difference.out).toContain('+- {id: a, type: noop}');
    expect(difference.out).toContain(`only in ${target}: only-there`);
    expect(await weft(['promote', source, target])).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect((await weft(['promote', source, target, '--yes'])).out).toContain('updated    workflow one');
    expect((await weft(['diff', source, target])).out).toContain(`only in ${target}: only-there`);
    expect((await weft(['workflows', 'get', 'deep/two', '-n', target])).out).toBe(NOOP);
    expect(await weft(['diff', source, source])).toMatchObject({ code: 0, out: 'no differences\n' });
  });
});
