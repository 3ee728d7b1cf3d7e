/**
 * True when the whole text fits the pattern, in which `*` stands for any run of characters, also none, and everything
 * else for itself; an empty pattern fits only an empty text (workflow-language 3). Takes time by the length of both,
 * whatever they hold: patterns and texts come from strangers.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    at = endOf(part, text, at, end);
    if (at < 0) return false;
  }
  return true;
}

/** Where the first occurrence of the part in text[from, end) ends, or -1. The search never goes back (Knuth, Morris, Pratt). */
function endOf(part: string, text: string, from: number, end: number): number {
  if (part === '') return from;
  if (part.length > end - from) return -1;
  const borders = bordersOf(part);
  let fit = 0;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    while (fit > 0 && part.charCodeAt(fit) !== code) fit = borders[fit - 1] ?? 0;
    if (part.charCodeAt(fit) === code) fit += 1;
    if (fit === part.length) return at + 1;
  }
  return -1;
}

/** For each beginning of the part, the length of the longest beginning that it also ends with, itself excepted. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let fit = 0;
  for (let at = 1; at < part.length; at += 1) {
    const code = part.charCodeAt(at);
    while (fit > 0 && part.charCodeAt(fit) !== code) fit = borders[fit - 1] ?? 0;
    if (part.charCodeAt(fit) === code) fit += 1;
    borders[at] = fit;
  }
  return borders;
}
