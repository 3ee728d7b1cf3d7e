import type { Key, Query, TableName } from '../../ports/table.ts';
import { DAY_MS } from '../../time/units.ts';
import { orderedId, sha256 } from './ids.ts';

/** A partition of a table, or of one of its secondary indexes. */
export type Partition = Pick<Query, 'table' | 'index' | 'pk'>;

/** A partition, or those of its items whose sort keys begin with a prefix. */
export type PartitionRange = Partition & Pick<Query, 'prefix'>;

/** The sort key of an item that is alone in its partition. */
const SINGLE = '.';

const MAX_PART_LENGTH = 200;
/** A part that replaces a long text. */
export const HASHED_PART = /^sha256:[0-9a-f]{64}$/;

/** A text of a user as a part of a key: a long one is replaced by its hash, since keys have a maximum length. */
export const part = (text: string): string => (text.length <= MAX_PART_LENGTH ? text : `sha256:${sha256(text)}`);

/** The number of digits of `timeText`. */
export const TIME_DIGITS = 15;

/** Milliseconds since 1970 as text that sorts by time. */
export const timeText = (ms: number): string => String(ms).padStart(TIME_DIGITS, '0');

/** The sort key of a run in an index by time. */
export const runOrder = (ms: number, id: string): string => `${timeText(ms)}#${orderedId(id)}`;

/** The length of `dateOf`. */
export const DATE_LENGTH = '2026-01-15'.length;

/** The date that was computed last: most times are of the same day. */
let lastDate = { day: Number.NaN, text: '' };

/** The date of a time in UTC, `2026-01-15`. */
export function dateOf(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  if (day !== lastDate.day) lastDate = { day, text: new Date(ms).toISOString().slice(0, DATE_LENGTH) };
  return lastDate.text;
}

/** A time of each day of [from, to], the oldest first. */
export function daysBetween(from: number, to: number): number[] {
  const days: number[] = [];
  for (let ms = from; dateOf(ms) <= dateOf(to); ms += DAY_MS) days.push(ms);
  return days;
}

/** The partition key of a day in every index by time: with a partition a day, none grows without limit. */
export const dayBucket = (namespaceId: string, ms: number): string => `${namespaceId}#${dateOf(ms)}`;

/** The id of the namespace in a partition key of an index by time, and of the tasks for workers. */
export const namespaceIdIn = (bucket: string): string => bucket.slice(0, Math.max(bucket.indexOf('#'), 0));

const partition =
  (table: TableName) =>
  (pk: string): Partition => ({ table, pk });
/** Partitions of the three tables, by their keys. */
export const catalog = partition('catalog');
export const runs = partition('runs');
export const journal = partition('journal');

/** The key of an item of a partition; without a sort key, of the item that is alone in it. */
export const at = ({ table, pk }: Partition, sk = SINGLE): Key => ({ table, pk, sk });
