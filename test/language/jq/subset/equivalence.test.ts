import type { Jq } from 'jq-wasm/inline';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileFast, UnknownOutcomeError } from '../../../../lib/language/jq/subset/fast-jq.ts';
import { JqError } from '../../../../lib/language/jq/subset/values/errors.ts';
import { toJson } from '../../../../lib/language/json.ts';
import { parseJson } from '../../../../lib/language/json-numbers.ts';
import { cases, SEED } from '../../../effort.ts';
import fc from '../../../fast-check.ts';
import { loadTranslating, runTranslated } from '../translated.ts';
import { document, program, tokens } from './programs.ts';
import { typedDocument, typedProgram } from './typed-programs.ts';

let jq: Jq;
beforeAll(async () => {
  jq = await loadTranslating();
});

interface Pair {
  readonly source: string;
  readonly data: unknown;
}

const PAIRS = cases(8_000, 12_000);

/** One run of jq-wasm for so many pairs takes little more time than a run for one pair. */
const BATCH = 200;

const FAILED = toJson('failed');

/** Returns the JSON text of the first two outputs or of an error; undefined if the fast evaluator leaves the pair to jq-wasm. */
function runFast({ source, data }: Pair): string | undefined {
  try {
    const outputs = compileFast(source)?.(data);
    return outputs && toJson(outputs);
  } catch (error) {
    if (error instanceof JqError) return FAILED;
    if (error instanceof UnknownOutcomeError) return undefined;
    throw error;
  }
}

/** Returns the same of jq-wasm; undefined if one of the programs does not compile. */
function runReal(pairs: readonly Pair[]): string[] | undefined {
  const sources = pairs.map(({ source }) => source || '.');
  const frame = (program: string, at: number) => `(.[${at}] | try [limit(2;\n${program}\n)] catch "failed")`;
  const data = pairs.map((pair) => pair.data);
  const { stdout, exitCode } = runTranslated(jq, sources, data, frame);
  return exitCode === 0 ? stdout.split('\n').map((line) => toJson(parseJson(line))) : undefined;
}

function runEach(pairs: readonly Pair[]): string[] {
  return runReal(pairs) ?? pairs.map((pair) => runReal([pair])?.[0] ?? 'does not compile');
}

/** Returns the pairs on which the evaluators differ, and the number of pairs that the fast one evaluated. */
function compareAll(pairs: readonly Pair[]): { readonly evaluated: number; readonly differences: readonly object[] } {
  const evaluated = pairs.flatMap((pair) => {
    const fast = runFast(pair);
    return fast === undefined ? [] : [{ ...pair, fast }];
  });
  const differences: object[] = [];
  for (let from = 0; from < evaluated.length; from += BATCH) {
    const batch = evaluated.slice(from, from + BATCH);
    const real = runEach(batch);
    for (const [at, one] of batch.entries()) if (one.fast !== real[at]) differences.push({ ...one, real: real[at] });
  }
  return { evaluated: evaluated.filter(({ fast }) => fast !== FAILED).length, differences };
}

describe('the fast evaluator and jq-wasm', () => {
  test.each([
    ['any', fc.record({ source: program, data: document }), 0.15],
    ['scrambled', fc.record({ source: tokens, data: document }), 0.01],
    ['typed', fc.record({ source: typedProgram, data: typedDocument }), 0.35],
  ])(`have the same outputs for ${PAIRS} %s programs and documents of seed ${SEED}`, (_, pair, share) => {
    const { evaluated, differences } = compareAll(fc.sample(pair, { numRuns: PAIRS, seed: SEED }));
    expect(differences).toEqual([]);
    expect(evaluated).toBeGreaterThan(PAIRS * share);
  });
});
