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

/** The longest script, characters, and the most brackets that are open in it at the same time. */
export const MAX_SCRIPT = { characters: 128 * 1024, levels: 1000 };

/** Returns why a script of a text is too large; undefined for a text without such a script. Takes linear time. */
export function scriptProblem(text: string): string | undefined {
  if (text.length <= MAX_SCRIPT.levels) return undefined;
  let rest = 0;
  for (let open = nextScript(text, 0); open >= 0; open = nextScript(text, rest)) {
    const kind = text.slice(open, open + 2);
    const close = closingBracket(text, open + 3);
    rest = close < 0 ? text.length : close + 1;
    const length = rest - open - 4;
    if (length > MAX_SCRIPT.characters)
      return `the ${kind} script has ${length} characters, and ${MAX_SCRIPT.characters} are allowed`;
    const levels = levelsOf(text.slice(open + 3, rest));
    if (levels > MAX_SCRIPT.levels)
      return `the ${kind} script is nested ${levels} levels deep, and ${MAX_SCRIPT.levels} are allowed`;
  }
  return undefined;
}

/** The most brackets of a script that are open at the same time. */
function levelsOf(script: string): number {
  let depth = 0;
  let most = 0;
  for (const [bracket] of script.matchAll(/[()[\]{}]/g)) {
    depth += '([{'.includes(bracket) ? 1 : -1;
    most = Math.max(most, depth);
  }
  return most;
}

/** Returns the index of the next `jq(` or `js(`, or -1. It may follow a letter: `pajq(.a)` contains a script. */
export function nextScript(text: string, from: number): number {
  for (let bracket = text.indexOf('(', from + 2); bracket >= 0; bracket = text.indexOf('(', bracket + 1)) {
    const letter = text[bracket - 1];
    if ((letter === 'q' || letter === 's') && text[bracket - 2] === 'j') return bracket - 2;
  }
  return -1;
}

/** Returns the index of the bracket that closes a script which begins at an offset, or -1. */
export function closingBracket(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '(') depth += 1;
    else if (letter === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}
