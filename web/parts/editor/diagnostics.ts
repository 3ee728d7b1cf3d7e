import type { Action, Diagnostic } from '@codemirror/lint';
import type { ChangeSpec, Text } from '@codemirror/state';
import type { Mend, Problem } from '../../data/api/errors.ts';

const WORD = /^[\w.@/-]+/;
const MEANT = /^did you mean '([^']+)'\?$/;

type Place = Pick<Problem, 'line' | 'column'>;

/** The offset of a position; a position behind the end of its line is moved to that end. */
function offsetOf(doc: Text, { line: number, column }: Place): number {
  const line = doc.line(Math.max(1, Math.min(number, doc.lines)));
  return Math.min(line.from + column - 1, line.to);
}

/** The changes of a text that a correction consists of. */
export const changesOf = (doc: Text, { edits }: Mend): ChangeSpec =>
  edits.map(({ from, to, text }) => ({
    from: offsetOf(doc, from),
    // A removed line ends at the start of the next one; the last line has no next one.
    to: to.line > doc.lines ? doc.length : offsetOf(doc, to),
    insert: text,
  }));

/** The linter's correction as an action. */
function mendOf({ mend }: Problem): Action[] {
  if (mend === undefined) return [];
  return [{ name: mend.title, apply: (view) => view.dispatch({ changes: changesOf(view.state.doc, mend) }) }];
}

/** The compiler's hint as an action, if it names a replacement. */
function fixOf({ hint = '' }: Problem): Action[] {
  const word = MEANT.exec(hint)?.[1];
  if (word === undefined) return [];
  return [
    {
      name: `Write ${word}`,
      apply: (view, from, to) => view.dispatch({ changes: { from, to, insert: word } }),
    },
  ];
}

const SEVERITIES = { error: 'error', warning: 'warning', hint: 'info' } as const;

function toDiagnostic(doc: Text, problem: Problem): Diagnostic {
  const from = offsetOf(doc, problem);
  const line = doc.lineAt(from);
  const word = WORD.exec(line.text.slice(from - line.from))?.[0].length ?? 0;
  const { message, hint, rule, severity = 'error', end } = problem;
  const mends = mendOf(problem);
  return {
    from,
    to: end === undefined ? Math.min(from + Math.max(word, 1), line.to) : Math.max(from, offsetOf(doc, end)),
    severity: SEVERITIES[severity],
    message: hint === undefined ? message : `${message}\n${hint}`,
    ...(rule !== undefined && { source: rule }),
    actions: mends.length > 0 ? mends : fixOf(problem),
  };
}

/** The problems of the linter as diagnostics of the editor. */
export const toDiagnostics = (doc: Text, problems: readonly Problem[]): Diagnostic[] =>
  problems.map((problem) => toDiagnostic(doc, problem));
