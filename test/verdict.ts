import { KNOWN_FLAKY, type KnownFlaky } from './known-flaky.ts';
import { failuresOf, outcomesOf, type Report } from './runner.ts';

/** The report of `npm test`, and its counts. */
export interface Verdict {
  readonly passed: number;
  /** One name for each failure, with a note if the test passed when its file ran again. */
  readonly failures: readonly string[];
  /** The known flaky tests that failed once. */
  readonly flaky: readonly string[];
}

/** The files to run again: those in which a test failed. */
export function filesToRepeat(first: Report): string[] {
  return [...new Set(failuresOf(first).map(({ file }) => file))];
}

/**
 * Judges a run of the tests, and the second run of the files that failed. A test that failed in either run is a failure.
 * The one exception: it is in the list of known flaky tests and passed in the second run.
 */
export function judge(first: Report, second?: Report, known: readonly KnownFlaky[] = KNOWN_FLAKY): Verdict {
  const failedFirst = failuresOf(first).map(({ name }) => name);
  const failedAgain = second === undefined ? failedFirst : failuresOf(second).map(({ name }) => name);
  const onlyOnce = failedFirst.filter((name) => !failedAgain.includes(name));
  const entryOf = (name: string) => known.find(({ test }) => test === name);
  const flaky = onlyOnce.flatMap((name) => {
    const entry = entryOf(name);
    return entry === undefined ? [] : [`${name} (known since ${entry.since}: ${entry.cause})`];
  });
  const unsteady = onlyOnce.filter((name) => entryOf(name) === undefined);
  const failures = [...unsteady.map((name) => `${name} (it passed when its file ran again)`), ...failedAgain];
  const steady = [...outcomesOf(first)].filter(
    ({ name, status }) => status === 'passed' && !failedAgain.includes(name),
  );
  return { passed: steady.length + flaky.length, failures, flaky };
}
