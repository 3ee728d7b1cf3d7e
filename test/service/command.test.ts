import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { versionOf } from '../../bin/settings.ts';
import { type Client, openClient } from './client.ts';

const WEFT = new URL('../../bin/weft.ts', import.meta.url).pathname;
const EXAMPLE = new URL('../../examples/hello/workflow.yaml', import.meta.url).pathname;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let client: Client;
let folder: string;

beforeAll(async () => {
  client = await openClient();
  folder = await mkdtemp(join(tmpdir(), 'weft-command-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
  await client.close();
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the program with the service and its key in the environment. */
async function weft(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const env = { ...process.env, WEFT_URL: client.url, WEFT_KEY: client.key, ...more };
  const child = spawn(process.execPath, [WEFT, ...args], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await exit) as [number | null];
  return { code, out, err };
}

async function write(name: string, source: string): Promise<string> {
  await writeFile(join(folder, name), source);
  return name;
}

describe('weft', () => {
  test('prints its version', async () => {
    expect(await weft(['version'])).toEqual({ code: 0, out: `${versionOf()}\n`, err: '' });
    expect((await weft(['version', '--json'])).out).toBe(`{\n  "version": "${versionOf()}"\n}\n`);
  });

  test('tells every command and the exit codes when asked for help', async () => {
    const { code, out, err } = await weft(['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const form of ['validate FILE...', 'keys list', 'keys create --name', 'keys delete ID', 'version']) {
      expect(out).toContain(`  weft ${form}`);
    }
    expect(out).toContain('Exit codes: 0 done, 1 mistakes found or refused by the service, 2 wrong usage.');
  });

  test('tells a command alone when that is asked for help', async () => {
    const { code, out } = await weft(['keys', 'create', '--help']);
    expect(code).toBe(0);
    expect(out).toContain('weft keys create');
    expect(out).not.toContain('weft validate');
  });

  test.each([
    ['no command', [], 'name a command'],
    ['a command that there is not', ['deploy'], "there is no command 'deploy'"],
    ['a command by an inherited name', ['constructor'], "there is no command 'constructor'"],
    ['an option that there is not', ['validate', '--all', 'x'], "Unknown option '--all'"],
    ['an option of another command', ['validate', '--name', 'x', 'y'], "Unknown option '--name'"],
    ['validate without a file', ['validate'], 'name at least one file'],
    ['validate on a file that is not there', ['validate', 'none.yaml'], 'none.yaml cannot be read: ENOENT'],
    ['keys without a verb', ['keys'], 'choose one of list, create, delete'],
    ['keys delete without an id', ['keys', 'delete'], "'keys delete' takes one ID"],
    ['keys delete with two ids', ['keys', 'delete', 'a', 'b'], "'keys delete' takes one ID"],
    ['keys list with a name', ['keys', 'list', 'a'], "'keys list' takes no name"],
    ['a key without permission', ['keys', 'create', '--name', 'a'], 'a key needs --name and --permission'],
    [
      'a permission that there is not',
      ['keys', 'create', '--name', 'a', '--permission', 'root'],
      "the permission 'root' is none of read, run, write, admin",
    ],
    ['version with a name', ['version', 'x'], "'version' takes no 'x'"],
  ])('ends with 2 and the usage for %s', async (_, args, message) => {
    const { code, out, err } = await weft(args);
    expect({ code, out, first: err.split('\n')[0] }).toEqual({ code: 2, out: '', first: `weft: ${message}` });
    expect(err).toContain('Usage:\n  weft ');
  });
});

/** A workflow that calls a container service. */
const SERVICE = `functions:
- {id: f, type: knative-namespace, service: s}
states:
- {id: rest, type: action, action: {function: f}}
`;

describe('weft validate', () => {
  test('finds nothing in an example', async () => {
    expect(await weft(['validate', EXAMPLE])).toEqual({ code: 0, out: '0 problems in 1 file\n', err: '' });
  });

  test('points at every mistake of every file and ends with 1', async () => {
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

  test('prints mistakes as JSON for programs', async () => {
    const file = await write('three.yaml', 'states:\n- id: a\n  type: nop\n');
    const { code, out } = await weft(['validate', '--json', file]);
    expect(code).toBe(1);
    const kind = 'mistake';
    expect(JSON.parse(out)).toEqual([
      { file, kind, line: 3, column: 9, message: expect.any(String), hint: "did you mean 'noop'?" },
    ]);
    expect(JSON.parse((await weft(['validate', '--json', EXAMPLE])).out)).toEqual([]);
  });

  test('tells a state that this version cannot run from a mistake', async () => {
    const file = await write('wait.yaml', SERVICE);
    const { code, out } = await weft(['validate', file, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject([{ file, kind: 'not-built', line: 4 }]);
    const stored = await client.call('PUT', '/api/namespaces/command');
    expect(stored.status).toBe(200);
    const path = '/api/namespaces/command/tree/rest?op=create-workflow';
    const body = SERVICE;
    expect((await client.call('PUT', path, { body })).status).toBe(501);
  });

  test('needs no service', async () => {
    expect((await weft(['validate', EXAMPLE], { WEFT_URL: 'http://127.0.0.1:1' })).code).toBe(0);
  });
});

describe('weft keys', () => {
  const create = ['keys', 'create', '--json', '--name', 'builds', '--permission', 'read'];

  test('makes a key that works, lists it without its secret, and deletes it', async () => {
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

  test('shows the new key to people this once', async () => {
    const { code, out } = await weft(create.filter((word) => word !== '--json'));
    expect(code).toBe(0);
    const [id, , , namespaces, key] = out.split('\n');
    expect(namespaces).toBe('namespaces  all');
    expect(key).toMatch(/^key {9}\S{40,} \(it is shown only now\)$/);
    await weft(['keys', 'delete', id?.replace('id', '').trim() ?? '']);
  });

  test('takes the place and the key from its options before the environment', async () => {
    const env = { WEFT_URL: 'http://127.0.0.1:1', WEFT_KEY: 'wrong' };
    const { code, out } = await weft(['keys', 'list', '--json', '--url', `${client.url}/`, '--key', client.key], env);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toBeInstanceOf(Array);
  });

  test('says what the service refused and ends with 1', async () => {
    const missing = await weft(['keys', 'delete', 'no-such-id']);
    expect(missing).toEqual({ code: 1, out: '', err: 'weft: 404: key not found\n' });
    const unknown = await weft(['keys', 'list'], { WEFT_KEY: 'wrong' });
    expect({ ...unknown, err: '' }).toEqual({ code: 1, out: '', err: '' });
    expect(unknown.err).toMatch(/^weft: 401: /);
  });

  test('says that nothing answers and ends with 1', async () => {
    const { code, out, err } = await weft(['keys', 'list', '--url', 'http://127.0.0.1:1']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^weft: http:\/\/127\.0\.0\.1:1\/api\/keys cannot be reached: .+\n$/);
  });

  test('does not carry the key to where the service sends it', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(302, { Location: '/elsewhere' }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code } = await weft(['keys', 'list', '--url', `http://127.0.0.1:${port}`]);
    server.close();
    expect({ code, asked }).toEqual({ code: 1, asked: ['/api/keys'] });
  });
});
