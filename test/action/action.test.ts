import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_FULL } from '../effort.ts';
import { type Client, openClient } from '../service/access/client.ts';

const run = promisify(execFile);

interface Step {
  readonly name: string;
  readonly shell: string;
  readonly if?: string;
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const FLOW = 'states:\n- {id: greet, type: noop, transform: {text: hello}}\n';
const TEST = 'workflow: flow.yaml\ncases:\n- name: greets\n  expect: {output: {text: hello}}\n';
/** Stands for the client of GitHub: stores the requests that it would send. */
const GH = `#!/usr/bin/env bash
echo "$*" >> "$GH_CALLS"
case "$*" in
  *--paginate*) [ -f "$GH_EARLIER" ] && echo 7 || true ;;
  *) touch "$GH_EARLIER"; for word in "$@"; do case "$word" in body=@*) cp "\${word#body=@}" "$GH_BODY" ;; esac; done ;;
esac
`;

let client: Client;
let folder: string;
let action: Action;
beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/action');
  folder = await mkdtemp(join(tmpdir(), 'weft-action-'));
  action = load(await readFile('action.yml', 'utf8')) as Action;
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/gh'), GH);
  await chmod(join(folder, 'bin/gh'), 0o755);
  await mkdir(join(folder, 'flows'));
  await writeFile(join(folder, 'flows/flow.yaml'), FLOW);
  await writeFile(join(folder, 'flows/flow.test.yaml'), TEST);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await client.close();
});

/** The value of an expression of the action file, as a runner would replace it. */
function evaluated(text: string, inputs: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{\{ *([\w.]+) *\}\}/g, (_, name: string) => {
    if (name.startsWith('inputs.')) return inputs[name.slice('inputs.'.length)] ?? '';
    return { 'github.token': 'token', 'github.event.pull_request.number': '12' }[name] ?? '';
  });
}

