import type { Position } from '../../language/position.ts';

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
