import type { Coverage } from '../coverage.ts';
import type { SuiteResult } from '../results.ts';

/** Puts a text into a colour, where the reader has colours. */
export type Paint = (colour: 'green' | 'red' | 'yellow', text: string) => string;

/** The results of a command. */
export interface TestReport {
  readonly suites: readonly SuiteResult[];
  /** By the file of the workflow; undefined if it was not requested. */
  readonly coverage: ReadonlyMap<string, Coverage> | undefined;
  /** The seed of the disturbances; undefined without them. */
  readonly seed: number | undefined;
}
