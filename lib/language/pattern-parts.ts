/** The parts of a regular expression: escapes, classes of characters, repetitions, brackets, single characters. */
const PART = /\\[\s\S]?|\[\^?\]?(?:[^\]\\]|\\[\s\S])*(?:\]|$)|\{(\d+)(?:,(\d*))?\}|[\s\S]/g;

/**
 * Returns the parts of a regular expression, each counted as often as the repetitions `{n}` around it say: the time to
 * compile it and to match by it grows with them. A text with more than `most` characters has so many parts.
 */
export function partsOf(pattern: string, most: number): number {
  if (pattern.length > most) return pattern.length;
  /** The parts before each open bracket. */
  const outer: number[] = [];
  let parts = 0;
  let last = 0;
  for (const [part, least, greatest] of pattern.matchAll(PART)) {
    const times = Math.max(1, Number(least ?? 1), Number(greatest || 1));
    if (part === '(') {
      outer.push(parts);
      parts = 0;
    } else if (part === ')') {
      last = parts + 1;
      parts = (outer.pop() ?? 0) + last;
    } else {
      if (least === undefined) last = 1;
      parts += least === undefined ? 1 : last * (times - 1);
      last *= times;
    }
  }
  return outer.reduce((sum, before) => sum + before, parts);
}
