/** Something wrong in a text a user wrote. Problems are returned, all at once; only boundaries throw. */
export interface Problem {
  /** The first line a client shows, in the wording that existing clients know (workflow-language reference, 1.7). */
  readonly message: string;
  /** One-based. */
  readonly line: number;
  /** One-based. */
  readonly column: number;
  /** How to mend it, where we know. */
  readonly hint?: string;
}

/** A document is not read on after this many problems: an attacker writes documents too. */
export const MOST_PROBLEMS = 100;
