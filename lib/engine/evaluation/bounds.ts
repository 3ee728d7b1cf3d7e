import { exceededBound } from '../../language/json.ts';
import { failure } from './failures.ts';

/**
 * The limits of a run's data. It is written as JSON at each commit and read by recursive engines; indented, its size grows
 * with the square of its levels. Without limits a loop could double the data with every state, since states share the
 * parts that they do not change.
 */
const BOUNDS = { levels: 1000, characters: 64 * 1024 * 1024 };

/** Why the value cannot be a run's data; undefined when it can. */
export function dataProblem(value: unknown): string | undefined {
  const excess = exceededBound(value, BOUNDS);
  if (excess === 'levels') return `nested deeper than ${BOUNDS.levels} levels`;
  return excess && `longer than ${BOUNDS.characters} characters`;
}

/** The limits of a container's JSON result: those of its whole answer (workflow-language reference, 11.3). */
const RESULT_BOUNDS = { ...BOUNDS, characters: 192 * 1024 * 1024 };

/** Why the value cannot be the result of a call; undefined when it can. */
export function resultProblem(value: unknown): string | undefined {
  const excess = exceededBound(value, RESULT_BOUNDS);
  if (excess === 'levels') return `nested deeper than ${RESULT_BOUNDS.levels} levels`;
  return excess && `longer than ${RESULT_BOUNDS.characters} characters`;
}

/** Throws the catchable `jq.badCommand` for a value that is too large or too deep to be a run's data. */
export function needBounded<T>(value: T): T {
  const problem = dataProblem(value);
  if (problem === undefined) return value;
  throw failure('jq.badCommand', `the data of the state would be ${problem}`);
}
