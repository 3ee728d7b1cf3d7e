import { QueryError } from './query-error.ts';

/** The languages of scripts. */
export type ScriptKind = 'jq' | 'js';

/** A part of a text: literal text, or a script to evaluate. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: ScriptKind; readonly source: string };

/**
 * Splits a text at its `jq(...)` and `js(...)`. A script ends at its closing bracket; all brackets are counted, also those
 * in strings and comments (workflow-language 5.2). An empty text is one empty piece. Throws QueryError when a closing
 * bracket is missing.
 */
export function scanScripts(text: string): Piece[] {
  const pieces: Piece[] = [];
  let rest = 0;
  for (let open = nextScript(text, 0); open >= 0; open = nextScript(text, rest)) {
    const kind = text.startsWith('jq', open) ? 'jq' : 'js';
    const close = closingBracket(text, open + 3);
    if (close < 0) throw new QueryError(`no closing bracket in ${kind} query: ${text.slice(open)}`);
    if (open > rest) pieces.push({ kind: 'text', text: text.slice(rest, open) });
    pieces.push({ kind, source: text.slice(open + 3, close) });
    rest = close + 1;
  }
  if (rest < text.length || pieces.length === 0) pieces.push({ kind: 'text', text: text.slice(rest) });
  return pieces;
}

/** Returns the index of the next `jq(` or `js(`, or -1. It may follow a letter: `pajq(.a)` contains a script. */
export function nextScript(text: string, from: number): number {
  for (let bracket = text.indexOf('(', from + 2); bracket >= 0; bracket = text.indexOf('(', bracket + 1)) {
    const letter = text[bracket - 1];
    if ((letter === 'q' || letter === 's') && text[bracket - 2] === 'j') return bracket - 2;
  }
  return -1;
}

function closingBracket(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '(') depth += 1;
    else if (letter === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}
