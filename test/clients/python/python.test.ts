import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Description } from '../../../lib/api/docs/client-types.ts';
import { pythonTypes } from '../../../lib/api/docs/python-types.ts';
import { type Client, openOwnClient } from '../../service/access/client.ts';

const ROOM = 'clients/python/src/weft_workflows';
const SOURCES = fileURLToPath(new URL('../../../clients/python/src', import.meta.url));

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
      PYTHONPATH: SOURCES,
      PYTHONDONTWRITEBYTECODE: '1',
      ...more,
    },
  });

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
});
