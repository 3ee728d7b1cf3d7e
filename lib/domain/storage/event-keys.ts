import type { Key } from '../../ports/table.ts';
import { sha256 } from './ids.ts';
import {
  at,
  DATE_LENGTH,
  dateOf,
  daysBetween,
  HASHED_PART,
  journal,
  type Partition,
  part,
  TIME_DIGITS,
  timeText,
} from './key-parts.ts';
import { dayBuckets, type Home, type Partitions, partitionOf, partitionsOfDay, rowBucket } from './spread.ts';

/** Identifies an event in keys: `source` is set only for an event whose id an event of another source has. */
type EventName = { readonly type: string; readonly id: string; readonly source?: string | undefined };

const EVENTS = 'events';

/** The number of a partition is in the first word of its key: a type may end like a date with a number. */
const eventsOfDay = ({ id }: Home, type: string, ms: number, partition: number): Partition =>
  journal(`${EVENTS}${partition === 0 ? '' : `-${partition}`}#${id}#${part(type)}#${dateOf(ms)}`);

/** The sort key of an event, and its order among the received ones. */
export const eventOrder = (id: string, ms: number): string => `${timeText(ms)}#${part(id)}`;

/** An event, by the time when it is due. */
export const event = (home: Home, { type, id, source }: EventName, due: number): Key => {
  const suffix = source === undefined ? '' : eventSuffix(source);
  return at(eventsOfDay(home, type, due, partitionOf(home, due, id)), `${eventOrder(id, due)}${suffix}`);
};

/** The end of the sort key of an event whose id an event of another source has. */
export const eventSuffix = (source: string): string => `#${sha256(source).slice(0, SOURCE_DIGITS)}`;

const SOURCE_DIGITS = 32;

/** Whether the sort key of an event ends with its source: an event of another source has its id. */
export const hasSource = (sk: string, source: string): boolean =>
  sk.at(-SOURCE_DIGITS - 1) === '#' && sk.endsWith(eventSuffix(source));

/** The attributes of an event in the index of the received ones. */
export const eventReceived = (home: Home, id: string, received: number) => ({
  timeBucket: rowBucket(home, received, id),
  time: eventOrder(id, received),
});

/** A replay of an event, which has a time of its own. */
export const eventReplay = (home: Home, name: EventName, due: number, replayId: string): Key => {
  const key = event(home, { type: name.type, id: name.id }, due);
  return { ...key, sk: `${key.sk}#${replayId}` };
};

/** The pointer from the id of an event to its key; with `source`, if an event of another source has the id. */
export const eventId = (namespaceId: string, id: string, source?: string): Key =>
  at(journal(`event-id#${namespaceId}#${part(id)}`), source === undefined ? undefined : eventSuffix(source));

/** The events of a type of [from, to], day by day, the oldest first. */
export const eventsOfType = (home: Home, type: string, from: number, to: number): Partitions[] =>
  daysBetween(from, to).map((day) => {
    const partitions = Array.from({ length: partitionsOfDay(home, day) }, (_, number) => number);
    const pks = partitions.map((number) => eventsOfDay(home, type, day, number).pk);
    return { table: 'journal', pks, order: 'sk' };
  });

/** All events that were received on a day, in the order of the attribute `time`. */
export const eventsReceived = (home: Home, ms: number): Partitions => ({
  table: 'journal',
  index: 'by-time',
  pks: dayBuckets(home, ms),
  order: 'time',
});

/** The id of an event as it is in sort keys. */
export const eventIdPart = (id: string): string => part(id);

/** The time at the beginning of a sort key: when an event was due, or a run began; milliseconds since 1970. */
export const timeIn = (sk: string): number => Number(sk.slice(0, TIME_DIGITS)) || 0;

/** The `eventIdPart` in the attribute `time` of an event. */
export const idInTime = (time: string): string => time.slice(TIME_DIGITS + 1);

/** The type of the events of a partition; undefined where the key contains its hash, or seems to. */
export function typeInEvents(pk: string): string | undefined {
  const [kind = '', namespaceId = ''] = pk.split('#', 2);
  const type = pk.slice(kind.length + namespaceId.length + 2, -DATE_LENGTH - 1);
  return HASHED_PART.test(type) ? undefined : type;
}

/** The beginning of the keys of the blobs of the events of a partition: its namespace, and the day when they are due. */
export const eventBlobs = (pk: string): string => {
  const [, namespaceId = ''] = pk.split('#', 2);
  return [EVENTS, namespaceId, pk.slice(-DATE_LENGTH)].join('/');
};
