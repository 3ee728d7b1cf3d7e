import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from './workspace.ts';

const WARNED = 'states:\n- id: a\n  type: switch\n  conditions:\n  - condition: .x > 5\n';
const BROKEN = 'states:\n- id: a\n   type: noop\n';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
  await mkdir(join(workspace.folder, 'flows/sub'), { recursive: true });
  const call =
    'functions:\n- {id: f, type: subflow, workflow: sub/pya}\nstates:\n- {id: a, type: action, action: {function: f}}\n';
  await write('flows/main.yaml', call);
  await write('flows/sub/pay.yaml', 'states:\n- id: a\n  type: delay\n  duration: 5s\n');
  await write('flows/values.yaml', 'replicas: 3\n');
  await write('flows/main.test.yaml', 'workflow: main.yaml\ncases: []\nstates: none\n');
});
afterAll(() => workspace.clear());

const write = async (name: string, text: string): Promise<string> => {
  await writeFile(join(workspace.folder, name), text);
  return name;
};

describe('weft validate', () => {
  test('prints a warning with its rule, and fails for it only with --strict', async () => {
    const file = await write('warned.yaml', WARNED);
    const { code, out } = await workspace.weft(['validate', file]);
    expect({ code, lines: out.split('\n') }).toEqual({
      code: 0,
      lines: [
        'warned.yaml:5:16: warning: the condition is a plain text, so it is always true [condition-constant]',
        '5 |   - condition: .x > 5',
        `${' '.repeat(19)}^`,
        'hint: write jq(.x > 5)',
        '1 problem in 1 file: 1 warning',
        '',
      ],
    });
    expect((await workspace.weft(['validate', '--strict', file])).code).toBe(1);
  });

  test('names the functions that need a container, and those that do not', async () => {
    const file = await write(
      'images.yaml',
      `functions:
- {id: get, type: knative-workflow, image: 'direktiv/request:v4'}
- {id: put, type: knative-workflow, image: 'direktiv/request:v4'}
- {id: sh, type: knative-workflow, image: 'direktiv/bash:dev'}
- {id: ours, type: knative-namespace, service: greeter}
- {id: api, type: http, url: 'https://api.test'}
states:
- {id: a, type: parallel, actions: [{function: get}, {function: put, files: [{key: x}]}, {function: sh}, {function: ours}, {function: api}]}
`,
    );
    const { code, err } = await workspace.weft(['validate', file]);
    expect({ code, lines: err.split('\n') }).toEqual({
      code: 0,
      lines: [
        "images.yaml: function 'get' runs without a container (direktiv/request:v4)",
        "images.yaml: function 'put' needs a container (direktiv/request:v4, because an action passes files to it)",
        "images.yaml: function 'sh' needs a container (direktiv/bash:dev: stays a container; or a worker with the same program (docs/workers.md))",
        "images.yaml: function 'ours' runs without a container if Weft serves the image of the service 'greeter' of the namespace itself",
        '',
      ],
    });
  });

  test('validates the workflows of a folder together, without its other files', async () => {
    const { code, out } = await workspace.weft(['validate', 'flows']);
    expect(code).toBe(1);
    expect(out).toContain("flows/main.yaml:2:36: warning: the subflow '/sub/pya' does not exist in this folder");
    expect(out).toContain('flows/sub/pay.yaml:4:13: state[0]: duration is not a ISO8601 string [invalid-duration]');
    expect(out).toContain('2 problems in 2 files: 1 error, 1 warning\n');
  });

  test('reports every file, also after one that cannot be read and one that is not YAML', async () => {
    const files = ['none.yaml', await write('broken.yaml', BROKEN), await write('warned.yaml', WARNED)];
    const { code, out } = await workspace.weft(['validate', ...files]);
    expect(code).toBe(1);
    // No line of the file follows: there is none.
    expect(out).toContain("none.yaml:1:1: there is no file 'none.yaml' [unreadable]\nbroken.yaml:");
    expect(out).toContain('broken.yaml:3:8: yaml: line 3');
    expect(out).toContain('warned.yaml:5:16: warning');
  });

  describe('a file that is not UTF-8', () => {
    const latin1 = Buffer.from("# \ufffd is in UTF-8\nstates: [{id: a, type: noop, log: '");
    const bytes = Buffer.concat([latin1, Buffer.from([0xe9]), Buffer.from("'}]\n")]);
    const problem = '2:36: the text is not UTF-8; save the file in that encoding';

    test('is a problem at the place of its first wrong byte, alone and in a folder', async () => {
      await workspace.write({ 'latin/latin1.yaml': bytes, 'latin/good.yaml': 'states: [{id: a, type: noop}]\n' });
      for (const path of ['latin/latin1.yaml', 'latin']) {
        const { code, out } = await workspace.weft(['validate', path]);
        expect({ code, out }).toEqual({
          code: 1,
          out: expect.stringContaining(`latin/latin1.yaml:${problem} [unreadable]\n1 problem in `),
        });
      }
    });

    test('is a problem at its last byte', async () => {
      await workspace.write({ 'last.yaml': Buffer.from('states: \xe9', 'latin1') });
      const { out } = await workspace.weft(['validate', 'last.yaml']);
      expect(out).toContain('last.yaml:1:9: the text is not UTF-8');
    });

    test.each([
      ['graph', ['latin/latin1.yaml']],
      ['cost', ['latin/latin1.yaml']],
      ['migrate', ['latin/latin1.yaml']],
      ['test', ['latin/latin1.test.yaml']],
    ])('is an error of weft %s', async (command, args) => {
      await workspace.write({
        'latin/latin1.yaml': bytes,
        'latin/latin1.test.yaml': 'workflow: latin1.yaml\ncases: [{name: a}]\n',
      });
      const { code, err } = await workspace.weft([command, ...args]);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(problem) });
    });
  });

  test('--fix writes the certain corrections, and no others', async () => {
    const text =
      'states:\n- id: First\n  type: delay\n  duration: 5m\n  transition: done\n- {id: dnoe, type:\u00a0noop}\n';
    const file = await write('fixed.yaml', text);
    const { code, out, err } = await workspace.weft(['validate', '--fix', file]);
    expect({ code, err }).toEqual({ code: 1, err: '3 corrections made\n' });
    expect(out).toContain("transition 'done' does not exist");
    expect(await readFile(join(workspace.folder, file), 'utf8')).toBe(
      'states:\n- id: first\n  type: delay\n  duration: PT5M\n  transition: done\n- {id: dnoe, type: noop}\n',
    );
  });

  test('writes commands for the log of GitHub', async () => {
    const file = await write('warned.yaml', WARNED);
    const { out } = await workspace.weft(['validate', '--format', 'github', file]);
    const place = 'file=warned.yaml,line=5,col=16,title=condition-constant';
    expect(out).toBe(`::warning ${place}::the condition is a plain text, so it is always true%0Awrite jq(.x > 5)\n`);
  });

  test('writes SARIF', async () => {
    const file = await write('warned.yaml', WARNED);
    const { version, runs } = JSON.parse((await workspace.weft(['validate', '--format', 'sarif', file])).out);
    expect(version).toBe('2.1.0');
    const location = { artifactLocation: { uri: 'warned.yaml' }, region: { startLine: 5, startColumn: 16 } };
    expect(runs[0].results).toMatchObject([
      { ruleId: 'condition-constant', level: 'warning', locations: [{ physicalLocation: location }] },
    ]);
    expect(runs[0].tool.driver.rules).toEqual([
      { id: 'condition-constant', helpUri: 'docs/lint.md#condition-constant' },
    ]);
  });

  test('rejects an unknown format', async () => {
    const { code, err } = await workspace.weft(['validate', '--format', 'xml', 'warned.yaml']);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('--format is one of text, json, sarif, github'),
    });
  });
});
