import type { Position } from '../../language/position.ts';
import type { Workflow } from '../../lint/document/workflow.ts';

/** The kind of a completion, for the icon beside it. */
export type CompletionKind = 'field' | 'type' | 'state' | 'function' | 'word' | 'variable' | 'workflow';

/** Something that can be written at a position. */
export interface Completion {
  readonly label: string;
  readonly kind: CompletionKind;
  /** The text to insert; default: the label. */
  readonly insert?: string;
  readonly detail?: string;
  readonly documentation?: string;
}

/** The completions of a word, which begins at `from` and ends at the position where they were requested. */
export interface Completions {
  readonly from: Position;
  readonly items: readonly Completion[];
}

/** The other workflows that a text may name, by their paths in the folder that is open in the editor. */
export interface Surroundings {
  /** The path of the text itself. */
  readonly path: string;
  readonly workflows: ReadonlyMap<string, Workflow>;
  /** The paths of their files; default: with the extension `.yaml`. */
  readonly files?: ReadonlyMap<string, string>;
  /** For a file of tests without `folders`: the folder to which paths in the tree are relative; default: its own. */
  readonly home?: string;
}
