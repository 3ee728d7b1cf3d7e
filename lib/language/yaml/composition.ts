import type { Event } from 'js-yaml';
import type { Position } from '../position.ts';
import { addProblem, type Problem } from '../problem.ts';
import type { Node } from './node.ts';

/** A node with its size (nodes and characters, aliases expanded) and its nesting depth. */
export interface Composed {
  readonly node: Node;
  readonly weight: number;
  readonly depth: number;
}

/** The state of the composition of one document: the position in the events, the anchors and the counters of limits. */
export interface Composition {
  readonly source: string;
  readonly events: readonly Event[];
  readonly at: (offset: number) => Position;
  /** Null while the anchor's node is composed: an alias to it would contain itself. */
  readonly anchors: Map<string, Composed | null>;
  readonly problems: Problem[];
  next: number;
  /** The end of the last scalar: the position of an empty node. */
  offset: number;
  aliases: number;
  expansion: number;
  merged: number;
}

/** Adds a problem with the prefix of the original's YAML library. */
export function reject(composition: Composition, at: Position, text: string, hint?: () => string): void {
  addProblem(composition.problems, at, `yaml: ${text}`, hint);
}
