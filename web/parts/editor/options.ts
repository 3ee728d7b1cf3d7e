import type { Mend, Problem } from '../../data/api/errors.ts';
import type { Complete } from '../../data/workflow/schema.ts';

export type Language = 'yaml' | 'json' | 'jq' | 'text';

/** The options of an editor. */
export interface EditorOptions {
  readonly value: string;
  readonly language: Language;
  /** The name of the edited text, for screen readers. */
  readonly label: string;
  readonly isReadOnly?: boolean | undefined;
  /** A field of a form: without line numbers, and tab leaves it. */
  readonly isSmall?: boolean | undefined;
  readonly onChange?: ((value: string) => void) | undefined;
  readonly complete?: Complete | undefined;
}

/** An open editor. */
export interface EditorHandle {
  setValue(value: string): void;
  setProblems(problems: readonly Problem[]): void;
  /** Lines and columns count from 1. */
  goTo(line: number, column: number): void;
  /** Makes a correction, which can be undone. */
  mend(mend: Mend): void;
  close(): void;
}
