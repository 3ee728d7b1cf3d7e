import type { Action, Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { Problem } from '../../data/api/errors.ts';

const WORD = /^[\w.@/-]+/;
const MEANT = /^did you mean '([^']+)'\?$/;

/** The compiler's hint as something that can be pressed, where it names a word to put there. */
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

function toDiagnostic(doc: Text, problem: Problem): Diagnostic {
  const line = doc.line(Math.max(1, Math.min(problem.line, doc.lines)));
  const from = Math.min(line.from + problem.column - 1, line.to);
  const word = WORD.exec(line.text.slice(from - line.from))?.[0].length ?? 0;
  const { message, hint } = problem;
  return {
    from,
    to: Math.min(from + Math.max(word, 1), line.to),
    severity: 'error',
    message: hint === undefined ? message : `${message}\n${hint}`,
    actions: fixOf(problem),
  };
}

/** The problems of the compiler as marks in the text. */
export const toDiagnostics = (doc: Text, problems: readonly Problem[]): Diagnostic[] =>
  problems.map((problem) => toDiagnostic(doc, problem));
