import { failuresOf, passedIn, type Report } from '../runner.ts';
import { EXPECTED_FAILURES } from './expected.ts';

/** The numbers of tests. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Counts a report. An expected failure counts as skipped. When all tests ran on the emulator, an expected failure that
 * did not occur counts as failed, so that the list is kept current.
 */
export function tally(report: Report, where: 'emulator' | 'part' | 'elsewhere'): Tally {
  const failures = failuresOf(report).map(({ name }) => name);
  const rows = where === 'elsewhere' ? [] : EXPECTED_FAILURES;
  const unexpected = failures.filter((name) => !rows.some(({ tests }) => tests.test(name)));
  for (const { tests, reason } of rows) {
    const count = failures.filter((name) => tests.test(name)).length;
    if (count > 0) console.log(`skipped ${count}: ${reason}`);
    else if (where === 'emulator') unexpected.push(`expected failures did not occur: ${reason}`);
  }
  for (const name of unexpected) console.log(`failed: ${name}`);
  return { passed: passedIn(report), failed: unexpected.length };
}
