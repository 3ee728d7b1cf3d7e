import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Jq } from 'jq-wasm/inline';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileFast, UnknownOutcomeError } from '../../../../lib/language/jq/subset/fast-jq.ts';
import { toJson } from '../../../../lib/language/json.ts';
import { loadTranslating, runTranslated } from '../translated.ts';
import { CORPUS } from './corpus.ts';

/** The outputs kept of a program, as of gojq. */
const MOST = 5;
const FAILED = 'failed';

/** A program of the corpus and, for each input of its group, the JSON text of gojq's outputs or FAILED. */
interface Row {
  readonly program: string;
  readonly wanted: readonly string[];
}

interface Group {
  readonly inputs: readonly unknown[];
  readonly rows: Row[];
}

const file = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

function readResults(): Map<string, Group> {
  const groups = new Map<string, Group>();
  let group: Group = { inputs: [], rows: [] };
  for (const line of file('results.jsonl').trimEnd().split('\n')) {
    const parsed = JSON.parse(line);
    if (Array.isArray(parsed)) {
      const [program, ...results] = parsed;
      const wanted = results.flatMap((one) => (typeof one === 'number' ? Array(one).fill(FAILED) : [toJson(one)]));
      group.rows.push({ program, wanted });
    } else {
      group = { inputs: parsed.inputs, rows: [] };
      groups.set(parsed.group, group);
    }
  }
  return groups;
}

const GROUPS = readResults();
/** The programs whose results differ from those of gojq, by the reason. */
const DIFFERENCES: Readonly<Record<string, readonly string[]>> = JSON.parse(file('differences.json'));

let jq: Jq;
beforeAll(async () => {
  jq = await loadTranslating();
});

/** Evaluates programs for each input by jq-wasm; undefined if jq refuses one of them. */
function evaluate(programs: readonly string[], inputs: readonly unknown[]): string[][] | undefined {
  const frame = (program: string): string => `[.[] | try [limit(${MOST};\n${program}\n)] catch "${FAILED}"]`;
  const { stdout, exitCode } = runTranslated(jq, programs, inputs, frame);
  if (exitCode !== 0) return undefined;
  return stdout
    .split('\n')
    .map((line) => (JSON.parse(line) as unknown[]).map((one) => (one === FAILED ? FAILED : toJson(one))));
}

const BATCH = 20;

function* results({ inputs, rows }: Group): Generator<Row & { readonly got: readonly string[] }> {
  const failures = inputs.map(() => FAILED);
  for (let from = 0; from < rows.length; from += BATCH) {
    const batch = rows.slice(from, from + BATCH);
    const together = evaluate(
      batch.map(({ program }) => program),
      inputs,
    );
    for (const [at, row] of batch.entries())
      yield { ...row, got: together?.[at] ?? evaluate([row.program], inputs)?.[0] ?? failures };
  }
}

/** Returns the JSON text of the outputs of the fast evaluator, two at most; undefined where it leaves them to jq-wasm. */
function evaluateFast(program: string, input: unknown): string | undefined {
  try {
    const outputs = compileFast(program)?.(input);
    return outputs && toJson(outputs);
  } catch (error) {
    if (error instanceof UnknownOutcomeError) return undefined;
    throw error;
  }
}

const firstTwo = (text: string): string =>
  text === FAILED ? text : toJson((JSON.parse(text) as unknown[]).slice(0, 2));

describe('jq programs', () => {
  test('have the results of gojq, except for those that are listed with the reason', () => {
    const different: Record<'wrong' | 'more', Set<string>> = { wrong: new Set(), more: new Set() };
    let pairs = 0;
    for (const group of GROUPS.values())
      for (const { program, wanted, got } of results(group))
        for (const [at, result] of wanted.entries()) {
          pairs += 1;
          if (got[at] !== result) different[result === FAILED ? 'more' : 'wrong'].add(program);
        }
    const { 'gojq fails': more = [], ...others } = DIFFERENCES;
    expect({ pairs: pairs > 35_000, more: [...different.more] }).toEqual({ pairs: true, more });
    expect([...different.wrong].sort()).toEqual(Object.values(others).flat().sort());
  });

  test('have the same results in the fast evaluator, where it has any', () => {
    const listed = new Set(Object.values(DIFFERENCES).flat());
    const wrong: object[] = [];
    for (const { inputs, rows } of GROUPS.values())
      for (const { program, wanted } of rows.filter((row) => !listed.has(row.program)))
        for (const [at, result] of wanted.entries()) {
          const fast = evaluateFast(program, inputs[at]);
          if (fast !== undefined && fast !== firstTwo(result)) wrong.push({ program, input: inputs[at], fast, result });
        }
    expect(wrong).toEqual([]);
  });

  test('that differ from gojq have their reasons in the documentation', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/jq.md'), 'utf8');
    const documented = [...page.matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)].map(([, reason]) => reason);
    expect(['here', ...Object.keys(DIFFERENCES).filter((reason) => reason !== 'gojq fails')]).toEqual(documented);
  });

  test('of the corpus are those whose results are stored', () => {
    const stored = [...GROUPS].map(([name, { rows }]) => [name, rows.map(({ program }) => program)]);
    expect(stored).toEqual(Object.entries(CORPUS).map(([name, { programs }]) => [name, [...new Set(programs)]]));
  });
});
