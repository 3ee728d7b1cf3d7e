import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleCommandLine, copyTemplates, linkSandbox } from '../../bin/bundle.ts';
import { bundleCopiedFile } from '../../bin/functions/build.ts';
import { packageVersion } from '../../lib/adapters/portable/package.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLE = join(root, 'examples/hello/workflow.yaml');
const NOTHING = 'http://127.0.0.1:1';
/** The largest size of the program that every command loads before its own modules. */
const MAX_BYTES = 30_000;

let folder: string;
let packed: string;
let bytes: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-package-'));
  // Node does not strip types below a folder with this name.
  const home = join(folder, 'node_modules/weft-workflows');
  await mkdir(join(home, 'bin'), { recursive: true });
  bytes = await bundleCommandLine(join(home, 'dist'));
  await bundleCopiedFile('sandbox-worker.mjs', join(home, 'dist/functions/copies'));
  await linkSandbox(join(home, 'dist'));
  await copyTemplates(join(home, 'dist'));
  await copyFile(join(root, 'package.json'), join(home, 'package.json'));
  packed = join(home, 'bin/weft.mjs');
  await copyFile(join(root, 'bin/weft.mjs'), packed);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await exit) as [number | null];
  return { code, out, err };
}

/** The reply of the language server to its first request. */
async function initialize(program: string): Promise<string> {
  const child = spawn(process.execPath, [program, 'lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const params = { processId: null, rootUri: null, capabilities: {} };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  child.stdin.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
  let reply = '';
  for await (const part of child.stdout) {
    reply += String(part);
    if (reply.includes('serverInfo')) break;
  }
  child.kill();
  return reply;
}

describe.each([
  ['a clone', () => join(root, 'bin/weft.mjs')],
  ['a package', () => packed],
])('weft of %s', (_, programOf) => {
  test('runs, and has the exit code of its outcome', async () => {
    const program = programOf();
    expect(await run(program, ['version'])).toEqual({ code: 0, out: `${packageVersion()}\n`, err: '' });
    expect(await run(program, ['validate', EXAMPLE])).toEqual({ code: 0, out: '0 problems in 1 file\n', err: '' });
    expect(await initialize(program)).toContain('"hoverProvider":true');
    expect(await run(program, ['init', 'api', await mkdtemp(join(folder, 'flows-'))])).toMatchObject({
      code: 0,
      out: expect.stringContaining('license.test.yaml\n'),
    });
    expect(await run(program, ['nothing'])).toMatchObject({ code: 2, out: '' });
    expect(await run(program, ['keys', 'list', '--url', NOTHING])).toMatchObject({ code: 3, out: '' });
  });
});

describe('weft of a clone that starts another Node', () => {
  const INITIALIZE = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends with its program after %s to itself alone, with the code %d', async (signal, code) => {
    // Without this option the Node of the tests runs TypeScript itself.
    const args = ['--no-experimental-strip-types', join(root, 'bin/weft.mjs'), 'mcp', '--url', NOTHING, '-n', 'demo'];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: '' },
      stdio: ['pipe', 'pipe', 'ignore'],
      // A group of its own: no other process gets the signal.
      detached: true,
    });
    const exit = once(child, 'exit');
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    const [reply] = await once(createInterface({ input: child.stdout }), 'line');
    expect(reply).toContain('serverInfo');
    child.kill(signal);
    expect(await exit).toEqual([code, null]);
  });
});

test('weft of a clone installs Node if the present one cannot run TypeScript and none is installed', async () => {
  const clone = join(folder, 'clone');
  await mkdir(join(clone, 'bin'), { recursive: true });
  await mkdir(join(clone, 'node_modules'));
  await copyFile(join(root, 'bin/weft.mjs'), join(clone, 'bin/weft.mjs'));
  await writeFile(join(clone, 'bin/weft.ts'), 'const version: string = process.argv[2];\nconsole.log(version);\n');
  const installs = `import { mkdirSync, symlinkSync } from 'node:fs';
    mkdirSync('${clone}/node_modules/.bin');
    symlinkSync(process.execPath, '${clone}/node_modules/.bin/node');
    console.error('installed');`;
  await writeFile(join(clone, 'bin/setup.mjs'), installs);
  const args = [join(clone, 'bin/weft.mjs'), 'version'];
  expect(await run('--no-experimental-strip-types', args)).toEqual({ code: 0, out: 'version\n', err: 'installed\n' });
});

describe('weft of a package', () => {
  test('runs the tests of a workflow with scripts, and of one with a mock', async () => {
    const tests = ['hello', 'third-time-lucky'].map((name) => join(root, 'examples', name, 'workflow.test.yaml'));
    const { code, out, err } = await run(packed, ['test', ...tests]);
    expect({ code, err, last: out.split('\n').at(-2) }).toEqual({ code: 0, err: '', last: '5 passed, 0 failed' });
  });

  test('loads the modules of a command when it is used', () => {
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  test('contains what signs by the credentials of AWS', async () => {
    const keys = { AWS_PROFILE: '', AWS_ACCESS_KEY_ID: 'AKIAADA', AWS_SECRET_ACCESS_KEY: 's' };
    // Signed, and not delivered.
    expect(await run(packed, ['keys', 'list', '--url', NOTHING, '--key', 'aws-iam'], keys)).toMatchObject({
      code: 3,
      err: expect.stringContaining('cannot be reached'),
    });
  });

  test('keeps its compiled code in a folder of the user', async () => {
    const cache = join(folder, 'cache');
    await run(packed, ['version'], { XDG_CACHE_HOME: cache });
    expect(await readdir(join(cache, 'weft/compiled'))).toHaveLength(1);
  });

  test('prints that it does not contain the service', async () => {
    expect(await run(packed, ['start'])).toMatchObject({
      code: 2,
      err: "weft: this package has no service; run it in a clone of the repository, or deploy it to AWS (see 'weft help start')\n",
    });
  });
});

describe('weft as a process', () => {
  test('starts the service, and ends it on SIGTERM', async () => {
    const env = { ...process.env, PORT: '0', WEFT_DATA: join(folder, 'data'), APIKEY: 'a-key-of-the-package' };
    const child = spawn(process.execPath, [join(root, 'bin/weft.mjs'), 'start'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    for await (const line of createInterface(child.stdout)) {
      const url = /^Weft listening on (\S+)$/.exec(line)?.[1];
      if (url !== undefined) {
        const made = await run(packed, ['namespaces', 'create', 'a', '--url', url, '--key', 'a-key-of-the-package']);
        expect(made).toEqual({ code: 0, out: 'created a\n', err: '' });
      }
      if (line.startsWith('Try: ')) break;
    }
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect((await exit)[0]).toBe(0);
  });

  test('prints no colours to a pipe', async () => {
    const { out } = await run(join(root, 'bin/weft.mjs'), ['help'], { FORCE_COLOR: '1' });
    expect(out).not.toContain('\u001b');
  });

  test('ends with 130 when it is interrupted during a request', async () => {
    const asked = Promise.withResolvers<void>();
    const server = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const args = [join(root, 'bin/weft.mjs'), 'namespaces', 'list', '--url', `http://127.0.0.1:${port}`];
    const child = spawn(process.execPath, args, { env: { ...process.env, HOME: folder }, stdio: 'ignore' });
    await asked.promise;
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number | null];
    server.closeAllConnections();
    server.close();
    expect(code).toBe(130);
  });
});
