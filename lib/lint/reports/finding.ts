import type { Position } from '../../language/position.ts';
import type { Problem } from '../../language/problem.ts';

/**
 * How serious a finding is. `error`: the text cannot be stored. `warning`: it can be stored, as the original does, and
 * certainly fails or does something else than it seems to. `hint`: it is probably a mistake, or not needed.
 */
export type Severity = 'error' | 'warning' | 'hint';

/** A replacement of a part of the source. */
export interface Edit {
  readonly from: Position;
  readonly to: Position;
  readonly text: string;
}

/** A correction that can be applied to the source. */
export interface Mend {
  /** The description of the correction, in the imperative. */
  readonly title: string;
  readonly edits: readonly Edit[];
  /** The correction certainly has the meaning that the author intended: `--fix` applies it without a question. */
  readonly isCertain: boolean;
}

/** A problem in a workflow text that a rule found. */
export interface Finding extends Problem {
  /** The id of the rule, which is its heading in docs/lint.md. */
  readonly rule: string;
  readonly severity: Severity;
  /** The end of the place; absent, it is a point. */
  readonly end?: Position;
  readonly mend?: Mend;
}

/** The report of a rule: a finding without the rule's own id and severity. */
export interface Report {
  readonly at: Position;
  readonly end?: Position;
  readonly message: string;
  readonly hint?: string;
  readonly mend?: Mend;
  /** Replaces the severity of the rule, where a case of it is less certain. */
  readonly severity?: Severity;
}
