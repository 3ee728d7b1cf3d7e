import type { Position } from '../../language/position.ts';
import { addProblem, type Problem } from '../../language/problem.ts';

/** How the messages about one part of a document begin, in the wording of the original (workflow-language 1.7). */
export interface MessagePrefixes {
  /** A field is unknown or has a value of the wrong type. */
  readonly undecodable: string;
  /** The part is not a map, or has no type. */
  readonly untyped: string;
  /** The type of the part is not known. */
  readonly unknownType: string;
  /** The fields can be decoded, but a value is missing or wrong. */
  readonly invalid: string;
}

/** A use of a name that must be declared elsewhere in the document. */
export interface Reference extends Position {
  /** The field that uses the name, for example `transition` or `conditions[0]`. */
  readonly field: string;
  readonly name: string;
}

/** The remaining budget of all parts of a document together. */
export interface Budget {
  schemaParts: number;
}

/** The parts of all schemas of a document together: the time to compile a validator grows with them. */
export const MAX_SCHEMA_PARTS = 10_000;

/** The state of the decoding of one part of a document: its problems, and the names that it uses. */
export interface Context {
  readonly prefixes: MessagePrefixes;
  /** The beginning of messages about invalid values, for example `conditions[0] is invalid: `. */
  readonly path: string;
  /** The field of transitions that are elements of a list; undefined: the name of the field itself. */
  readonly listField?: string;
  readonly undecodable: Problem[];
  readonly invalid: Problem[];
  readonly transitions: Reference[];
  readonly calls: Reference[];
  readonly budget: Budget;
}

type Hint = () => string | undefined;

/** Creates the context of a part. All parts of a document share one budget. */
export function createContext(prefixes: MessagePrefixes, budget: Budget): Context {
  return { prefixes, path: '', undecodable: [], invalid: [], transitions: [], calls: [], budget };
}

/**
 * Returns the problems of a part. If it could not be decoded, these are the only ones: an invalid value may be a
 * consequence.
 */
export function problemsOf({ undecodable, invalid }: Context): readonly Problem[] {
  return undecodable.length > 0 ? undecodable : invalid;
}

/** Reports an unknown field, or a value of the wrong type. */
export function reportUndecodable(context: Context, at: Position, text: string, hint?: Hint): void {
  addProblem(context.undecodable, at, context.prefixes.undecodable + text, hint);
}

/** Reports a missing value, or one of the right type that is not allowed. */
export function reportInvalid(context: Context, at: Position, text: string, hint?: Hint): void {
  addProblem(context.invalid, at, context.prefixes.invalid + context.path + text, hint);
}
