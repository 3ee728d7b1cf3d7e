import type { OldWorkflow, Replacement } from './old-workflow.ts';
import type { Names } from './references.ts';

/** A change that a rewrite makes. */
export interface Rewriting {
  /** The offset of the changed text. */
  readonly at: number;
  /** The change and its reason, in one clause. */
  readonly note: string;
  readonly replacements: readonly Replacement[];
}

/** A rewrite of one construct of older versions. */
export type Rewrite = (old: OldWorkflow, names: Names) => readonly Rewriting[];
