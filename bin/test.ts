/** `npm test`: lint, types, then every test; ends with the line `N passed, N failed` (a failed check counts as one). */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numFailedTestSuites: number;
}

function run(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0;
}

function runTests(filters: readonly string[]): { passed: number; failed: number; skipped: number } {
  const folder = mkdtempSync(join(tmpdir(), 'weft-test-'));
  const file = join(folder, 'report.json');
  const isGreen = run('vitest', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...filters,
  ]);
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  rmSync(folder, { recursive: true });
  const failed =
    report.numFailedTests + (isGreen || report.numFailedTests > 0 ? 0 : Math.max(1, report.numFailedTestSuites));
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests };
}

const filters = process.argv.slice(2);
const checks =
  filters.length > 0
    ? []
    : [
        ['biome', 'check', '.'],
        ['tsc', '--noEmit'],
      ];
const green = checks.map(([command = '', ...args]) => run(command, args));
const tests = runTests(filters);
const passed = tests.passed + green.filter(Boolean).length;
const failed = tests.failed + green.filter((isGreen) => !isGreen).length;
if (tests.skipped > 0) console.log(`${tests.skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
