import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { evaluateQuery } from '../../../lib/language/sandbox/queries.ts';
import { createSandbox, type Sandbox } from '../../../lib/language/sandbox/sandbox.ts';
import { QueryError } from '../../../lib/language/scripts/query-error.ts';
import type { ScriptKind } from '../../../lib/language/scripts/scripts.ts';

const sandbox = createSandbox({ memoryMiB: 64 });
/** For scripts that never end. A busy machine may not give a good script enough of this time either. */
const hasty = createSandbox({ deadlineMs: 300, memoryMiB: 64 });
afterAll(() => Promise.all([sandbox.close(), hasty.close()]));

/** Returns the problem of the script; fails if the script succeeds. */
async function problemOf(kind: ScriptKind, source: string, data: unknown = {}, used = sandbox): Promise<string> {
  const error: unknown = await used.evaluate(kind, source, data).then(
    (value) => expect.unreachable(`${source} gives ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(QueryError);
  return String(error).replace('QueryError: ', '');
}

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

const GREEDY_SCRIPTS: readonly (readonly [ScriptKind, string, RegExp])[] = [
  ['jq', 'def f: f; f', /: timeout after 0\.3 s$/],
  ['jq', 'last(range(1e12))', /: timeout after 0\.3 s$/],
  ['jq', 'until(false; .)', /: timeout after 0\.3 s$/],
  ['jq', 'def f: [f]; f', /: (out of memory|timeout)/],
  ['jq', '[range(1e9)] | length', /: (out of memory|timeout)/],
  ['jq', '[limit(40; repeat("xxxxxxxx"))] | reduce range(40) as $i (.; . + .) | length', /: (out of memory|timeout)/],
  ['jq', '"x" * 1000000000', /: (out of memory: more than 64 MiB needed|timeout)/],
  ['js', 'while (true) {}', /: timeout/],
  ['js', 'const all = []; for (;;) all.push(new Array(1e5).fill(1))', /out of memory|timeout/],
  ['js', 'for (;;) try { while (true) {} } catch {}', /: timeout/],
  ['js', 'return /(a+)+b/.test("a".repeat(40))', /: timeout/],
];

/** The script runs, at the latest when it is tried again. */
const expectThree = (used: Sandbox, kind: ScriptKind, source: string) =>
  vi.waitFor(async () => expect(await used.evaluate(kind, source, { n: 1 })).toBe(3), { timeout: 30_000 });

describe('a script that exceeds a limit', () => {
  afterEach(async () => {
    for (const used of [sandbox, hasty]) {
      await expectThree(used, 'jq', '[.n, 2] | add');
      await expectThree(used, 'js', 'return data.n + 2');
    }
  });

  test.each(GREEDY_SCRIPTS)('%s: %s fails and the next script runs', async (kind, source, expected) => {
    expect(await problemOf(kind, source, {}, hasty)).toMatch(expected);
  });

  test.each([
    ['function f() { return f() + 1 } return f()', /stack overflow/],
    ['return "a".repeat(5e8)', /out of memory/],
  ])('js: %s fails and the next script runs', async (source, expected) => {
    expect(await problemOf('js', source)).toMatch(expected);
  });

  test('fails with its own place when it is one of several', async () => {
    const query = { a: 'jq(1 * 2)', b: 'jq(last(range(1e12)))', c: 'jq(error)' };
    const patient = createSandbox({ deadlineMs: 1500 });
    await expect(evaluateQuery(query, {}, patient)).rejects.toThrow(
      "error in 'b': error executing jq query last(range(1e12)): timeout after 1.5 s",
    );
    await patient.close();
  });

  test('fails on data that is nested too deeply for jq and for js', async () => {
    expect(await problemOf('jq', 'map(.)', nested(5000))).toContain('nested too deeply');
    expect(await problemOf('js', 'return data', nested(5000))).toContain('nested too deeply');
  });
});

describe('the isolation of a script', () => {
  test('gives jq no environment, no further input, no files and no modules', async () => {
    expect(await sandbox.evaluate('jq', '[env, $ENV] | tojson', {})).toBe('[{},{}]');
    expect(await problemOf('jq', 'input')).toBe('error executing jq query input: no more inputs');
    expect(await problemOf('jq', 'import "a" as a; 1')).toContain('error executing jq query');
    expect(await problemOf('jq', '$__prog_args')).toContain('variable not defined');
  });

  test.each(['process', 'require', 'fetch', 'console', 'setTimeout', 'Buffer', 'std', 'os', 'import.meta'])(
    'gives js no %s',
    async (name) => {
      expect(await problemOf('js', `${name}.x; return 1`)).toMatch(/ReferenceError|SyntaxError/);
    },
  );

  test('gives js the Base64 of a text, as the original does', async () => {
    expect(await sandbox.evaluate('js', 'return btoa("demo")', {})).toBe('ZGVtbw==');
    expect(await sandbox.evaluate('js', 'return atob(data.a) + btoa("Köln 🍞")', { a: btoa('demo') })).toBe(
      'demoS8O2bG4g8J+Nng==',
    );
    expect(await problemOf('js', 'return atob("no Base64!")')).toMatch(/atob: the text is not Base64/);
  });

  test('keeps changes of globals from the next script', async () => {
    expect(await sandbox.evaluate('js', 'globalThis.left = 1; Array.prototype.map = null; return 1', {})).toBe(1);
    expect(await sandbox.evaluate('js', 'return [typeof left, typeof [].map]', {})).toEqual(['undefined', 'function']);
  });

  test('gives each script a copy of the data', async () => {
    const data = { a: { b: 1 } };
    expect(await sandbox.evaluate('js', 'data.a.b = 2; return data', data)).toEqual({ a: { b: 2 } });
    expect(data).toEqual({ a: { b: 1 } });
  });

  test('keeps the conversion of the result from a script that replaces built-ins', async () => {
    const source = 'JSON.stringify = () => "1"; Array.isArray = () => false; Object.keys = () => []; return {a: [1]}';
    expect(await sandbox.evaluate('js', source, {})).toEqual({ a: [1] });
  });

  test('ignores messages on standard error', async () => {
    expect(await sandbox.evaluate('jq', '"x" | debug | debug("m") | stderr', {})).toBe('x');
  });

  test('rejects a result whose JSON text is too long', async () => {
    const roomy = createSandbox({ memoryMiB: 256 });
    const error = await roomy.evaluate('js', 'return "é".repeat(2 ** 25 + 1)', {}).catch(String);
    await roomy.close();
    expect(error).toContain('the result is too large');
  });
});

describe('a result of too many values', () => {
  test.each([
    ['jq', '[range(500001)]'],
    ['js', 'return new Array(500001).fill(0)'],
  ] as const)('of %s is an error', async (kind, source) => {
    expect(await problemOf(kind, source)).toContain('the result is too large: more than 500000 values');
  });
});

describe('a sandbox', () => {
  test('queues scripts when all threads are busy', async () => {
    const pair = createSandbox({ workers: 2 });
    const sums = Array.from({ length: 20 }, (_, n) =>
      pair.evaluate(n % 2 ? 'jq' : 'js', n % 2 ? '.n*2' : 'return data.n*2', { n }),
    );
    expect(await Promise.all(sums)).toEqual(Array.from({ length: 20 }, (_, n) => n * 2));
    await pair.close();
  });

  test('evaluates several scripts on the same data', async () => {
    const scripts = [
      { kind: 'jq', source: '.n * 2' },
      { kind: 'js', source: 'return data.n * 3' },
      { kind: 'jq', source: '# a comment\n.n * 4' },
      { kind: 'jq', source: '"a)b" | ascii_upcase' },
    ] as const;
    expect(await sandbox.evaluateAll(scripts, { n: 2 })).toEqual([
      { value: 4 },
      { value: 6 },
      { value: 8 },
      { value: 'A)B' },
    ]);
  });

  test('ends the outcomes of several scripts with the first error', async () => {
    const scripts = ['.n * 2', '.n * 2 | empty', '.n * 3'].map((source) => ({ kind: 'jq', source }) as const);
    const [first, second, ...more] = await sandbox.evaluateAll(scripts, { n: 2 });
    expect([first, second, more]).toEqual([
      { value: 4 },
      { error: new QueryError('error in jq query .n * 2 | empty: no results') },
      [],
    ]);
  });

  test('rejects scripts in progress and later ones when it is closed', async () => {
    const closing = createSandbox();
    const running = closing.evaluate('jq', 'last(range(1e12))', {});
    const waiting = closing.evaluate('jq', 'now', {});
    const answers = Promise.allSettled([running, waiting]);
    await closing.close();
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(closing.evaluate('jq', 'now', {})).rejects.toThrow('closed');
  });
});
