import { excessOf } from '../../json.ts';
import type { Part } from './filters/parts.ts';
import { beginRun, UnknownOutcomeError } from './operations/run.ts';
import { parse } from './parser.ts';

export { UnknownOutcomeError } from './operations/run.ts';

/** The first two outputs of a jq program; throws UnknownOutcomeError where only jq itself can tell them. */
export type FastProgram = (data: unknown) => readonly unknown[];

/** Longer programs are not the common ones, and could nest deeper than the call stack. */
const LONGEST = 1000;

/** Compiled programs kept; the one compiled first goes first. */
const MOST_PROGRAMS = 1000;

/** Of an output that is no part of the data: naming a value twice, again and again, makes it enormous. */
const BOUNDS = { levels: 1000, characters: 16 * 1024 * 1024 };

const programs = new Map<string, FastProgram | undefined>();

/**
 * The program in TypeScript, for the commonest jq: paths, literals and texts with interpolations, lists and objects,
 * arithmetic, comparisons, logic, conditions, variables, assignments and the builtins of fast-jq-functions. Undefined
 * for every other program. What it gives, jq gives; where that is not certain it throws UnknownOutcomeError.
 */
export function compileFast(program: string): FastProgram | undefined {
  if (programs.has(program)) return programs.get(program);
  const compiled = compile(program);
  const oldest = programs.size >= MOST_PROGRAMS ? programs.keys().next().value : undefined;
  if (oldest !== undefined) programs.delete(oldest);
  programs.set(program, compiled);
  return compiled;
}

function compile(program: string): FastProgram | undefined {
  if (program.length > LONGEST) return undefined;
  try {
    const part = parse(program === '' ? '.' : program);
    return (data) => run(part, data);
  } catch (error) {
    if (error instanceof UnknownOutcomeError) return undefined;
    throw error;
  }
}

/** Ends a program that has said enough. */
const ENOUGH = Symbol('enough');

function run(part: Part, data: unknown): readonly unknown[] {
  beginRun();
  const outputs: unknown[] = [];
  try {
    part.each(data, (output) => {
      if (part.places === undefined && excessOf(output, BOUNDS) !== undefined) throw new UnknownOutcomeError();
      if (outputs.push(output) > 1) throw ENOUGH;
    });
  } catch (error) {
    // The call stack, or a text longer than any may be.
    if (error instanceof RangeError) throw new UnknownOutcomeError();
    if (error !== ENOUGH) throw error;
  }
  return outputs;
}
