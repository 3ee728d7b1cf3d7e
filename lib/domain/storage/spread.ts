import { parseJson } from '../../language/json-numbers.ts';
import type { Item } from '../../ports/table.ts';
import { DAY_MS, SECOND_MS } from '../../time/units.ts';
import { sha256 } from './ids.ts';
import { dayBucket, type Partition } from './key-parts.ts';

/** The number of partitions of the new rows of an index from a time on, milliseconds since 1970. */
export interface SpreadStep {
  readonly from: number;
  readonly partitions: number;
}

/** The steps in which the partitions of a namespace have grown, the oldest first; absent: there is one (decision 7). */
export type Spread = readonly SpreadStep[];

/** The attribute of an item that stores the steps; none if there are none. */
export const spreadItem = (spread: Spread | undefined): { readonly spread?: string } =>
  spread === undefined ? {} : { spread: JSON.stringify(spread) };

/** Reads the steps of an item. */
export const spreadFrom = ({ spread }: Item): Spread | undefined =>
  typeof spread === 'string' ? (parseJson(spread) as Spread) : undefined;

/** A namespace, as the keys of its spread rows need it. */
export interface Home {
  readonly id: string;
  readonly spread: Spread | undefined;
}

/** Partitions that are read as one: in the order of the attribute `order`, which no two items share. */
export interface Partitions extends Omit<Partition, 'pk'> {
  readonly pks: readonly string[];
  readonly order: string;
}

/** The most partitions over which the rows of a namespace and day are spread. */
export const MAX_PARTITIONS = 16;

/**
 * The time between the storing of new partitions and their first use: until then, a reader that knows an older state of the
 * namespace misses no rows (`knownUntil`).
 */
export const ACTIVATION_MS = 10 * SECOND_MS;

/** The clocks of two functions differ by less: AWS keeps them together to milliseconds. */
const MAX_SKEW_MS = 4 * SECOND_MS;

/**
 * The time up to which rows are only in partitions known to a reader that read the namespace at `readAt`, milliseconds
 * since 1970. Later rows may be in further ones, so a reader that counts or passes each row once must not go beyond it.
 */
export const knownUntil = (readAt: number): number => readAt + ACTIVATION_MS - MAX_SKEW_MS;

/** The steps with a further one, for a namespace that has fewer partitions than it needs from now on. */
export const raise = (spread: Spread | undefined, partitions: number, now: number): Spread => [
  ...(spread ?? []),
  { from: now + ACTIVATION_MS, partitions },
];

/** A run that does not store when its namespace was read started at most this long after that. */
export const START_AFTER_READ_MS = SECOND_MS;

/** How long the last step must have held before throttled writes show that it was too small. */
const SETTLING_MS = 3 * SECOND_MS;

/** The steps with a further one, of twice as many partitions; undefined: the last one is too recent, or no more are possible. */
export function double(spread: Spread | undefined, now: number): Spread | undefined {
  const has = partitionsIn(spread);
  const { from = 0 } = spread?.at(-1) ?? {};
  return has >= MAX_PARTITIONS || now < from + SETTLING_MS
    ? undefined
    : raise(spread, Math.min(2 * has, MAX_PARTITIONS), now);
}

/** How many partitions a namespace has, or will have when its last step holds. */
export const partitionsIn = (spread: Spread | undefined): number =>
  Math.max(1, ...(spread ?? []).map(({ partitions }) => partitions));

/** The steps that rows from a time on need, milliseconds since 1970: the steps before have ended. */
export const stepsSince = (spread: Spread, ms: number): Spread =>
  spread.filter((_, index) => (spread[index + 1]?.from ?? Number.POSITIVE_INFINITY) > ms);

/** How many partitions rows of this time are spread over, or of a later time before the next step. */
export const partitionsAt = ({ spread }: Home, ms: number): number =>
  (spread ?? []).reduce((most, { from, partitions }) => (from <= ms ? Math.max(most, partitions) : most), 1);

const hashPartition = (id: string, partitions: number): number =>
  Number.parseInt(sha256(id).slice(0, 8), 16) % partitions;

/** The partition of a row that has this time and this id; the first one is 0. */
export function partitionOf(home: Home, ms: number, id: string): number {
  const partitions = partitionsAt(home, ms);
  return partitions === 1 ? 0 : hashPartition(id, partitions);
}

/**
 * The partition of a row that stores the number of its partition. No reader computes that number from the time of a step, so
 * new rows go to all partitions at once.
 */
export function partitionNow({ spread }: Home, id: string): number {
  const partitions = partitionsIn(spread);
  return partitions === 1 ? 0 : hashPartition(id, partitions);
}

/** The key of a partition: the first one has no number. */
export const spreadKey = (pk: string, partition: number): string => (partition === 0 ? pk : `${pk}#${partition}`);

/** The keys of the first partitions. */
export const spreadKeys = (pk: string, partitions: number): string[] =>
  Array.from({ length: partitions }, (_, partition) => spreadKey(pk, partition));

/** The partition key of a row in an index by time: that of its day, or of a part of it. */
export const rowBucket = (home: Home, ms: number, id: string): string =>
  spreadKey(dayBucket(home.id, ms), partitionOf(home, ms, id));

/** How many partitions the rows of the day of a time are spread over. */
export const partitionsOfDay = (home: Home, ms: number): number =>
  partitionsAt(home, Math.floor(ms / DAY_MS) * DAY_MS + DAY_MS - 1);

/** The partition keys of a day in an index by time, those of all `rowBucket`s. */
export const dayBuckets = (home: Home, ms: number): string[] =>
  spreadKeys(dayBucket(home.id, ms), partitionsOfDay(home, ms));
