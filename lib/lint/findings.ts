import { createSourceText } from '../language/position.ts';
import { formatProblem } from '../language/problem.ts';
import { docsOf, type Finding, lint } from './lint.ts';

/** A finding as the API sends it: with its source line and a caret, and the page of its rule. */
export interface SentFinding extends Finding {
  readonly text: string;
  readonly docs: string;
}

/** Returns everything that the linter finds in a source; no error for a text that can be stored. */
export function findingsOf(source: string): readonly SentFinding[] {
  const text = createSourceText(source);
  return lint(source).map((finding) => ({
    ...finding,
    text: formatProblem(finding, text),
    docs: docsOf(finding.rule),
  }));
}
