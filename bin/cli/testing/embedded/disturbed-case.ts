import { failuresOf } from '../../../../lib/testing/checking.ts';
import type { PreparedCase } from '../../../../lib/testing/prepared.ts';
import type { CaseResult } from '../../../../lib/testing/results.ts';
import { runCase } from './case.ts';
import { type Disturbances, disturb } from './disturbances.ts';

export { runCase } from './case.ts';

/** How cases are run in this process. */
export interface EmbeddedOptions {
  /** Undefined: no disturbances. */
  readonly disturbances: Disturbances | undefined;
  /** The real time of one run of a case, milliseconds. */
  readonly patience: number;
}

/** Runs a case in this process, and again with disturbances if it passed. Never rejects for what the case does. */
export async function runEmbedded(
  file: string,
  prepared: PreparedCase,
  { disturbances, patience }: EmbeddedOptions,
): Promise<CaseResult> {
  const { test, main, missing } = prepared;
  const begun = performance.now();
  const plain = await runCase(prepared, {}, patience);
  const found = failuresOf(test.expect, plain.observation, main.path);
  const hints =
    found.length === 0
      ? []
      : missing.map((text) => ({ message: `${text}; mock it, or add its folder to 'folders'`, at: undefined }));
  const isTried = disturbances !== undefined && found.length === 0;
  const { harms, crashes } = isTried
    ? await disturb(prepared, plain, disturbances, patience)
    : { harms: [], crashes: 0 };
  return {
    name: test.name,
    file,
    line: test.line,
    status: found.length + harms.length === 0 ? 'passed' : 'failed',
    failures: [...hints, ...found],
    harms,
    crashes,
    reason: undefined,
    seen: plain.observation,
    ms: performance.now() - begun,
  };
}
