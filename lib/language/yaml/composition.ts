import type { Event } from 'js-yaml';
import type { Position } from '../position.ts';
import { addProblem, type Problem } from '../problem.ts';
import type { Node } from './node.ts';

/** A node with what it costs to walk it: nodes and characters, aliases expanded, and how deep it goes. */
export interface Piece {
  readonly node: Node;
  readonly weight: number;
  readonly depth: number;
}

/** The state of one composition: where in the events it is, and what it has seen. */
export interface Composition {
  readonly source: string;
  readonly events: readonly Event[];
  readonly at: (offset: number) => Position;
  /** A null anchor is being read: an alias to it would contain itself. */
  readonly anchors: Map<string, Piece | null>;
  readonly problems: Problem[];
  next: number;
  /** End of the last scalar: the place of a node of which nothing is written. */
  offset: number;
  aliases: number;
  expansion: number;
  merged: number;
}

/** Adds a problem of the document's meaning, in the wording of the original's YAML library. */
export function refuse(reading: Composition, at: Position, text: string, hint?: () => string): void {
  addProblem(reading.problems, at, `yaml: ${text}`, hint);
}
