/**
 * Returns whether the whole text matches the pattern, in which `*` matches any number of characters and any other
 * character matches itself; an empty pattern matches only the empty text (workflow-language 3). The time is linear in the
 * lengths of both, because patterns and texts are those of users (docs/decisions/040).
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

/** Returns where the first occurrence of the part in text[from, end) ends, or -1 (the algorithm of Knuth, Morris and Pratt). */
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

/** Returns, for each prefix of the part, the length of its longest proper prefix that is also its suffix. */
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
