import { failuresOf, passedIn, type Report } from '../runner.ts';
import { EXPECTED } from './expected.ts';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Counts: what fails because of the emulator, and is listed with its reason, is skipped; a row of the list that
 * nothing failed by any longer is a failure, so that the list stays true. Of a part of the tests that says nothing.
 */
export function tally(report: Report, where: 'emulator' | 'part' | 'elsewhere'): Tally {
  const wrong = failuresOf(report).map(({ name }) => name);
  const rows = where === 'elsewhere' ? [] : EXPECTED;
  const unexpected = wrong.filter((name) => !rows.some(({ tests }) => tests.test(name)));
  for (const { tests, why, isChance } of rows) {
    const count = wrong.filter((name) => tests.test(name)).length;
    if (count > 0) console.log(`skipped ${count}: ${why}`);
    else if (where === 'emulator' && isChance === undefined) unexpected.push(`nothing fails any longer because ${why}`);
  }
  for (const name of unexpected) console.log(`failed: ${name}`);
  return { passed: passedIn(report), failed: unexpected.length };
}
