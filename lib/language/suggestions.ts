/** Names longer than this, and candidates beyond this many, are not compared: time must stay bounded. */
const LONGEST = 40;
const MOST_CANDIDATES = 500;

/** The candidate that the name is most likely a slip of; undefined when none is near. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > LONGEST) return undefined;
  const wanted = plain(name);
  const reach = Math.max(1, Math.ceil(wanted.length / 3));
  let best: { name: string; distance: number } | undefined;
  let compared = 0;
  for (const candidate of candidates) {
    if (compared++ >= MOST_CANDIDATES) break;
    if (candidate.length > LONGEST) continue;
    const distance = distanceOf(wanted, plain(candidate));
    if (distance <= reach && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name: candidate, distance };
  }
  return best?.name;
}

/** The hint for a name that is not known. */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const near = nearest(name, candidates);
  return near === undefined ? undefined : `did you mean '${near}'?`;
}

/** `Max_Attempts`, `max-attempts` and `maxAttempts` are one name to the eye. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '');
}

/** How many letters must be put in, left out or changed (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= to.length; at += 1) {
      const change = (row[at - 1] ?? 0) + (to[at - 1] === letter ? 0 : 1);
      next.push(Math.min(change, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
