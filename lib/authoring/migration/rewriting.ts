import type { OldWorkflow, Replacement } from './old-workflow.ts';
import type { Names } from './references.ts';

/** A change that a rewrite makes. */
export interface Rewriting {
  /** The offset of what is changed. */
  readonly at: number;
  /** What is done and why, in one clause. */
  readonly note: string;
  readonly replacements: readonly Replacement[];
}

/** A rewrite of one construct of older versions. */
export type Rewrite = (old: OldWorkflow, names: Names) => readonly Rewriting[];
