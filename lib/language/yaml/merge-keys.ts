import { EVENT_ID, type Event, SCALAR_STYLE } from 'js-yaml';
import { type Composition, refuse } from './composition.ts';
import type { Entry, Node } from './node.ts';

/** Entries that merge keys may copy in one document: each costs its own place in the map it is copied to. */
const MOST_MERGED = 100_000;

/** `<<` merges only when written plainly; in quotes it is an ordinary key. */
export function isMergeKey(source: string, event: Event | undefined): boolean {
  if (event?.type !== EVENT_ID.SCALAR || event.style !== SCALAR_STYLE.PLAIN) return false;
  const tag = event.tagStart < 0 ? '' : source.slice(event.tagStart, event.tagEnd);
  return source.slice(event.valueStart, event.valueEnd) === '<<' && (tag === '' || tag === '!!merge');
}

/** What the map says itself wins; of several merged maps, the one named first. */
export function mergeInto(reading: Composition, entries: Map<string, Entry>, merge: Entry): void {
  const sources = merge.node.kind === 'list' ? merge.node.items : [merge.node];
  for (const source of sources) mergeOne(reading, entries, merge, source);
}

function mergeOne(reading: Composition, entries: Map<string, Entry>, merge: Entry, source: Node): void {
  if (source.kind !== 'map') {
    refuse(reading, merge, 'map merge requires map or sequence of maps as the value');
    return;
  }
  const isWithin = reading.merged <= MOST_MERGED;
  reading.merged += source.entries.size;
  if (reading.merged > MOST_MERGED) {
    if (isWithin) refuse(reading, merge, 'document contains excessive merging');
    return;
  }
  for (const [key, entry] of source.entries) if (!entries.has(key)) entries.set(key, entry);
}
