import { createHash } from 'node:crypto';
import type { Recorded } from '../../domain/events/events.ts';
import { MINUTE_MS } from '../../time/units.ts';

type EventName = Pick<Recorded, 'event' | 'due' | 'replay'>;

/** How many events a run remembers. Beyond this number the oldest ones are forgotten, also within the look-back. */
const MAX_REMEMBERED = 5000;
/** How many deduplication keys of an earlier version are kept: they have no time. */
const MAX_UNDATED = 200;
const HASH_LENGTH = 11;
const UNDATED_LENGTH = 22;
const RADIX = 36;
/** The maximum difference between the clocks of two computers. */
const MAX_CLOCK_SKEW_MS = MINUTE_MS;

/** A hash, as ids may be long. A replay is an event of its own. */
const hashOf = ({ event, replay }: EventName): string =>
  createHash('sha256')
    .update(JSON.stringify([event.id, replay?.id ?? '']))
    .digest('base64url')
    .slice(0, UNDATED_LENGTH);

/** When the event of a key was due, milliseconds since 1970; undefined for a key of an earlier version. */
function dueOf(key: string): number | undefined {
  const at = key.indexOf('.');
  return at < 0 ? undefined : Number.parseInt(key.slice(at + 1), RADIX);
}

/** The key without a hash: all events that were due by its time count as processed. */
const floorAt = (due: number): string => `.${due.toString(RADIX)}`;
const isFloor = (key: string): boolean => key.startsWith('.');

/** The deduplication key of an event: a hash, and when it is due. */
const keyOf = (recorded: EventName): string =>
  `${hashOf(recorded).slice(0, HASH_LENGTH)}.${recorded.due.toString(RADIX)}`;

/** Returns the test whether an event is among the processed ones. */
export function processedIn(all: readonly string[]): (recorded: EventName) => boolean {
  const known = new Set(all);
  const floor = Math.max(...all.filter(isFloor).map((key) => dueOf(key) ?? 0), Number.NEGATIVE_INFINITY);
  return (recorded) => recorded.due <= floor || known.has(keyOf(recorded)) || known.has(hashOf(recorded));
}

/**
 * Adds an event to the processed ones. `since` is the time (milliseconds since 1970) from which events count for the
 * present wait: no later wait counts earlier ones, so these are forgotten. Of more than 5,000 the oldest are replaced by
 * the time up to which all events count as processed: an event is never taken twice.
 */
export function addProcessed(all: readonly string[], recorded: EventName, since: number): string[] {
  const undated = all.filter((key) => dueOf(key) === undefined).slice(-MAX_UNDATED);
  const needed = all.filter((key) => (dueOf(key) ?? Number.NEGATIVE_INFINITY) >= since - MAX_CLOCK_SKEW_MS);
  const dated = [...needed, keyOf(recorded)];
  const excess = dated.length - MAX_REMEMBERED;
  if (excess <= 0) return [...undated, ...dated];
  const sorted = dated.toSorted((a, b) => (dueOf(a) ?? 0) - (dueOf(b) ?? 0));
  // One place is the floor's own.
  const floor = dueOf(sorted[excess] ?? '') ?? 0;
  return [...undated, floorAt(floor), ...sorted.slice(excess + 1)];
}
