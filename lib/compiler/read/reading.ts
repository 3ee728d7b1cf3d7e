import type { Position } from '../../language/position.ts';
import { addProblem, type Problem } from '../../language/problem.ts';

/** What stands before the texts of one part of a document, in the wording of the original (workflow-language 1.7). */
export interface Wording {
  /** A field is unknown or holds the wrong kind of value. */
  readonly misread: string;
  /** The part is no map, or its type cannot be read. */
  readonly broken: string;
  /** The type is none of those known. */
  readonly unknown: string;
  /** The fields can be read, but what they say is wrong. */
  readonly refuse: string;
}

/** A name used in one place that must be declared in another. */
export interface Reference extends Position {
  /** Where it is used: `transition`, `conditions[0]`, `function` ... */
  readonly slot: string;
  readonly name: string;
}

/** What all parts of one document together may still cost. */
export interface Allowance {
  schemaParts: number;
}

/** Making a validator of a schema takes time for each of its parts, so the schemas of a document may have this many. */
export const MOST_SCHEMA_PARTS = 10_000;

/** The reading of one part of a document: what is wrong with it, and the names it uses. */
export interface Reading {
  readonly wording: Wording;
  /** Stands before the text of a refusal, for example `conditions[0] is invalid: `. */
  readonly path: string;
  /** The slot of a transition that stands in a list; else its field's name is the slot. */
  readonly slot?: string;
  readonly misread: Problem[];
  readonly refused: Problem[];
  readonly transitions: Reference[];
  readonly calls: Reference[];
  readonly allowance: Allowance;
}

type Hint = () => string | undefined;

/** The reading of a part; parts of one document share an allowance. */
export function beginReading(wording: Wording, allowance: Allowance): Reading {
  return { wording, path: '', misread: [], refused: [], transitions: [], calls: [], allowance };
}

/** Problems of the part. What was refused may be but the echo of what was misread, so it is told only when all was read. */
export function problemsOf({ misread, refused }: Reading): readonly Problem[] {
  return misread.length > 0 ? misread : refused;
}

/** Says that a part is not of the kind that the language wants there. */
export function misread(reading: Reading, at: Position, text: string, hint?: Hint): void {
  addProblem(reading.misread, at, reading.wording.misread + text, hint);
}

/** Says that what the part says is wrong. */
export function refuse(reading: Reading, at: Position, text: string, hint?: Hint): void {
  addProblem(reading.refused, at, reading.wording.refuse + reading.path + text, hint);
}
