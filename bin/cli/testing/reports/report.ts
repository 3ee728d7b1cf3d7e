import type { Coverage } from '../../../../lib/testing/coverage.ts';
import type { SuiteResult } from '../../../../lib/testing/results.ts';

/** The results of a command. */
export interface TestReport {
  readonly suites: readonly SuiteResult[];
  /** By the file of the workflow; undefined if it was not requested. */
  readonly coverage: ReadonlyMap<string, Coverage> | undefined;
  /** The seed of the disturbances; undefined without them. */
  readonly seed: number | undefined;
}
