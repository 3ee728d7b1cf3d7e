import { type Jq, loadJq } from 'jq-wasm/inline';
import { beforeAll, describe, expect, test } from 'vitest';
import { aritiesOf, builtinNames } from '../../../../lib/language/jq/syntax/builtins.ts';
import { JqSyntaxError } from '../../../../lib/language/jq/syntax/errors.ts';
import { unknownNames } from '../../../../lib/language/jq/syntax/names.ts';
import { parseJq } from '../../../../lib/language/jq/syntax/parser.ts';
import { cases, SEED } from '../../../effort.ts';
import fc from '../../../fast-check.ts';
import { program, tokens } from '../subset/programs.ts';
import { typedProgram } from '../subset/typed-programs.ts';
import { ACCEPTED, REJECTED } from './programs.ts';

let jq: Jq;
beforeAll(async () => {
  jq = await loadJq();
});

/** The reason why a program cannot be compiled; undefined if it can. */
function problemOf(source: string): string | undefined {
  try {
    return unknownNames(parseJq(source))[0]?.message;
  } catch (error) {
    if (error instanceof JqSyntaxError) return error.message;
    throw error;
  }
}

/** True if jq itself compiles the program, alone and as the engine wraps it. It is not run: the input is empty. */
const isAccepted = (source: string): boolean => {
  const program = source.trim() === '' ? '.' : source;
  return [program, `limit(2;\n${program}\n)`].every((one) => jq.raw('', one, ['-c']).exitCode === 0);
};

describe('the parser of jq', () => {
  test.each(ACCEPTED)('accepts %j', (source) => {
    expect(isAccepted(source)).toBe(true);
    expect(problemOf(source)).toBeUndefined();
  });

  test.each(REJECTED)('rejects %j: %s', (source, message) => {
    expect(isAccepted(source)).toBe(false);
    expect(problemOf(source)).toBe(message);
  });

  test.each([
    ['any', program],
    ['scrambled', tokens],
    ['typed', typedProgram],
  ])(`rejects no random program that jq accepts: %s, seed ${SEED}`, (_, arbitrary) => {
    const sources = fc.sample(arbitrary, { numRuns: cases(2_000, 8_000), seed: SEED });
    const rejected = sources.filter((source) => problemOf(source) !== undefined);
    expect(rejected.filter(isAccepted)).toEqual([]);
  });

  test('knows the functions of the engine and their numbers of arguments', () => {
    const { stdout } = jq.raw('null', '[builtins[] | select(startswith("_") | not)] | sort | join(" ")', ['-r']);
    const known = [...builtinNames()].flatMap((name) => aritiesOf(name)?.map((arity) => `${name}/${arity}`) ?? []);
    const ofGojq = ['leaf_paths/0', 'pow10/0'];
    expect(known.toSorted().join(' ')).toBe([...stdout.trim().split(' '), ...ofGojq].toSorted().join(' '));
  });
});
