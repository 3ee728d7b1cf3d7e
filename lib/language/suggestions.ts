/** Longer names are not compared, so that the time is bounded. */
const MAX_CHARACTERS = 40;

/** Candidates compared; the rest is ignored, so that the time is bounded. */
const MAX_CANDIDATES = 500;

/**
 * Returns the candidate with the smallest edit distance to the name, at most a third of its length; undefined if there is
 * none. Case, dashes and underscores make no difference.
 */
export function closestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_CHARACTERS) return undefined;
  const wanted = normalized(name);
  const maxDistance = Math.max(1, Math.ceil(wanted.length / 3));
  let best: { name: string; distance: number } | undefined;
  let compared = 0;
  for (const candidate of candidates) {
    if (compared++ >= MAX_CANDIDATES) break;
    if (candidate.length > MAX_CHARACTERS) continue;
    const most = best === undefined ? maxDistance : best.distance - 1;
    const distance = editDistance(wanted, normalized(candidate), most);
    if (distance <= most) best = { name: candidate, distance };
    if (best?.distance === 0) break;
  }
  return best?.name;
}

/** Returns the hint `did you mean 'x'?` for an unknown name; undefined if no candidate is similar. */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const suggestion = closestName(name, candidates);
  return suggestion === undefined ? undefined : `did you mean '${suggestion}'?`;
}

/** `Max_Attempts`, `max-attempts` and `maxAttempts` count as the same name. */
function normalized(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '');
}

/** The Levenshtein distance: characters to insert, delete or replace; some greater number if it is more than `most`. */
function editDistance(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) > most) return most + 1;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= to.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (to[at - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > most) return most + 1;
    row = next;
  }
  return row.at(-1) ?? 0;
}
