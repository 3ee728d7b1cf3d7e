import type { Position } from './position.ts';

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

/** A name in a text may be as long as the text; a message is cut after this many characters. */
const LONGEST = 1000;

/** Adds a problem, unless there are enough; the hint is worked out only for a problem that is told. */
export function addProblem(
  problems: Problem[],
  { line, column }: Position,
  message: string,
  hint?: () => string | undefined,
): void {
  if (problems.length >= MOST_PROBLEMS) return;
  const how = hint?.();
  problems.push({ message: cut(message), line, column, ...(how === undefined ? {} : { hint: cut(how) }) });
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** Longer lines are cut on both sides of the caret, so that one line of a megabyte is not printed whole. */
const WIDEST = 160;

/** The problem for a person: message, place, the source line with a caret under the column, and the hint. No final newline. */
export function problemText(problem: Problem, source: string): string {
  const { message, line, column, hint } = problem;
  const { shown, caret } = excerpt(source.split(/\r\n|\r|\n/)[line - 1] ?? '', column - 1);
  const margin = `${line} | `;
  return [
    `${line}:${column}: ${message}`,
    `${margin}${shown}`,
    `${' '.repeat(margin.length + caret)}^`,
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ].join('\n');
}

function excerpt(text: string, at: number): { shown: string; caret: number } {
  const from = Math.max(0, Math.min(at - WIDEST / 2, text.length - WIDEST));
  // One blank a tab, or the caret would not stand under its column.
  const shown = text.slice(from, from + WIDEST).replaceAll('\t', ' ');
  return { shown, caret: Math.max(0, Math.min(at, text.length) - from) };
}
