import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALIASES } from '../../bin/functions/aliases.ts';
import { bundleCopiedFile } from '../../bin/functions/build.ts';
import { notices } from '../../bin/licenses/notices.ts';
import { COPIED_FILES } from '../../cdk/functions/extra-files.ts';
import { rawRootKey as wholeKey, envelopeSealer as wholeSealer } from '../../lib/adapters/portable/sealer.ts';
import { startIssuer } from '../contract/issuer.ts';
import { loadedSize } from '../deployed/bundles.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'weft-synth-'));
/** The text of a function: of its bundle, and of the parts that are loaded later. */
const textOf = (folder: string): string =>
  globSync(join(folder, '{index,part-*}.mjs'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
const bundles = (): string[] => globSync(join(out, 'asset.*', 'index.mjs'));

/** An environment without account, region and credentials. */
function synth(): { status: number | null; text: string } {
  const flags = (JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')) as { context: object }).context;
  const env = { PATH: process.env['PATH'], HOME: out, CDK_OUTDIR: out, CDK_CONTEXT_JSON: JSON.stringify(flags) };
  const { status, stderr } = spawnSync(process.execPath, ['cdk/app.ts'], { cwd: ROOT, env, encoding: 'utf8' });
  return { status, text: stderr };
}

/** The reply of the thread to a job, after its message `begunBy`. */
function ask(file: string, kind: string, source: string): Promise<unknown> {
  const limits = { deadlineMs: 10_000, memoryMiB: 64, resultBytes: 1_000_000 };
  const worker = new Worker(pathToFileURL(file), { workerData: limits, env: {}, execArgv: [] });
  const answer = new Promise((resolve, reject) => {
    worker.on('error', reject);
    worker.on('message', (message: object) => !('begunBy' in message) && resolve(message));
  });
  worker.postMessage({ kind, sources: [source], data: '{"a":1}' });
  return answer.finally(() => worker.terminate());
}

describe('the packages that bundles leave out', () => {
  test('are not needed to encrypt and decrypt secrets', async () => {
    const outfile = join(out, 'sealer.mjs');
    const entryPoints = [join(ROOT, 'lib/adapters/portable/sealer.ts')];
    const banner = {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    };
    await build({ entryPoints, outfile, banner, alias: ALIASES, bundle: true, platform: 'node', format: 'esm' });
    const { envelopeSealer, rawRootKey } = (await import(
      outfile
    )) as typeof import('../../lib/adapters/portable/sealer.ts');
    const sealer = envelopeSealer(rawRootKey(async () => new Uint8Array(32)));
    const binding = { kind: 'secret', owner: 'n', name: 'a' };
    const key = await sealer.newDataKey({ owner: 'n' });
    const sealed = await sealer.seal(key, Buffer.from('hidden'), binding);
    // With the packages themselves.
    const whole = wholeSealer(wholeKey(async () => new Uint8Array(32)));
    expect(Buffer.from(await whole.open(key, sealed, binding)).toString()).toBe('hidden');
    const other = await whole.seal(key, Buffer.from('other'), binding);
    expect(Buffer.from(await sealer.open(key, other, binding)).toString()).toBe('other');
    expect(Buffer.from(await sealer.open(key, sealed, binding)).toString()).toBe('hidden');
    await expect(sealer.open(key, Uint8Array.from(sealed).fill(0, -20), binding)).rejects.toThrow();
    await expect(sealer.open(key, sealed.subarray(0, -1), binding)).rejects.toThrow();
    const long = Buffer.alloc(2_000_000, 'long');
    const sealedLong = await sealer.seal(key, long, binding);
    expect(long.equals(await sealer.open(key, sealedLong, binding))).toBe(true);
    expect(long.equals(await whole.open(key, sealedLong, binding))).toBe(true);
    await expect(sealer.open(key, Uint8Array.from(sealedLong).fill(0, 9_000, 9_020), binding)).rejects.toThrow();
  });
});

describe('the deployed app', () => {
  beforeAll(() => {
    const { status, text } = synth();
    if (status !== 0) throw new Error(text);
  });

  afterAll(() => rmSync(out, { recursive: true }));

  test('is synthesized without an account and passes the rules', () => {
    expect(existsSync(join(out, 'Weft.template.json'))).toBe(true);
    expect(JSON.parse(readFileSync(join(out, 'validation-report.json'), 'utf8')).pluginReports).toEqual([]);
  });

  test('has one module for every function, which can be loaded and exports its handler', async () => {
    const files = bundles();
    expect(files.length).toBeGreaterThan(4);
    const modules = await Promise.all(files.map((file) => import(pathToFileURL(file).href)));
    expect(modules.map(({ handler }) => typeof handler)).toEqual(files.map(() => 'function'));
  });

  test('loads at most 850 kB when a function starts', () => {
    const sizes = bundles().map((file) => [file, loadedSize(dirname(file))] as const);
    expect(sizes.length).toBeGreaterThan(20);
    expect(sizes.filter(([, size]) => size > 850_000)).toEqual([]);
  });

  test.each(COPIED_FILES)('lays %s beside every function that wants it, and beside no other', (name) => {
    const wants = bundles().filter((file) => textOf(dirname(file)).includes(`./${name}`));
    const has = bundles().filter((file) => existsSync(join(dirname(file), name)));
    expect(wants.length).toBeGreaterThan(0);
    expect(has).toEqual(wants);
  });

  test.each([
    ['LICENSE', readFileSync(join(ROOT, 'LICENSE'), 'utf8')],
    ['THIRD-PARTY-NOTICES.txt', notices()],
  ])('has %s beside every function', (name, text) => {
    const missing = bundles().filter((file) => !existsSync(join(dirname(file), name)));
    expect(missing).toEqual([]);
    expect(readFileSync(join(dirname(bundles()[0] ?? ''), name), 'utf8')).toBe(text);
  });

  test('contains a sidecar for containers that needs only Node, with the same bytes in every build', async () => {
    const [file = ''] = globSync(join(out, 'asset.*', 'beside.mjs'));
    const text = readFileSync(file, 'utf8');
    const imported = [...text.matchAll(/\bfrom"([^"]+)"|\bimport\("([^"]+)"\)/g)].map(
      ([, from, loaded]) => from ?? loaded,
    );
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((name) => !name?.startsWith('node:'))).toEqual([]);
    expect(text).not.toMatch(/\brequire\(/);
    const folder = join(out, 'again');
    await bundleCopiedFile('beside.mjs', folder);
    expect(readFileSync(join(folder, 'beside.mjs'), 'utf8')).toBe(text);
  });

  test('contains what sends mails in a file that needs only Node', async () => {
    const [file = ''] = globSync(join(out, 'asset.*', 'smtp.mjs'));
    const loaded = (await import(pathToFileURL(file).href)) as typeof import('../../lib/egress/smtp.ts');
    expect(typeof loaded.sendMails).toBe('function');
  });

  test('contains what verifies tokens in a file that needs only Node, and whose refusals are those of the function', async () => {
    const [file = ''] = globSync(join(out, 'asset.*', 'tokens.mjs'));
    const outfile = join(dirname(file), 'issuer-tokens.mjs');
    const contents = "export * from './issuer-tokens.ts'; export { SignInError } from '../../../ports/tokens.ts';";
    const stdin = { contents, resolveDir: join(ROOT, 'lib/adapters/portable/tokens') };
    await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm' });
    const { issuerTokens, SignInError } = (await import(
      pathToFileURL(outfile).href
    )) as typeof import('../../lib/adapters/portable/tokens/issuer-tokens.ts') &
      typeof import('../../lib/ports/tokens.ts');
    const issuer = await startIssuer();
    try {
      const tokens = issuerTokens({ issuer: issuer.url, audience: ['weft'], groups: {} }, Date.now);
      expect(await tokens.verify(await issuer.sign())).toMatchObject({ subject: 'u-1' });
      await expect(tokens.verify(await issuer.sign({ exp: 1 }))).rejects.toBeInstanceOf(SignInError);
    } finally {
      await issuer.close();
      rmSync(outfile);
    }
  });

  test.each([
    ['jq', '.a + 1'],
    ['js', 'return data["a"] + 1'],
  ])('contains the engine of %s in the worker thread', async (kind, source) => {
    const [worker] = globSync(join(out, 'asset.*', 'sandbox-worker.mjs'));
    expect(await ask(worker ?? '', kind, source)).toMatchObject({ results: [{ text: '2' }] });
  });
});
