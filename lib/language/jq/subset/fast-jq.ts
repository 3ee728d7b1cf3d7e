/**
 * A second evaluator for the common part of jq: microseconds, where jq-wasm takes a millisecond to compile jq's own library.
 * - Supported: paths, slices, literals, interpolation, array and object construction, arithmetic, comparison, logic, `//`,
 *   `if`, `as $x`, `?`, all assignments, `del`, and about 70 built-in functions (`FUNCTIONS` in filters/functions.ts).
 * - Not supported: `def`, `reduce`, `foreach`, `try`, regular expressions, formats, dates, destructuring, `..`, `$ENV`.
 * - Handed over to jq-wasm: every program with a feature that is not supported, and every run that fails, reaches a limit,
 *   or reaches a value whose treatment by jq is not certain. So all error messages are jq's own.
 * - Proof: test/language/jq/subset/equivalence.test.ts compares the outputs of 60,000 random programs with those of jq-wasm
 *   on every test run. docs/decisions/034-fast-jq.md has the figures.
 */
import { exceededBound, MAX_NODES } from '../../json-size.ts';
import { JqSyntaxError } from '../syntax/errors.ts';
import { compile } from './compiler.ts';
import type { Filter } from './filters/filter.ts';
import { UnknownOutcomeError } from './values/errors.ts';
import { beginRun } from './values/run.ts';

export { UnknownOutcomeError } from './values/errors.ts';

/**
 * A compiled program. Returns the outputs for a JSON value, the first two at most. The value is not changed; an output
 * may share parts with it. Throws UnknownOutcomeError when jq-wasm must evaluate the program instead.
 */
export type FastProgram = (input: unknown) => readonly unknown[];

/** Longer programs are rare, and could be nested more deeply than the call stack allows. */
const MAX_CHARACTERS = 1000;

/** Compiled programs cached. */
const MAX_PROGRAMS = 1000;

/** Bounds of an output that is not a part of the input: a program may double a value again and again. */
const BOUNDS = { levels: 1000, characters: 16 * 1024 * 1024, nodes: MAX_NODES };

const programs = new Map<string, FastProgram | undefined>();

/** Returns the compiled program, from a cache if possible, or undefined for a program outside the subset. Never throws. */
export function compileFast(program: string): FastProgram | undefined {
  if (programs.has(program)) return programs.get(program);
  const compiled = compileUncached(program);
  const oldest = programs.size >= MAX_PROGRAMS ? programs.keys().next().value : undefined;
  if (oldest !== undefined) programs.delete(oldest);
  programs.set(program, compiled);
  return compiled;
}

function compileUncached(program: string): FastProgram | undefined {
  if (program.length > MAX_CHARACTERS) return undefined;
  try {
    const filter = compile(program);
    return (input) => run(filter, input);
  } catch (error) {
    if (error instanceof UnknownOutcomeError || error instanceof JqSyntaxError) return undefined;
    throw error;
  }
}

/** Thrown to stop a program after its second output. */
const ENOUGH = Symbol('enough outputs');

function run(filter: Filter, input: unknown): readonly unknown[] {
  beginRun();
  const outputs: unknown[] = [];
  try {
    filter.run(input, (output) => {
      if (filter.paths === undefined && exceededBound(output, BOUNDS) !== undefined) throw new UnknownOutcomeError();
      if (outputs.push(output) > 1) throw ENOUGH;
    });
  } catch (error) {
    // A call stack overflow, or a string longer than V8 allows.
    if (error instanceof RangeError) throw new UnknownOutcomeError();
    if (error !== ENOUGH) throw error;
  }
  return outputs;
}
