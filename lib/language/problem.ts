import { omitUndefined } from './omit-undefined.ts';
import { createSourceText, type Position, type SourceText } from './position.ts';

/** A mistake in a text that a user wrote. Functions return problems, all of them at once, and do not throw them. */
export interface Problem {
  /** One sentence for the user, in the words of the original where existing clients rely on them (workflow-language 1.7). */
  readonly message: string;
  /** One-based. */
  readonly line: number;
  /** One-based. */
  readonly column: number;
  /** The correction, if it is known. */
  readonly hint?: string;
}

/** Problems reported of one document at most, so that a hostile document does not make an endless list. */
export const MAX_PROBLEMS = 100;

/** Messages and hints are cut after this many characters: they quote names, which may be as long as the document. */
const MAX_CHARACTERS = 1000;

/** Adds a problem unless MAX_PROBLEMS is reached. The hint is computed only for a problem that is added. */
export function addProblem(
  problems: Problem[],
  { line, column }: Position,
  message: string,
  hint?: () => string | undefined,
): void {
  if (problems.length >= MAX_PROBLEMS) return;
  const correction = hint?.();
  const cut = omitUndefined({ hint: correction && truncate(correction) });
  problems.push({ message: truncate(message), line, column, ...cut });
}

/** Cuts a message or a hint, with a mark at its end. */
export function truncate(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
}

/** Longer source lines are cut on both sides of the caret. */
const MAX_WIDTH = 160;

/**
 * Formats a problem for a terminal: position and message, the source line with a caret under the column, and the hint.
 * Without a final newline. A source text finds the lines of several problems faster than a string.
 */
export function formatProblem(problem: Problem, source: string | SourceText): string {
  const { message, line, column, hint } = problem;
  const { lineAt } = typeof source === 'string' ? createSourceText(source) : source;
  const { shown, caret } = excerpt(lineAt(line), column - 1);
  const margin = `${line} | `;
  return [
    `${line}:${column}: ${message}`,
    `${margin}${shown}`,
    `${' '.repeat(margin.length + caret)}^`,
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ].join('\n');
}

function excerpt(text: string, at: number): { shown: string; caret: number } {
  const from = Math.max(0, Math.min(at - MAX_WIDTH / 2, text.length - MAX_WIDTH));
  // A tab becomes one blank, so that the caret is under its column.
  const shown = text.slice(from, from + MAX_WIDTH).replaceAll('\t', ' ');
  return { shown, caret: Math.max(0, Math.min(at, text.length) - from) };
}
