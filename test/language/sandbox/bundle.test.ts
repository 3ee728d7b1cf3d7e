import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const language = join(import.meta.dirname, '../../../lib/language');

const OPTIONS: BuildOptions = { bundle: true, platform: 'node', format: 'esm', target: 'node24', logLevel: 'error' };

/** Prints the value of a query, and ends although the sandbox is not closed. */
const ENTRY = `
import { evaluateQuery } from '${language}/sandbox/queries.ts';
import { createSandbox } from '${language}/sandbox/sandbox.ts';
const query = JSON.parse(process.argv[2]);
const value = await evaluateQuery(query, { n: 1 }, createSandbox({ deadlineMs: 2000 })).catch(String);
console.log(JSON.stringify(value));
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundle-'));
  await writeFile(join(folder, 'entry.ts'), ENTRY);
  await build({ ...OPTIONS, entryPoints: [join(folder, 'entry.ts')], outfile: join(folder, 'index.mjs') });
  await build({
    ...OPTIONS,
    minify: true,
    loader: { '.wasm': 'binary' },
    entryPoints: [join(language, 'sandbox', 'worker.ts')],
    outfile: join(folder, 'sandbox-worker.mjs'),
  });
});
afterAll(() => rm(folder, { recursive: true }));

async function evaluateInBundle(query: unknown): Promise<unknown> {
  const { stdout } = await run(process.execPath, ['index.mjs', JSON.stringify(query)], {
    cwd: folder,
    env: {},
    timeout: 20_000,
  });
  return JSON.parse(stdout);
}

describe('a bundle', () => {
  test('starts the thread from the file beside it, which contains both engines', async () => {
    const query = { jq: 'jq([.n, 2] | add)', js: 'js(return data.n + 2)' };
    expect(await evaluateInBundle(query)).toEqual({ jq: 3, js: 3 });
  });

  test('reports a script that runs out of memory', async () => {
    expect(await evaluateInBundle('jq("x" * 1000000000)')).toContain('out of memory');
  });

  test('reports a missing file of the thread only when a query needs the thread', async () => {
    await rename(join(folder, 'sandbox-worker.mjs'), join(folder, 'elsewhere.mjs'));
    expect(await evaluateInBundle({ x: 'jq(.n)', y: 'jq({a: .n})' })).toEqual({ x: 1, y: { a: 1 } });
    expect(await evaluateInBundle('jq(.n | @text)')).toMatch(/the thread for queries failed: Cannot find module/);
  });
});
