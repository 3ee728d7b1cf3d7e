import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { filesOf, TEMPLATES, type TemplateName } from '../../bin/cli/init/templates.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const NAMES = Object.keys(TEMPLATES) as TemplateName[];
const EVERY = ['.weft.yaml', '.gitignore', '.vscode/settings.json', '.github/workflows/weft.yaml'];

let workspace: Workspace;

beforeEach(async () => {
  workspace = await openWorkspace();
});

afterEach(() => workspace.clear());

describe('weft init', () => {
  test.each(NAMES)('writes the template %s, whose workflow is valid and whose tests pass', async (name) => {
    const made = await workspace.weft(['init', name, 'flows']);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out.split('\n').at(-2)).toBe('next: weft dev flows');
    const files = (await filesOf(name)).map(({ path }) => path);
    expect(files).toEqual(expect.arrayContaining(EVERY));
    for (const path of files) expect(await workspace.read(join('flows', path)), path).not.toBe('');
    const within = { cwd: 'flows' };
    expect(await workspace.weft(['validate', '--strict', '.'], within)).toMatchObject({
      code: 0,
      out: '0 problems in 1 file\n',
    });
    const tested = await workspace.weft(['test'], within);
    expect(tested.out).toMatch(/^[1-9] passed, 0 failed$/m);
    expect(tested.code).toBe(0);
  });

  test('has a folder for each template and for the files of every one', () => {
    const folder = new URL('../../bin/cli/init/templates/', import.meta.url);
    expect(readdirSync(folder).toSorted()).toEqual([...NAMES, 'every'].toSorted());
  });

  test('writes the template api to this folder without arguments, and a second one beside it', async () => {
    expect((await workspace.weft(['init'])).out).toContain('wrote license.yaml\n');
    const second = (await workspace.weft(['init', 'event', '--json'])).json();
    expect(second).toEqual({ template: 'event', folder: '.', files: ['order.test.yaml', 'order.yaml'] });
    expect(await workspace.weft(['validate', '--strict', '.'])).toMatchObject({ code: 0 });
  });

  test('replaces no file, and writes nothing then', async () => {
    await workspace.write({ 'license.yaml': 'mine' });
    const { code, err } = await workspace.weft(['init', 'api']);
    expect(code).toBe(2);
    expect(err).toContain(`nothing was written: ${workspace.folder} has license.yaml already; name another folder`);
    expect(readdirSync(workspace.folder)).toEqual(['license.yaml']);
    expect(await workspace.read('license.yaml')).toBe('mine');
  });

  test('lists the templates for an unknown one', async () => {
    const { code, err } = await workspace.weft(['init', 'evnt']);
    expect(code).toBe(2);
    expect(err).toContain(`no template 'evnt'; there are ${NAMES.join(', ')}; did you mean 'event'?`);
  });

  test('names a folder that cannot be written', async () => {
    await workspace.write({ file: '' });
    const { code, err } = await workspace.weft(['init', 'api', 'file/below']);
    expect(code).toBe(2);
    expect(err).toMatch(/file\/below cannot be written: E\w+/);
  });
});
