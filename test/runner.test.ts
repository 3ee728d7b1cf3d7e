import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const FILES = {
  fails: "test('wrong', () => expect(1).toBe(2));",
  killed: "test('right', () => {}); test('last', () => process.kill(process.pid, 'SIGKILL'));",
  uncaught: `test('right', async () => {
    setImmediate(() => { throw new Error('uncaught by the test'); });
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  });`,
};

/** In a process of its own, because the runner prints the failures of these files to its output. */
const program = (folder: string) => `
  import { failuresOf, passedIn, runTests } from '${resolve('test/runner.ts')}';
  const report = await runTests([], ['--root', '${folder}', '--config', '${resolve('vitest.config.ts')}']);
  const names = failuresOf(report).map(({ name }) => name.slice(name.lastIndexOf('/') + 1));
  console.log(JSON.stringify([names.sort(), passedIn(report)]));
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-runner-'));
  mkdirSync(join(folder, 'test'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(FILES)) {
    writeFileSync(join(folder, 'test', `${name}.test.ts`), `import { expect, test } from 'vitest';\n${text}\n`);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

test('failures are found of a test, of a killed process, and of an uncaught error', () => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program(folder)], { encoding: 'utf8' });
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual([
    ['fails.test.ts wrong', 'killed.test.ts as a whole: ', 'uncaught.test.ts as a whole: uncaught by the test'],
    1,
  ]);
});
