import type { Position } from '../../language/position.ts';
import { createSourceText } from '../../language/position.ts';
import type { Edit, Mend } from '../reports/finding.ts';

/** The mend that replaces a part of one line; columns count from 1. */
export function lineMend(title: string, isCertain: boolean, edits: readonly Edit[]): Mend {
  return { title, edits, isCertain };
}

/** The edit that replaces `length` characters at a position. */
export function replaceAt(at: Position, length: number, text: string): Edit {
  return { from: at, to: { line: at.line, column: at.column + length }, text };
}

/**
 * Applies mends to a text, the last place first. A mend that overlaps one that is applied is left out. Returns the text
 * and the number of mends applied.
 */
export function applyMends(text: string, mends: readonly Mend[]): { readonly text: string; readonly count: number } {
  const source = createSourceText(text);
  const taken: { from: number; to: number; text: string }[] = [];
  let count = 0;
  for (const { edits } of mends) {
    const ranges = edits.map((edit) => ({
      from: source.offsetOf(edit.from),
      to: source.offsetOf(edit.to),
      text: edit.text,
    }));
    const isFree = ranges.every((one) => taken.every((other) => one.to < other.from || other.to < one.from));
    if (!isFree || ranges.length === 0) continue;
    taken.push(...ranges);
    count += 1;
  }
  const ordered = taken.toSorted((a, b) => b.from - a.from || b.to - a.to).reverse();
  const parts: string[] = [];
  let done = 0;
  for (const { from, to, text: part } of ordered) {
    parts.push(text.slice(done, from), part);
    done = to;
  }
  return { text: parts.join('') + text.slice(done), count };
}
