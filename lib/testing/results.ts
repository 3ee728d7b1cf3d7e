import type { Failure } from './checking.ts';
import type { Harm } from './harm.ts';
import type { Observation } from './observation.ts';

/** How a case ended. */
export interface CaseResult {
  readonly name: string;
  readonly file: string;
  /** The line of the case. */
  readonly line: number;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Why it failed. */
  readonly failures: readonly Failure[];
  /** The harm that repetition does. */
  readonly harms: readonly Harm[];
  /** How many crashes were tried. */
  readonly crashes: number;
  /** Why it was skipped. */
  readonly reason: string | undefined;
  /** The observation of the case; undefined if it was not run in this process. */
  readonly seen: Observation | undefined;
  /** Real time, milliseconds. */
  readonly ms: number;
}

/** The results of one file of tests. */
export interface SuiteResult {
  readonly file: string;
  readonly cases: readonly CaseResult[];
  /** The problems of the file. */
  readonly problems: readonly string[];
}

/** How many cases passed, failed and were skipped; a file with problems counts as one that failed. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Counts results. */
export function totalsOf(suites: readonly SuiteResult[]): Totals {
  const cases = suites.flatMap((suite) => suite.cases);
  const count = (status: CaseResult['status']): number => cases.filter((one) => one.status === status).length;
  const broken = suites.filter(({ problems }) => problems.length > 0).length;
  return { passed: count('passed'), failed: count('failed') + broken, skipped: count('skipped') };
}
