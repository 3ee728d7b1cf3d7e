import { EVENT_ID, type Event, SCALAR_STYLE } from 'js-yaml';
import { type Composition, reject } from './composition.ts';
import type { Entry, Node } from './node.ts';

/** Entries that merge keys may copy in one document. */
const MAX_MERGED = 100_000;

/** True for the key `<<` without quotes; in quotes it is an ordinary key. */
export function isMergeKey(source: string, event: Event | undefined): boolean {
  if (event?.type !== EVENT_ID.SCALAR || event.style !== SCALAR_STYLE.PLAIN) return false;
  const tag = event.tagStart < 0 ? '' : source.slice(event.tagStart, event.tagEnd);
  return source.slice(event.valueStart, event.valueEnd) === '<<' && (tag === '' || tag === '!!merge');
}

/** Adds the entries of the merged maps to a map. Its own entries have precedence, then those of the first merged map. */
export function mergeInto(composition: Composition, entries: Map<string, Entry>, merge: Entry): void {
  const sources = merge.node.kind === 'list' ? merge.node.items : [merge.node];
  for (const source of sources) mergeOne(composition, entries, merge, source);
}

function mergeOne(composition: Composition, entries: Map<string, Entry>, merge: Entry, source: Node): void {
  if (source.kind !== 'map') {
    reject(composition, merge, 'map merge requires map or sequence of maps as the value');
    return;
  }
  const isWithin = composition.merged <= MAX_MERGED;
  composition.merged += source.entries.size;
  if (composition.merged > MAX_MERGED) {
    if (isWithin) reject(composition, merge, 'document contains excessive merging');
    return;
  }
  for (const [key, entry] of source.entries) if (!entries.has(key)) entries.set(key, entry);
}
