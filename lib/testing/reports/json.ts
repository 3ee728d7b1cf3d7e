import { totalsOf } from '../results.ts';
import type { TestReport } from './report.ts';

/** The report for programs. */
export function jsonReport({ suites, coverage, seed }: TestReport): string {
  const results = {
    ...totalsOf(suites),
    ...(seed === undefined ? {} : { seed }),
    suites: suites.map(({ file, problems, cases }) => ({
      file,
      problems,
      cases: cases.map(({ name, line, status, failures, harms, crashes, reason, ms, seen }) => ({
        name,
        line,
        status,
        failures,
        harms,
        crashes,
        reason,
        ms: Math.round(ms),
        ...(seen === undefined ? {} : { states: seen.states, output: seen.output, took: seen.took }),
      })),
    })),
    ...(coverage === undefined ? {} : { coverage: Object.fromEntries(coverage) }),
  };
  return JSON.stringify(results, null, 2);
}
