/** `npm test`: lint, types, then every test; ends with the line `N passed, N failed` (a failed check counts as one). */
import { spawnSync } from 'node:child_process';
import { runTests } from '../test/runner.ts';
import { filesToRepeat, judge } from '../test/verdict.ts';

function isGreen([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0;
}

const filters = process.argv.slice(2);
const checks =
  filters.length > 0 ? [] : ['biome check .', 'tsc --noEmit', 'tsc --noEmit -p web', 'tsc --noEmit -p test/web'];
const wrong = checks.filter((check) => !isGreen(check.split(' ')));
const report = await runTests(filters);
const repeated = filesToRepeat(report);
// The second run shows whether a failure is steady. It does not make a failed test a passed one.
const verdict = judge(report, repeated.length === 0 ? undefined : await runTests(repeated));
const failures = [...wrong, ...verdict.failures];
const passed = checks.length - wrong.length + verdict.passed;
if (report.numPendingTests > 0) console.log(`${report.numPendingTests} skipped`);
for (const name of verdict.flaky) console.log(`flaky: ${name}`);
for (const name of failures) console.log(`failed: ${name}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
