import fc from 'fast-check';
import { type Jq, loadJq } from 'jq-wasm/inline';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileFast, Unsure } from '../../../../lib/language/jq/fast/fast-jq.ts';
import { Failed } from '../../../../lib/language/jq/fast/operations/run.ts';
import { toJson } from '../../../../lib/language/json.ts';
import { cases } from '../../../effort.ts';
import { document, program, tokens } from './programs.ts';
import { typedDocument, typedProgram } from './typed-programs.ts';

let jq: Jq;
beforeAll(async () => {
  jq = await loadJq();
});

interface Pair {
  readonly source: string;
  readonly data: unknown;
}

const PAIRS = cases(8_000, 20_000);

/** One program of jq for so many pairs costs little more than one for a single pair. */
const BATCH = 200;

const FAILED = toJson('failed');

/** JSON text of the first outputs or of a failure, or undefined where the fast evaluator leaves it to jq. */
function runFast({ source, data }: Pair): string | undefined {
  try {
    const outputs = compileFast(source)?.(data);
    return outputs && toJson(outputs);
  } catch (error) {
    if (error instanceof Failed) return FAILED;
    if (error instanceof Unsure) return undefined;
    throw error;
  }
}

/** The same of jq. Undefined when not all of the programs are programs. */
function runReal(pairs: readonly Pair[]): string[] | undefined {
  const runs = pairs.map(({ source }, at) => `(.[${at}] | try [limit(2;\n${source}\n)] catch "failed")`);
  const data = toJson(pairs.map((pair) => pair.data));
  const { stdout, exitCode } = jq.raw(data, runs.join(',\n'), ['-c']);
  return exitCode === 0 ? stdout.split('\n').map((line) => toJson(JSON.parse(line))) : undefined;
}

function runEach(pairs: readonly Pair[]): string[] {
  return runReal(pairs) ?? pairs.map((pair) => runReal([pair])?.[0] ?? 'refused');
}

/** The pairs on which the two differ, the shortest program first, and how often the fast one said something. */
function compareAll(pairs: readonly Pair[]): { readonly told: number; readonly differences: readonly object[] } {
  const told = pairs.flatMap((pair) => {
    const fast = runFast(pair);
    return fast === undefined ? [] : [{ ...pair, fast }];
  });
  const differences: object[] = [];
  for (let from = 0; from < told.length; from += BATCH) {
    const batch = told.slice(from, from + BATCH);
    const real = runEach(batch);
    for (const [at, one] of batch.entries()) if (one.fast !== real[at]) differences.push({ ...one, real: real[at] });
  }
  return { told: told.filter(({ fast }) => fast !== FAILED).length, differences };
}

describe('the fast evaluator and jq', () => {
  const seed = Number(process.env['FAST_JQ_SEED'] ?? Date.now() % 2 ** 31);

  test.each([
    ['any', fc.record({ source: program, data: document }), 0.15],
    ['scrambled', fc.record({ source: tokens, data: document }), 0.01],
    ['typed', fc.record({ source: typedProgram, data: typedDocument }), 0.35],
  ])(`give the same on ${PAIRS} %s programs and documents of seed ${seed}`, (_, pair, share) => {
    const { told, differences } = compareAll(fc.sample(pair, { numRuns: PAIRS, seed }));
    expect(differences).toEqual([]);
    expect(told).toBeGreaterThan(PAIRS * share);
  });
});
