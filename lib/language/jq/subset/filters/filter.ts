import { JqError } from '../values/errors.ts';
import type { Path } from '../values/paths.ts';
import { countSteps } from '../values/run.ts';

/** Receives the outputs of a filter, one after the other. */
export type Emit<T = unknown> = (output: T) => void;

/** A jq filter, compiled to closures. Every part of a program is one, as in jq's manual. */
export interface Filter {
  /** Emits the outputs for an input, in jq's order. Throws JqError or UnknownOutcomeError. */
  readonly run: (input: unknown, emit: Emit) => void;
  /** Present when every input has exactly one output: the same filter as a plain, faster function. */
  readonly apply?: (input: unknown) => unknown;
  /** Present when the filter is a path expression: emits the paths that it selects below `from`. */
  readonly paths?: (from: Path, emit: Emit<Path>) => void;
}

/** Returns the filter that has exactly one output for each input. */
export function fromFunction(apply: (input: unknown) => unknown): Filter {
  return { apply, run: (input, emit) => emit(apply(input)) };
}

/** `.`: the input itself. */
export const IDENTITY: Filter = { ...fromFunction((input) => input), paths: (from, emit) => emit(from) };

/** `empty`: no output. */
export const EMPTY: Filter = { run: () => {}, paths: () => {} };

/** Returns the filter whose only output is the value, for example a literal. */
export function constant(value: unknown): Filter {
  return fromFunction(() => value);
}

/** Runs a filter to its end or to its first error, and returns the outputs before it. Rethrows UnknownOutcomeError. */
export function collectUntilError<T>(run: (emit: Emit<T>) => void): {
  readonly outputs: T[];
  readonly failure?: JqError;
} {
  const outputs: T[] = [];
  try {
    run((output) => outputs.push(output));
    return { outputs };
  } catch (error) {
    if (error instanceof JqError) return { outputs, failure: error };
    throw error;
  }
}

/** Returns all outputs of a filter. Throws JqError or UnknownOutcomeError. */
export function outputsOf(filter: Filter, input: unknown): unknown[] {
  if (filter.apply !== undefined) return [filter.apply(input)];
  const outputs: unknown[] = [];
  filter.run(input, (output) => outputs.push(output));
  return outputs;
}

/** Returns the filter that applies a function to each output of another; the function receives the input too. */
export function mapOutputs(filter: Filter, operate: (output: unknown, input: unknown) => unknown): Filter {
  const { apply, run } = filter;
  if (apply !== undefined) return fromFunction((input) => operate(apply(input), input));
  return { run: (input, emit) => run(input, (output) => emit(operate(output, input))) };
}

/**
 * Returns the filter with one output for each pair of outputs of two filters. The second filter is the outer loop, as
 * in jq's binary operators.
 */
export function combine(first: Filter, second: Filter, operate: (first: unknown, second: unknown) => unknown): Filter {
  const { apply: applyFirst, run: runFirst } = first;
  const { apply: applySecond, run: runSecond } = second;
  if (applyFirst !== undefined && applySecond !== undefined)
    return fromFunction((input) => {
      const right = applySecond(input);
      return operate(applyFirst(input), right);
    });
  return {
    run: (input, emit) => runSecond(input, (right) => runFirst(input, (left) => emit(operate(left, right)))),
  };
}

/** `first | second`. */
export function pipe(first: Filter, second: Filter): Filter {
  const { apply: applyFirst, paths: pathsOfFirst } = first;
  const { apply: applySecond, run: runSecond, paths: pathsOfSecond } = second;
  const filter: Filter =
    applyFirst !== undefined && applySecond !== undefined
      ? fromFunction((input) => applySecond(applyFirst(input)))
      : { run: (input, emit) => first.run(input, (output) => runSecond(output, emit)) };
  if (pathsOfFirst === undefined || pathsOfSecond === undefined) return filter;
  return { ...filter, paths: (from, emit) => pathsOfFirst(from, (path) => pathsOfSecond(path, emit)) };
}

/** `first, second`. */
export function comma(first: Filter, second: Filter): Filter {
  const { paths: pathsOfFirst } = first;
  const { paths: pathsOfSecond } = second;
  const run: Filter['run'] = (input, emit) => {
    countSteps();
    first.run(input, emit);
    second.run(input, emit);
  };
  if (pathsOfFirst === undefined || pathsOfSecond === undefined) return { run };
  return {
    run,
    paths: (from, emit) => {
      countSteps();
      pathsOfFirst(from, emit);
      pathsOfSecond(from, emit);
    },
  };
}
