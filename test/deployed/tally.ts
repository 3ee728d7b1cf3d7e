import { relative } from 'node:path';
import { EXPECTED } from './expected.ts';

/** What the test runner reports. */
export interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
    }[];
  }[];
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

interface Outcome {
  readonly name: string;
  readonly status: string;
}

function* outcomesOf({ testResults }: Report): Generator<Outcome> {
  for (const { name, status, message, assertionResults } of testResults) {
    const file = relative(process.cwd(), name);
    for (const { fullName, status: one } of assertionResults) yield { name: `${file} ${fullName}`, status: one };
    const isBroken = status === 'failed' && !assertionResults.some((one) => one.status === 'failed');
    if (isBroken) yield { name: `${file} as a whole: ${message.slice(0, 200)}`, status: 'failed' };
  }
}

/**
 * Counts: what fails because of the emulator, and is listed with its reason, is skipped; a row of the list that
 * nothing failed by any longer is a failure, so that the list stays true. Of a part of the tests that says nothing.
 */
export function tally(report: Report, where: 'emulator' | 'part' | 'elsewhere'): Tally {
  const outcomes = [...outcomesOf(report)];
  const passed = outcomes.filter(({ status }) => status === 'passed').length;
  const wrong = outcomes.filter(({ status }) => status === 'failed').map(({ name }) => name);
  const rows = where === 'elsewhere' ? [] : EXPECTED;
  const unexpected = wrong.filter((name) => !rows.some(({ tests }) => tests.test(name)));
  for (const { tests, why, isChance } of rows) {
    const count = wrong.filter((name) => tests.test(name)).length;
    if (count > 0) console.log(`skipped ${count}: ${why}`);
    else if (where === 'emulator' && isChance === undefined) unexpected.push(`nothing fails any longer because ${why}`);
  }
  for (const name of unexpected) console.log(`failed: ${name}`);
  return { passed, failed: unexpected.length };
}
