import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadAll, NAMES } from '../../bin/cli/commands/index.ts';
import { commandHandbook } from '../../bin/cli/handbook.ts';
import { COMMON_OPTIONS } from '../../bin/cli/shell/command.ts';
import { helpOf } from '../../bin/cli/shell/help.ts';
import { packageVersion } from '../../lib/adapters/portable/package.ts';
import { type Client, openClient } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const EXAMPLE = new URL('../../examples/hello/workflow.yaml', import.meta.url).pathname;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let client: Client;
let workspace: Workspace;

beforeAll(async () => {
  client = await openClient();
  workspace = await openWorkspace(client);
});

afterAll(async () => {
  await workspace.clear();
  await client.close();
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program with the service and its key in the environment. */
async function weft(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const { code, out, err } = await workspace.weft(args, { env });
  return { code, out, err };
}

async function write(name: string, source: string): Promise<string> {
  await workspace.write({ [name]: source });
  return name;
}

describe('weft', () => {
  test('prints its version', async () => {
    expect(await weft(['version'])).toEqual({ code: 0, out: `${packageVersion()}\n`, err: '' });
    expect((await weft(['--version'])).out).toBe(`${packageVersion()}\n`);
    expect((await weft(['version', '--json'])).out).toBe(`{\n  "version": "${packageVersion()}"\n}\n`);
  });

  test('prints all commands and the exit codes as its help', async () => {
    for (const asking of [['--help'], ['help'], ['-h'], []]) {
      const { code, out, err } = await weft(asking);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      for (const name of NAMES) expect(out).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'));
      expect(out).toContain('Exit codes: 0 success, 1 failure, 2 wrong usage, 3 no service at the address');
    }
  });

  test('prints the help of one command', async () => {
    const { code, out } = await weft(['keys', 'create', '--help']);
    expect(code).toBe(0);
    for (const form of ['keys [list]', 'keys create --name', 'keys delete ID']) expect(out).toContain(`  weft ${form}`);
    expect(out).not.toContain('weft validate');
    expect((await weft(['help', 'keys'])).out).toBe(out);
  });

  test.each([
    ['an unknown command', ['orchestrate'], "unknown command 'orchestrate'", 'weft help'],
    ['a misspelt command', ['lgos'], "unknown command 'lgos'; did you mean 'logs'?", 'weft help'],
    ['a command by an inherited name', ['constructor'], "unknown command 'constructor'", 'weft help'],
    ['help on an unknown command', ['help', 'pusk'], "unknown command 'pusk'; did you mean 'push'?", 'weft help'],
    ['an unknown option', ['validate', '--all', 'x'], "Unknown option '--all'", 'weft help validate'],
    ['an option of another command', ['validate', '--name', 'x', 'y'], "Unknown option '--name'", 'weft help validate'],
    [
      'a misspelt option',
      ['push', '--wach', 'x'],
      "Unknown option '--wach'; did you mean '--watch'?",
      'weft help push',
    ],
    ['an option without its value', ['push', '--key'], "Option '--key <value>' argument missing", 'weft help push'],
    ['validate without a file', ['validate'], 'no file given', 'weft help validate'],
    ['validate with a missing file', ['validate', 'none.yaml'], "there is no file 'none.yaml'", 'weft help validate'],
    ['a verb without its argument', ['keys', 'delete'], "'delete' takes ID", 'weft help keys'],
    [
      'a misspelt verb',
      ['keys', 'lst'],
      "expected one of list, create, delete; did you mean 'list'?",
      'weft help keys',
    ],
    [
      'an id in place of a verb',
      ['instances', '018f3c9b-0000-7000-8000-00000000000a'],
      "expected one of list, get, input, output, show, waiting, source, bundle, rerun; for what has this id, write 'get 018f3c9b-0000-7000-8000-00000000000a' or 'show 018f3c9b-0000-7000-8000-00000000000a'",
      'weft help instances',
    ],
    ['keys delete without an id', ['keys', 'delete'], "'delete' takes ID", 'weft help keys'],
    ['keys delete with two ids', ['keys', 'delete', 'a', 'b'], "'delete' takes ID", 'weft help keys'],
    ['keys list with a name', ['keys', 'list', 'a'], "'list' takes no arguments", 'weft help keys'],
    [
      'a key without permission',
      ['keys', 'create', '--name', 'a'],
      'a key needs --name and --permission',
      'weft help keys',
    ],
    [
      'an unknown permission',
      ['keys', 'create', '--name', 'a', '--permission', 'root'],
      "--permission is 'root'; it must be one of worker, read, run, write, admin",
      'weft help keys',
    ],
    ['version with a name', ['version', 'x'], "'version' takes no arguments", 'weft help version'],
    [
      'no namespace',
      ['vars', 'list'],
      'no namespace given; use --namespace, WEFT_NAMESPACE or a profile, or a folder with .weft.yaml',
      'weft help vars',
    ],
    [
      'an invalid URL',
      ['keys', 'list', '--url', 'here'],
      "'here' is no URL; write it as http://HOST:PORT or https://HOST",
      'weft help keys',
    ],
  ])('ends with 2 and one line for %s', async (_, args, message, help) => {
    expect(await weft(args)).toEqual({ code: 2, out: '', err: `weft: ${message} (see '${help}')\n` });
  });
});

describe('every command', async () => {
  const entries = Object.entries(await loadAll());

  test('prints each of its options and forms in its help', () => {
    const missing = entries.flatMap(([name, command]) => {
      const help = helpOf(command);
      const flags = Object.keys({ ...command.options, ...COMMON_OPTIONS }).map((flag) => `--${flag}`);
      return [...flags, ...command.usage].filter((text) => !help.includes(text)).map((text) => `${name}: ${text}`);
    });
    expect(missing).toEqual([]);
  });

  test('begins each of its forms with its name', () => {
    const odd = entries.flatMap(([name, { usage }]) => usage.filter((form) => form.split(' ')[0] !== name));
    expect(odd).toEqual([]);
  });

  test('is in docs/command-line.md as in the table (else: npm run docs)', async () => {
    expect(readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8')).toBe(await commandHandbook());
  });

  test('is completed by the shell, with its words and options', async () => {
    const script = join(workspace.folder, 'completion.sh');
    await writeFile(script, (await weft(['completion', 'bash'])).out);
    const complete = (line: string) => {
      const words = line.split(' ');
      const program = [
        `source ${script}`,
        `COMP_LINE='${line}'; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`,
        `_weft weft '${words.at(-1)}'`,
        // As one text: the completions.
        `echo "$\{COMPREPLY[@]}"`,
      ].join('\n');
      return execFileSync('bash', ['-c', program], { encoding: 'utf8' }).trim();
    };
    expect(complete('weft pu')).toBe('push');
    expect(complete('weft keys cr')).toBe('create');
    expect(complete('weft push --wa')).toBe('--watch');
  });

  test('completes the names of workflows, namespaces and runs in bash, and prints a script for fish', async () => {
    await client.call('PUT', '/api/namespaces/named');
    await client.call('PUT', '/api/namespaces/named/tree/hello?op=create-workflow', {
      body: 'states: [{id: a, type: noop}]',
    });
    const started = await client.call('POST', '/api/namespaces/named/tree/hello?op=execute', { json: {} });
    const env = { WEFT_NAMESPACE: 'named' };
    expect((await weft(['completion', 'names', 'workflows'], env)).out).toBe('hello\n');
    expect((await weft(['completion', 'names', 'namespaces'])).out.split('\n')).toContain('named');
    expect((await weft(['completion', 'names', 'runs'], env)).out).toBe(`${started.json()['instance']}\n`);
    expect((await weft(['completion', 'names', 'nothing'])).code).toBe(2);
    const script = join(workspace.folder, 'names.sh');
    await writeFile(script, (await weft(['completion', 'bash'])).out);
    // The program that the script calls prints its arguments.
    const complete = (...words: readonly string[]) =>
      execFileSync(
        'bash',
        [
          '-c',
          `weft() { echo "asked-$*" | tr ' ' '-'; }; source ${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_weft weft '${words.at(-1)}'; echo "$\{COMPREPLY[@]}"`.replace('$\\{', '$' + '{'),
        ],
        { encoding: 'utf8' },
      ).trim();
    expect(complete('weft', 'exec', 'asked')).toBe('asked-completion-names-workflows');
    expect(complete('weft', 'instances', 'get', 'asked')).toBe('asked-completion-names-runs');
    expect(complete('weft', 'instances', 'list', 'asked')).toBe('');
    expect(complete('weft', 'exec', '-n', 'asked')).toBe('asked-completion-names-namespaces');
    expect(complete('weft', 'exec', '-n', 'other', 'asked')).toBe('asked-completion-names-workflows--n-other');
    const fish = (await weft(['completion', 'fish'])).out;
    expect(fish).toContain("complete -c weft -f -n __fish_use_subcommand -a push -d '");
    expect(fish).toContain("-n '__weft_in cancel' -f -a '(weft completion names runs 2>/dev/null)'");
  });
});

/** A workflow that calls a container service. */
const SERVICE = `functions:
- {id: f, type: knative-namespace, service: s}
states:
- {id: rest, type: action, action: {function: f}}
`;

describe('weft validate', () => {
  test('finds no problem in an example', async () => {
    expect(await weft(['validate', EXAMPLE])).toEqual({ code: 0, out: '0 problems in 1 file\n', err: '' });
  });

  test('prints every problem of every file with its position, and ends with 1', async () => {
    const one = await write('one.yaml', 'states:\n- id: a\n  type: nop\n');
    const two = await write('two.yaml', 'states:\n- id: a\n  type: noop\n  transition: b\n');
    const { code, out } = await weft(['validate', one, EXAMPLE, two]);
    expect(code).toBe(1);
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^one\.yaml:3:9: state\[0\]: type unrecognized\(/);
    expect(lines.slice(1, 4)).toEqual(['3 |   type: nop', '            ^', "hint: did you mean 'noop'?"]);
    expect(lines[4]).toMatch(/^two\.yaml:4:15: /);
    expect(lines.slice(5, 7)).toEqual(['4 |   transition: b', '                  ^']);
    expect(lines.slice(-2)).toEqual(['2 problems in 3 files', '']);
  });

  test('prints problems as JSON', async () => {
    const file = await write('three.yaml', 'states:\n- id: a\n  type: nop\n');
    const { code, out } = await weft(['validate', '--json', file]);
    expect(code).toBe(1);
    const kind = 'mistake';
    expect(JSON.parse(out)).toEqual([
      {
        file,
        kind,
        rule: 'unknown-type',
        severity: 'error',
        line: 3,
        column: 9,
        message: expect.any(String),
        hint: "did you mean 'noop'?",
        mend: {
          title: "replace 'nop' by 'noop'",
          edits: [{ from: { line: 3, column: 9 }, to: { line: 3, column: 12 }, text: 'noop' }],
          isCertain: false,
        },
        docs: 'docs/lint.md#unknown-type',
      },
    ]);
    expect(JSON.parse((await weft(['validate', '--json', EXAMPLE])).out)).toEqual([]);
  });

  test('finds no problem in a workflow that calls a container', async () => {
    const file = await write('wait.yaml', SERVICE);
    expect(await weft(['validate', file, '--json'])).toMatchObject({ code: 0, out: '[]\n' });
  });

  test('needs no service', async () => {
    expect((await weft(['validate', EXAMPLE], { WEFT_URL: 'http://127.0.0.1:1' })).code).toBe(0);
  });
});

describe('weft keys', () => {
  const create = ['keys', 'create', '--json', '--name', 'builds', '--permission', 'read'];

  test('creates a valid key, lists it without its secret, and deletes it', async () => {
    for (const name of ['command-a', 'command-b']) await client.call('PUT', `/api/namespaces/${name}`);
    const made = await weft([...create, '--namespace', 'command-a', '--namespace', 'command-b']);
    expect(made.code, made.err).toBe(0);
    const { id, secret, ...rest } = JSON.parse(made.out);
    expect(id).toMatch(UUID);
    const namespaces = ['command-a', 'command-b'];
    expect(rest).toEqual({ name: 'builds', permission: 'read', namespaces, createdAt: expect.any(String) });
    expect((await client.call('GET', '/api/namespaces', { key: secret })).status).toBe(200);

    const listed = await weft(['keys', 'list']);
    expect(listed.code).toBe(0);
    expect(listed.out).toMatch(/^ID +PERMISSION +CREATED +NAMESPACES +NAME\n/);
    expect(listed.out).toMatch(new RegExp(`^${id}  read        \\S+  command-a,command-b  builds$`, 'm'));
    expect(listed.out).not.toContain(secret);

    expect(await weft(['keys', 'delete', id])).toEqual({ code: 0, out: `deleted ${id}\n`, err: '' });
    expect((await client.call('GET', '/api/namespaces', { key: secret })).status).toBe(401);
    expect((await weft(['keys', 'list'])).out).not.toContain(id);
  });

  test('prints the new key only once', async () => {
    const { code, out } = await weft(create.filter((word) => word !== '--json'));
    expect(code).toBe(0);
    const [id, , , namespaces, key] = out.split('\n');
    expect(namespaces).toBe('namespaces  all');
    expect(key).toMatch(/^key {9}\S{40,} \(it is not shown again\)$/);
    await weft(['keys', 'delete', id?.replace('id', '').trim() ?? '']);
  });

  test('prefers the URL and the key of its options to those of the environment', async () => {
    const env = { WEFT_URL: 'http://127.0.0.1:1', WEFT_KEY: 'wrong' };
    const { code, out } = await weft(['keys', 'list', '--json', '--url', `${client.url}/`, '--key', client.key], env);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toBeInstanceOf(Array);
  });

  test('prints the error of the service and ends with 1', async () => {
    const missing = await weft(['keys', 'delete', 'no-such-id']);
    expect(missing).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^weft: no key '.+'; 'weft keys list' lists them\n$/),
    });
  });

  test('ends with 3 when another key is needed', async () => {
    const unknown = await weft(['keys', 'list'], { WEFT_KEY: 'wrong' });
    expect({ ...unknown, err: '' }).toEqual({ code: 3, out: '', err: '' });
    expect(unknown.err).toMatch(/^weft: 401: .*; log in with 'weft login', or set WEFT_KEY\n$/);
    const made = JSON.parse((await weft(create)).out);
    const denied = await weft(['keys', 'list'], { WEFT_KEY: made.secret });
    expect({ ...denied, err: '' }).toEqual({ code: 3, out: '', err: '' });
    expect(denied.err).toMatch(/^weft: 403: .*; use a key with the permission for this\n$/);
    await weft(['keys', 'delete', made.id]);
  });

  test('ends with 3 if there is no server, or another server', async () => {
    const { code, out, err } = await weft(['keys', 'list', '--url', 'http://127.0.0.1:1']);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(
      /^weft: http:\/\/127\.0\.0\.1:1 cannot be reached: .+; start the service, or select another with --url or WEFT_URL\n$/,
    );
    const server = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const other = await weft(['keys', 'list', '--url', `http://127.0.0.1:${port}`]);
    server.close();
    expect(other).toEqual({ code: 3, out: '', err: `weft: the server at http://127.0.0.1:${port} is not Weft\n` });
  });

  test('does not send the key to the target of a redirect', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(302, { Location: '/elsewhere' }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code } = await weft(['keys', 'list', '--url', `http://127.0.0.1:${port}`]);
    server.close();
    expect({ code, asked }).toEqual({ code: 3, asked: ['/api/keys'] });
  });
});

test.each([
  [['--help'], 0, 'WEFT_DATA'],
  [['--port', '80'], 2, "'--port'"],
  [['now'], 2, 'takes no arguments'],
])('npm start explains or refuses its arguments, and does not start: %j', (args, status, text) => {
  const done = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'bin/local.ts', ...args], {
    encoding: 'utf8',
  });
  expect({ status: done.status, output: done.stdout + done.stderr }).toEqual({
    status,
    output: expect.stringContaining(text),
  });
});
