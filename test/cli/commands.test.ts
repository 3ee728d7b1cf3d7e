import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadAll, NAMES } from '../../bin/cli/commands/index.ts';
import { EXIT, EXIT_CODES } from '../../bin/cli/program.ts';
import { SHELLS } from '../../bin/cli/shell/completion.ts';
import { processTerminal } from '../../bin/cli/shell/terminal.ts';
import { type Client, openClient } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

/** Rules that hold for each command of the table. */
let client: Client;
let workspace: Workspace;

beforeAll(async () => {
  client = await openClient();
  workspace = await openWorkspace(client, 'rules');
  await workspace.weft(['namespaces', 'create', 'rules']);
});

afterAll(async () => {
  await workspace.clear();
  await client.close();
});

const commands = await loadAll();
const ESCAPE = '\u001b';

describe.each(NAMES)('weft %s', (name) => {
  test('prints its help with code 0 and without escapes', async () => {
    for (const args of [
      [name, '--help'],
      [name, '-h'],
      ['help', name],
    ]) {
      const { code, out, err } = await workspace.weft(args);
      expect({ code, err }).toEqual({ code: EXIT.success, err: '' });
      expect(out).toContain(`\nUsage:\n  weft ${name}`);
      expect(out).not.toContain(ESCAPE);
    }
  });

  test('ends with 2 and one line for an option that it lacks', async () => {
    const { code, out, err } = await workspace.weft([name, '--no-such-option']);
    expect({ code, out }).toEqual({ code: EXIT.usage, out: '' });
    expect(err).toMatch(/^weft: Unknown option '--no-such-option'.*\n$/);
  });

  test.each(Object.keys(SHELLS))('is known to the completion of %s, with its words', (shell) => {
    const script = SHELLS[shell]?.(commands) ?? '';
    for (const word of [name, ...(commands[name]?.words ?? [])]) expect(script).toMatch(new RegExp(`\\b${word}\\b`));
  });
});

describe('colours', () => {
  test.each([
    [true, undefined, 'xterm', true],
    [true, '', 'xterm', true],
    [true, '1', 'xterm', false],
    [true, undefined, 'dumb', false],
    [false, undefined, 'xterm', false],
  ])('with a terminal %s, NO_COLOR %s and TERM %s: %s', (isTTY, noColor, term, expected) => {
    const before = { env: process.env, isTTY: process.stdout.isTTY };
    process.env = { TERM: term, ...(noColor === undefined ? {} : { NO_COLOR: noColor }) };
    process.stdout.isTTY = isTTY;
    try {
      expect(processTerminal().hasColour).toBe(expected);
    } finally {
      process.env = before.env;
      process.stdout.isTTY = before.isTTY;
    }
  });

  test('are written by `paint` alone, which asks whether the terminal has them', () => {
    const files = globSync('bin/cli/**/*.ts').filter((file) =>
      /(?<!\\)\\(?:u001b|x1b|033)/.test(readFileSync(file, 'utf8')),
    );
    expect(files.toSorted()).toEqual(['bin/cli/shell/terminal.ts']);
  });

  test('are not in the output of a process that is no terminal', () => {
    const { stdout, status } = spawnSync(
      process.execPath,
      ['bin/weft.mjs', 'doctor', '--reach', 'http://127.0.0.1:1'],
      {
        env: { ...process.env, HOME: workspace.folder, WEFT_URL: client.url, WEFT_KEY: client.key, PORT: '0' },
        encoding: 'utf8',
      },
    );
    expect(stdout).toContain('versions');
    expect(stdout).not.toContain(ESCAPE);
    expect([EXIT.success, EXIT.failure]).toContain(status);
  });
});

test('the exit codes are in the help and the documentation', async () => {
  expect((await workspace.weft(['--help'])).out).toContain(EXIT_CODES);
  const page = readFileSync('docs/command-line.md', 'utf8');
  for (const code of Object.values(EXIT)) expect(page).toMatch(new RegExp(`\\b${code}\\b`));
});

test('a failed run ends with 1, a wrong usage with 2', async () => {
  await workspace.write({ 'bad.yaml': 'states: [{id: a, type: error, error: no.luck, message: never}]\n' });
  expect((await workspace.weft(['push', 'bad.yaml'])).code).toBe(EXIT.success);
  expect((await workspace.weft(['exec', 'bad'])).code).toBe(EXIT.failure);
  expect((await workspace.weft(['exec'])).code).toBe(EXIT.usage);
});

test('a run that an event cancelled is called cancelled, as in the console', async () => {
  const source = 'cancelOn: {type: stop}\nstates: [{id: rest, type: delay, duration: PT1H}]\n';
  await workspace.write({ 'rest.yaml': source });
  await workspace.weft(['push', 'rest.yaml']);
  const id = (await workspace.weft(['exec', 'rest', '--no-wait'])).out.trim();
  await workspace.weft(['events', 'send', '--type', 'stop', '--source', 'here']);
  await expect.poll(async () => (await workspace.weft(['instances', 'get', id])).out).toContain('cancelled');
  expect((await workspace.weft(['instances', 'list', '--status', 'cancelled'])).out).toMatch(
    new RegExp(`${id} +cancelled`),
  );
});

describe('weft doctor', () => {
  test('finds what is right and wrong, says what to do, and writes a bundle without secrets', async () => {
    const outside = createServer((_, reply) => reply.setHeader('date', 'Thu, 01 Jan 2026 00:00:00 GMT').end());
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
    const { port } = outside.address() as AddressInfo;
    const folder = join(workspace.folder, 'data');
    await mkdir(folder);
    await chmod(folder, 0o755);
    const args = [
      'doctor',
      '--data',
      'data',
      '--reach',
      `http://127.0.0.1:${port}`,
      '--bundle',
      'bundle.json',
      '--json',
    ];
    const { code, json } = await workspace.weft(args, { env: { PORT: String(port), APIKEY: 'a-very-secret-key' } });
    expect(code).toBe(EXIT.failure);
    const checks = json() as unknown as readonly { name: string; state: string; mend?: string }[];
    expect(Object.fromEntries(checks.map(({ name, state }) => [name, state]))).toEqual({
      ...{ versions: 'ok', 'data folder': 'wrong', disk: 'ok', port: 'wrong', service: 'ok' },
      ...{ egress: 'ok', clock: 'wrong' },
    });
    expect(checks.find(({ name }) => name === 'data folder')?.mend).toBe(`chmod 700 ${folder}`);
    const bundle = await workspace.read('bundle.json');
    expect(JSON.parse(bundle)).toMatchObject({ checks, variables: expect.arrayContaining(['APIKEY', 'WEFT_KEY']) });
    for (const secret of ['a-very-secret-key', client.key]) expect(bundle).not.toContain(secret);
    expect(await workspace.weft(args)).toMatchObject({ code: EXIT.failure, err: expect.stringContaining('EEXIST') });
    await chmod(folder, 0o700);
    outside.closeAllConnections();
    outside.close();
    const mended = await workspace.weft(['doctor', '--data', 'data', '--reach', 'http://127.0.0.1:1'], {
      env: { PORT: '0' },
    });
    expect(mended.code).toBe(EXIT.success);
    expect(mended.out).toMatch(/^ok +versions /);
  });
});
