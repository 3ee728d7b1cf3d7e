import { createHash } from 'node:crypto';
import type { Recorded } from '../../domain/events/events.ts';
import { nameOf } from '../../domain/events/identity.ts';
import { MINUTE_MS } from '../../time/units.ts';

type EventName = Pick<Recorded, 'key' | 'event' | 'due' | 'replay'>;

/** How many events a run remembers. Beyond this number the oldest ones are forgotten, also within the look-back. */
const MAX_REMEMBERED = 5000;
const HASH_LENGTH = 11;
const RADIX = 36;
/** The maximum difference between the clocks of two computers. */
const MAX_CLOCK_SKEW_MS = MINUTE_MS;

/** A hash, as ids may be long. A replay is an event of its own. */
const hashOf = (recorded: EventName): string =>
  createHash('sha256')
    .update(JSON.stringify([nameOf(recorded), recorded.replay?.id ?? '']))
    .digest('base64url')
    .slice(0, HASH_LENGTH);

/** When the event of a key was due, milliseconds since 1970. */
const dueOf = (key: string): number => Number.parseInt(key.slice(key.indexOf('.') + 1), RADIX);

/** The key without a hash: all events that were due by its time count as processed. */
const floorAt = (due: number): string => `.${due.toString(RADIX)}`;
const isFloor = (key: string): boolean => key.startsWith('.');

/** The deduplication key of an event: a hash, and when it is due. */
const keyOf = (recorded: EventName): string => `${hashOf(recorded)}.${recorded.due.toString(RADIX)}`;

/** Returns the test whether an event is among the processed ones. */
export function processedIn(all: readonly string[]): (recorded: EventName) => boolean {
  const known = new Set(all);
  const floor = Math.max(...all.filter(isFloor).map(dueOf), Number.NEGATIVE_INFINITY);
  return (recorded) => recorded.due <= floor || known.has(keyOf(recorded));
}

/**
 * Adds an event to the processed ones. `since` is the time (milliseconds since 1970) from which events count for the
 * present wait: no later wait counts earlier ones, so these are forgotten. Of more than 5,000 the oldest are replaced by
 * the time up to which all events count as processed: an event is never taken twice.
 */
export function addProcessed(all: readonly string[], recorded: EventName, since: number): string[] {
  const needed = all.filter((key) => dueOf(key) >= since - MAX_CLOCK_SKEW_MS);
  const dated = [...needed, keyOf(recorded)];
  const excess = dated.length - MAX_REMEMBERED;
  if (excess <= 0) return dated;
  const sorted = dated.toSorted((a, b) => dueOf(a) - dueOf(b));
  // One place is the floor's own.
  const floor = dueOf(sorted[excess] ?? floorAt(0));
  return [floorAt(floor), ...sorted.slice(excess + 1)];
}
