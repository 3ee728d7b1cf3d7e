import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Description } from '../../../lib/api/docs/client-types.ts';
import { pythonTypes } from '../../../lib/api/docs/python-types.ts';
import { IS_FULL } from '../../effort.ts';
import { type InstalledPackage, installPackage, UnavailableError } from '../../emulator/python-packages.ts';
import { type Client, openOwnClient } from '../../service/access/client.ts';

const ROOM = 'clients/python/src/weft_workflows';
const PACKAGE = fileURLToPath(new URL('../../../clients/python', import.meta.url));
const BUILDER = 'hatchling==1.33.0';
const TYPE_CHECKER = 'mypy==2.4.1';
const LABELS = `functions: [{id: f, type: worker, queue: labelling}]
states:
- {id: go, type: action, action: {function: f, input: {image: jq(.image)}}, catch: [{error: '*'}]}
`;
const GREET = 'states:\n- id: greet\n  type: noop\n  transform:\n    greeting: jq("Hello, " + .name)\n';

const blocksOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^```python\n(.*?)^```$/gms)].map(([, block = '']) => block);

/** Why no program in Python can run here; undefined if one can. */
function missingPython(): string | undefined {
  try {
    execFileSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'there is no python3 of version 3.9 or later';
  }
}

const missing = missingPython();

let service: Client;
beforeAll(async () => {
  service = await openOwnClient();
});
afterAll(() => service.close());

const start = (args: readonly string[], more: Record<string, string> = {}): ChildProcess =>
  spawn('python3', [...args], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      WEFT_URL: service.url,
      WEFT_KEY: service.key,
      PYTHONPATH: join(PACKAGE, 'src'),
      PYTHONDONTWRITEBYTECODE: '1',
      NO_PROXY: '127.0.0.1',
      ...more,
    },
  });

/** A tool of Python; a test without it is skipped, with the reason. */
async function packageOr(skip: (reason: string) => never, name: string): Promise<InstalledPackage> {
  return installPackage(name).catch((error: unknown) => {
    if (error instanceof UnavailableError) return skip(error.message);
    throw error;
  });
}

async function outcomeOf(child: ChildProcess): Promise<{ readonly code: number; readonly out: string }> {
  const outputs = [child.stdout, child.stderr].map((stream) => (stream === null ? '' : text(stream)));
  const [[code], ...parts] = await Promise.all([once(child, 'exit'), ...outputs]);
  return { code: Number(code), out: parts.join('') };
}

test('the types of Python are generated from the OpenAPI description (else: npm run docs)', () => {
  const description = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Description;
  expect(readFileSync(`${ROOM}/operations.py`, 'utf8')).toBe(pythonTypes(description));
});

test('the package of Python has the version of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  expect(/__version__ = "(.*)"/.exec(readFileSync(`${ROOM}/__init__.py`, 'utf8'))?.[1]).toBe(version);
});

describe.skipIf(missing !== undefined)(`with python3${missing === undefined ? '' : ` (skipped: ${missing})`}`, () => {
  test.each(['client_test.py', 'worker_test.py'])('%s passes', async (file) => {
    const { code, out } = await outcomeOf(start(['-W', 'error', file]));
    expect(code, out).toBe(0);
    expect(Number(/Ran (\d+) tests/.exec(out)?.[1])).toBeGreaterThan(9);
  });

  test('the programs of docs/python.md and of the package run as they are', async () => {
    const [client = '', operations = '', stream = '', worker = '', ...others] = blocksOf('docs/python.md');
    expect(others).toEqual([]);
    const outputOf = async (program: string): Promise<string> => {
      const { code, out } = await outcomeOf(start(['-W', 'error', '-c', program]));
      expect(code, out).toBe(0);
      return out;
    };
    const lines = (await outputOf(client)).split('\n');
    expect(lines[0]).toBe('1200');
    expect(lines[1]).toMatch(/^order\.empty the run \S+ failed: order\.empty: no items$/);
    expect(lines).toContain('info Preparing workflow triggered by api.');
    expect(await outputOf(operations)).toBe('1\n');
    expect((await outputOf(stream)).trim().split('\n').at(-1)).toBe('complete');
    const put = '/api/namespaces/shop/tree/flow?op=create-workflow';
    expect((await service.call('PUT', put, { body: LABELS })).status).toBe(200);
    const program = start(['-W', 'error', '-c', worker]);
    const ended = outcomeOf(program);
    const run = async (image: string) =>
      (await service.call('POST', '/api/namespaces/shop/tree/flow?op=wait', { json: { image } })).json();
    expect((await run('a.png'))['return']).toEqual({ label: 'cat' });
    expect((await run('a.txt'))['error']).toEqual({ code: 'image.unreadable', msg: 'no image' });
    program.kill('SIGTERM');
    await setTimeout(1_000);
    // The poll under way takes the task, and the worker gives it back.
    const last = (
      await service.call('POST', '/api/namespaces/shop/tree/flow?op=execute', { json: { image: 'b.png' } })
    ).json();
    expect(await ended).toEqual({ code: 0, out: '' });
    const cancelled = await service.call('POST', `/api/namespaces/shop/instances/${last['instance']}/cancel`);
    expect(cancelled.status).toBe(200);
    await service.call('PUT', '/api/namespaces/shop/tree/greet?op=create-workflow', { body: GREET });
    const [readme = ''] = blocksOf('clients/python/README.md');
    const own = readme.replace('http://127.0.0.1:8080', service.url).replace('"..."', `"${service.key}"`);
    expect(await outputOf(own)).toBe("{'greeting': 'Hello, Ada'}\n");
  });

  test.skipIf(!IS_FULL)('the package has no mistake in its types', async ({ skip }) => {
    const installed = await packageOr(skip, TYPE_CHECKER);
    const args = ['-m', 'mypy', '--strict', '--no-incremental', '--cache-dir', devNull, join(PACKAGE, 'src')];
    const { code, out } = await outcomeOf(start(args, { PYTHONPATH: installed.packages }));
    expect(code, out).toBe(0);
  });

  test('the package is built with its types and its license, and works as it is installed', async ({ skip }) => {
    const installed = await packageOr(skip, BUILDER);
    const folder = mkdtempSync(join(tmpdir(), 'weft-python-'));
    try {
      const built = await outcomeOf(start(['build_wheel.py', PACKAGE, folder], { PYTHONPATH: installed.packages }));
      expect(built.code, built.out).toBe(0);
      for (const file of ['weft_workflows/py.typed', 'weft_workflows/operations.py', '.dist-info/licenses/LICENSE'])
        expect(built.out).toContain(file);
      expect(built.out).toMatch(/^Name: weft-workflows$/m);
      expect(built.out).toMatch(/^Requires-Python: >=3\.9$/m);
      expect(built.out).not.toContain('Requires-Dist');
      const program = 'import weft_workflows; print(weft_workflows.Client("http://a").namespace("b").name)';
      const used = await outcomeOf(start(['-c', program], { PYTHONPATH: join(folder, 'installed') }));
      expect(used).toEqual({ code: 0, out: 'b\n' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