/** The folders that earlier steps have put on the PATH of later ones. */
async function addedPaths(): Promise<string[]> {
  const text = await readFile(join(folder, 'added-paths'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

/** Runs a step as a runner would: by its shell, with its environment, in the checked-out folder. */
async function runStep(name: string, given: Readonly<Record<string, string>> = {}) {
  const step = action.runs.steps.find((one) => one.name === name);
  if (step === undefined) throw new Error(`the action has no step '${name}'`);
  const defaults = Object.fromEntries(Object.entries(action.inputs).map(([key, input]) => [key, input.default]));
  const inputs = { ...defaults, folder: 'flows', ...given };
  const own = Object.entries(step.env ?? {}).map(([key, value]) => [key, evaluated(value, inputs)]);
  const env = {
    PATH: [...(await addedPaths()), join(folder, 'bin'), process.env['PATH']].join(':'),
    HOME: folder,
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: resolve('.'),
    GITHUB_PATH: join(folder, 'added-paths'),
    GITHUB_REPOSITORY: 'acme/flows',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_RUN_ID: '34',
    GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
    RUNNER_TEMP: folder,
    GH_CALLS: join(folder, 'gh-calls'),
    GH_EARLIER: join(folder, 'gh-earlier'),
    GH_BODY: join(folder, 'gh-body'),
    ...Object.fromEntries(own),
  };
  const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run];
  return run('bash', args, { cwd: folder, env }).then(
    ({ stdout }) => ({ code: 0, out: stdout }),
    ({ code, stdout, stderr }) => ({ code: Number(code), out: `${stdout}${stderr}` }),
  );
}

describe('the action', () => {
  test('is composite, and each of its steps has a shell', () => {
    expect(action.runs.using).toBe('composite');
    expect(action.runs.steps.map(({ shell }) => shell)).toEqual(action.runs.steps.map(() => 'bash'));
  });

  test('installs the command line of its own revision, lints and tests', async () => {
    expect(await runStep('Install')).toMatchObject({ code: 0, out: expect.stringMatching(/^v\d/) });
    expect(await addedPaths()).toEqual([join(folder, 'weft')]);
    expect(await runStep('Lint')).toMatchObject({ code: 0 });
    expect(await runStep('Test')).toMatchObject({ code: 0, out: expect.stringContaining('1 passed, 0 failed') });
  });

  test('fails, and marks the line, for an invalid workflow', async () => {
    await writeFile(join(folder, 'flows/bad.yaml'), 'states:\n- {id: a, type: nop}\n');
    expect(await runStep('Lint')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/::error file=flows\/bad\.yaml,line=2/),
    });
    await rm(join(folder, 'flows/bad.yaml'));
  });

  test('reports the plan, the diagram and the price, and replaces its comment', async () => {
    const service = { namespace: 'action', url: client.url, key: client.key };
    expect(await runStep('Describe the change', service)).toMatchObject({ code: 0 });
    const report = await readFile(join(folder, 'weft-report.md'), 'utf8');
    expect(report).toMatch(/^<!-- weft-report -->\n### Weft\n\nPlan for the namespace `action`:/);
    expect(report).toContain('create     workflow flow');
    expect(report).toContain('```mermaid\nflowchart TD\n  s0["greet (noop)"]');
    expect(report).toMatch(/one million runs +\$[\d.]+/);
    expect(await readFile(join(folder, 'summary.md'), 'utf8')).toBe(report);
    await runStep('Comment');
    await runStep('Comment');
    const calls = (await readFile(join(folder, 'gh-calls'), 'utf8')).split('\n');
    expect(calls[1]).toContain('--method POST repos/acme/flows/issues/12/comments');
    expect(calls[3]).toContain('--method PATCH repos/acme/flows/issues/comments/7');
  });

  test('writes comments only where its token may', () => {
    const condition = action.runs.steps.find(({ name }) => name === 'Comment')?.if;
    expect(condition).toContain('github.event.pull_request.head.repo.full_name == github.repository');
  });

  test('reports the difference to what the namespace has', async () => {
    await client.call('PUT', '/api/namespaces/action/tree/flow?op=create-workflow', {
      body: FLOW.replace('hello', 'good morning'),
    });
    const service = { namespace: 'action', url: client.url, key: client.key };
    expect(await runStep('Describe the change', service)).toMatchObject({ code: 0 });
    const report = await readFile(join(folder, 'weft-report.md'), 'utf8');
    expect(report).toContain('update     workflow flow');
    expect(report).toMatch(/^-.*good morning.*\n\+.*hello/m);
  });

  test('fails if no plan can be made, and reports why', async () => {
    const service = { namespace: 'action', url: client.url, key: 'a-wrong-key' };
    expect(await runStep('Describe the change', service)).toMatchObject({ code: 3 });
    const report = await readFile(join(folder, 'weft-report.md'), 'utf8');
    expect(report).toMatch(/~~~diff\nweft: .*key/);
    expect(report).toContain('```mermaid');
  });

  test.skipIf(!IS_FULL)('names the number of files that it does not describe', async () => {
    await mkdir(join(folder, 'many'));
    for (let index = 0; index < 21; index += 1) await writeFile(join(folder, `many/${index}.yaml`), 'a: 1\n');
    expect(await runStep('Describe the change', { folder: 'many' })).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, 'weft-report.md'), 'utf8')).toBe(
      '<!-- weft-report -->\n### Weft\n\nNot described: 1 more\n',
    );
  });

  test('refers to the summary if the report is too long for a comment', async () => {
    await appendFile(join(folder, 'weft-report.md'), 'x'.repeat(65_001));
    expect(await runStep('Comment')).toMatchObject({ code: 0 });
    const body = await readFile(join(folder, 'gh-body'), 'utf8');
    expect(body).toMatch(/^<!-- weft-report -->\n/);
    expect(body).toContain('(https://github.com/acme/flows/actions/runs/34)');
    expect(body.length).toBeLessThan(65_536);
  });

  test('reports names of files and states as text, whatever they are', async () => {
    await mkdir(join(folder, 'odd'));
    await writeFile(join(folder, 'odd/<img src=x onerror="a">&.yaml'), FLOW);
    expect(await runStep('Describe the change', { folder: 'odd' })).toMatchObject({ code: 0 });
    const report = await readFile(join(folder, 'weft-report.md'), 'utf8');
    expect(report).toContain('<code>odd/&lt;img src=x onerror=&quot;a&quot;&gt;&amp;.yaml</code>');
    expect(report).not.toMatch(/<img/);
  });

  test('keeps a plan in its block, whatever the workflows contain', async () => {
    await mkdir(join(folder, 'tilde'));
    const text = (more: string) => `description: |\n  ~~~\n${more}states:\n- {id: a, type: noop}\n`;
    await writeFile(join(folder, 'tilde/tilde.yaml'), text('  <b>\n'));
    await client.call('PUT', '/api/namespaces/action/tree/tilde?op=create-workflow', { body: text('') });
    const service = { namespace: 'action', url: client.url, key: client.key };
    expect(await runStep('Describe the change', { folder: 'tilde', ...service })).toMatchObject({ code: 0 });
    const report = await readFile(join(folder, 'weft-report.md'), 'utf8');
    expect(/^(~{4,})diff\n([\s\S]*?)\n\1$/m.exec(report)?.[2]).toMatch(/^ +~~~\n\+ +<b>$/m);
  });

  test('does not let the name of a test be a command to GitHub', async () => {
    await mkdir(join(folder, 'named'));
    await writeFile(join(folder, 'named/flow.yaml'), FLOW);
    await writeFile(
      join(folder, 'named/flow.test.yaml'),
      'workflow: flow.yaml\ncases:\n- name: "a\\n::error::b"\n  expect: {output: {text: "\\n::add-mask::c"}}\n',
    );
    const { code, out } = await runStep('Test', { folder: 'named' });
    expect(code).toBe(1);
    expect(out).toContain('::error::b');
    expect(out).not.toMatch(/^\s*::/m);
  });

  test('reports without a service too', async () => {
    expect(await runStep('Describe the change')).toMatchObject({ code: 0 });
    const report = await readFile(join(folder, 'weft-report.md'), 'utf8');
    expect(report).not.toContain('Plan for');
    expect(report).toContain('```mermaid');
  });
});
