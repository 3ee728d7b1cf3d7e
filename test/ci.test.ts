import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The check in a folder of its own, where `npm` is a script that a test writes. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-ci-'));
  for (const room of ['.ci', 'bin']) mkdirSync(join(folder, room));
  copyFileSync('.ci/run', join(folder, '.ci/run'));
  writeFileSync(join(folder, 'bin/ci-containers.sh'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

function check(npm: string): { readonly status: number | null; readonly last: readonly string[] } {
  writeFileSync(join(folder, 'npm'), `#!/bin/bash\n${npm}\n`);
  chmodSync(join(folder, 'npm'), 0o755);
  const path = `${folder}${delimiter}${process.env['PATH']}`;
  const { status, stdout } = spawnSync('bash', [join(folder, '.ci/run')], {
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  });
  return { status, last: stdout.trim().split('\n').slice(-2) };
}

test('the check adds the sums of its four parts, and prints what failed', () => {
  expect(check("echo '3 passed, 0 failed'")).toMatchObject({
    status: 0,
    last: [expect.anything(), '12 passed, 0 failed'],
  });
  const { status, last } = check("echo 'failed: one'; echo '3 passed, 1 failed'; exit 1");
  expect([status, last]).toEqual([1, ['failed: one', '12 passed, 4 failed']]);
});

test('the check prints which known flaky tests failed once', () => {
  const { status, last } = check("echo 'flaky: one'; echo '3 passed, 0 failed'");
  expect([status, last]).toEqual([0, ['flaky: one', '12 passed, 0 failed']]);
});

test.each([
  ['without a sum', 'exit 0', "failed: 'npm run test:deployed' ended without a sum"],
  [
    'with an error after it printed a sum without a failure',
    "echo '3 passed, 0 failed'; kill -9 $$",
    "failed: 'npm run test:deployed' ended with 137, although its sum has no failure",
  ],
])('a part that ends %s is a failure', (_how, npm, failure) => {
  const { status, last } = check(npm);
  expect([status, last[0]]).toEqual([1, failure]);
  expect(last[1]).toMatch(/, 4 failed$/);
});
