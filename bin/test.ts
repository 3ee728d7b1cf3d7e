/** `npm test`: lint, types, then every test; ends with the line `N passed, N failed` (a failed check counts as one). */
import { spawnSync } from 'node:child_process';
import { failuresOf, passedIn, type Report, runTests } from '../test/runner.ts';

function isGreen([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0;
}

/**
 * Runs the files again in which something failed, after all others are through. What fails twice has failed; what fails
 * once is told of, since nobody may get used to it.
 */
async function settle(first: Report): Promise<string[]> {
  const once = failuresOf(first);
  if (once.length === 0) return [];
  const files = [...new Set(once.map(({ file }) => file))];
  const twice = failuresOf(await runTests(files)).map(({ name }) => name);
  for (const { name } of once.filter(({ name }) => !twice.includes(name))) {
    console.log(`unsteady: ${name} failed, and passed when it was tried again`);
  }
  return twice;
}

const filters = process.argv.slice(2);
const checks =
  filters.length > 0 ? [] : ['biome check .', 'tsc --noEmit', 'tsc --noEmit -p web', 'tsc --noEmit -p test/web'];
const wrong = checks.filter((check) => !isGreen(check.split(' ')));
const report = await runTests(filters);
const failures = [...wrong, ...(await settle(report))];
const all = checks.length + passedIn(report) + failuresOf(report).length;
if (report.numPendingTests > 0) console.log(`${report.numPendingTests} skipped`);
for (const name of failures) console.log(`failed: ${name}`);
console.log(`${all - failures.length} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
