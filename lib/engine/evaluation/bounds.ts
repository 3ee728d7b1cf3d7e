import { numberProblem } from '../../language/json-numbers.ts';
import { type Bounds, exceededBound, hasMoreNodes, MAX_NODES, MOST_NODES } from '../../language/json-size.ts';
import { failure } from './failures.ts';

/**
 * The limits of a run's data. It is written as JSON at each commit and read by recursive engines; indented, its size grows
 * with the square of its levels. Without limits a loop could double the data with every state, since states share the
 * parts that they do not change.
 */
const BOUNDS: Bounds = { levels: 1000, characters: 64 * 1024 * 1024, nodes: MAX_NODES };

const EXCESS: Readonly<Record<keyof Bounds, (bounds: Bounds) => string>> = {
  levels: ({ levels }) => `nested deeper than ${levels} levels`,
  characters: ({ characters }) => `longer than ${characters} characters`,
  nodes: ({ nodes }) => `of more than ${nodes} values`,
};

function problemOf(value: unknown, bounds: Bounds): string | undefined {
  const excess = exceededBound(value, bounds);
  return excess && EXCESS[excess](bounds);
}

/** Why the value cannot be a run's data; undefined when it can. */
export function dataProblem(value: unknown): string | undefined {
  return problemOf(value, BOUNDS);
}

/** Why JSON text is too large for a run's data, found before it is parsed; undefined when no reason is found. */
export function sizeProblem(text: Uint8Array): string | undefined {
  return hasMoreNodes(text, MAX_NODES) ? `of more than ${MOST_NODES}` : undefined;
}

/** As `sizeProblem`, or that a number of the text is too large. */
export const textProblem = (text: Uint8Array): string | undefined => sizeProblem(text) ?? numberProblem(text);

/** The limits of a container's JSON result: those of its whole answer (workflow-language reference, 11.3). */
const RESULT_BOUNDS: Bounds = { ...BOUNDS, characters: 192 * 1024 * 1024 };

/** Why the value cannot be the result of a call; undefined when it can. */
export function resultProblem(value: unknown): string | undefined {
  return problemOf(value, RESULT_BOUNDS);
}

/** Throws the catchable `jq.badCommand` for a value that is too large or too deep to be a run's data. */
export function needBounded<T>(value: T): T {
  needNone(dataProblem(value));
  return value;
}

/** Throws the catchable `jq.badCommand` for JSON text that cannot be a run's data. */
export function needBoundedText(text: Uint8Array): void {
  needNone(textProblem(text));
}

function needNone(problem: string | undefined): void {
  if (problem !== undefined) throw failure('jq.badCommand', `the data of the state would be ${problem}`);
}
