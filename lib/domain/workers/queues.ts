import type { Ports } from '../../ports/ports.ts';
import type { Item } from '../../ports/table.ts';
import * as keys from '../storage/keys/worker-keys.ts';
import { type Home, runIdIn } from '../storage/keys.ts';
import { type Range, readFirst, readHeads, readPage } from '../storage/queries.ts';
import { partitionsIn } from '../storage/spread.ts';

type Needs = Pick<Ports, 'table'>;

/** The names of queues that one request lists. */
const MAX_QUEUES = 1000;
/** Tasks are counted up to this number. */
export const MAX_COUNT = 10_000;

/** How many tasks of a queue are open, each number at most `MAX_COUNT`. */
export interface Depth {
  readonly queue: string;
  /** Any worker may take them now. */
  readonly ready: number;
  /** A worker has them, or they are to be repeated later. */
  readonly held: number;
}

async function countUpTo({ table }: Needs, range: Range, most: number): Promise<number> {
  let total = 0;
  let next: string | undefined;
  do {
    const page = await readPage(table, range, { count: true, limit: most - total, next });
    total += page.count;
    next = page.next;
  } while (next !== undefined && total < most);
  return total;
}

/** How many tasks of a queue are open. */
export async function depthOf(needs: Needs, home: Home, queue: string): Promise<Depth> {
  const [ready, held] = await Promise.all([
    countUpTo(needs, keys.readyTasks(home, queue), MAX_COUNT),
    countUpTo(needs, keys.heldTasks(home, queue), MAX_COUNT),
  ]);
  return { queue, ready, held };
}

/** The names of the queues with open tasks, sorted; `MAX_QUEUES` at most. Reads one row of each in each partition. */
export async function queuesOf({ table }: Needs, home: Home): Promise<string[]> {
  const names: string[] = [];
  let from: string | undefined;
  while (names.length < MAX_QUEUES) {
    const [row] = await readFirst(table, { ...keys.openTasks(home), from }, 1);
    if (row === undefined) break;
    const { queue } = keys.fromTaskOrder(String(row['order']));
    names.push(queue);
    from = keys.afterQueue(queue);
  }
  return names;
}

/** An open task as the index has it. */
export interface Row {
  readonly id: string;
  readonly isReady: boolean;
  /** Sorts by priority and age. */
  readonly rank: string;
}

const toRow = (item: Item): Row => {
  const { isReady, rank } = keys.fromTaskOrder(String(item['order']));
  return { id: runIdIn(item.pk), isReady, rank };
};

/** The open tasks of a queue: those that are ready by priority and age, then those that are held. */
export async function tasksOf({ table }: Needs, home: Home, queue: string, limit: number): Promise<Row[]> {
  const ready = await readFirst(table, keys.readyTasks(home, queue), limit);
  const left = limit - ready.length;
  const held = left === 0 ? [] : await readFirst(table, keys.heldTasks(home, queue), left);
  return [...ready, ...held].map(toRow);
}

/** Some partitions of a queue, by their numbers, which are read at the same time. */
export interface Reading {
  readonly parts: readonly number[];
  /**
   * Whether each partition is read by two queries, so that tasks whose hold is over are found, however many are ready. One
   * query finds them if fewer tasks are ready than are read.
   */
  readonly isExact: boolean;
}

const numbersFrom = (first: number, count: number, all: number): number[] =>
  Array.from({ length: count }, (_, index) => (first + index) % all);

/** The partitions that a poll reads first. In a namespace that has no more, the order of a queue is exact. */
const PARTS_AT_FIRST = 2;
/** In so many turns a waiting poll reads all partitions, in each of them two at least. */
const TURNS = 4;

/**
 * The readings of a queue by a poll, in order, until it has as many tasks as it wants: two partitions, then the others.
 * `start`: a random number, so that polls do not compete for the same tasks.
 */
export function readingsOf({ spread }: Home, start: number): Reading[] {
  const all = partitionsIn(spread);
  const count = Math.min(PARTS_AT_FIRST, all);
  const rest = numbersFrom(start + count, all - count, all);
  const first: Reading = { parts: numbersFrom(start, count, all), isExact: true };
  return rest.length === 0 ? [first] : [first, { parts: rest, isExact: false }];
}

/** The reading of a waiting poll in a turn; `TURNS` turns that follow each other read every partition. */
export function turnOf({ spread }: Home, turn: number): Reading {
  const all = partitionsIn(spread);
  const count = Math.min(Math.max(Math.ceil(all / TURNS), PARTS_AT_FIRST), all);
  return { parts: numbersFrom(turn * count, count, all), isExact: false };
}

/**
 * The first tasks of a queue that may be taken at a time (milliseconds since 1970), by priority and age; at most `limit` of
 * each partition that is read.
 */
export async function takeable(
  { table }: Needs,
  home: Home,
  {
    queue,
    now,
    limit,
    parts,
    isExact,
  }: Reading & { readonly queue: string; readonly now: number; readonly limit: number },
): Promise<Row[]> {
  const ranges = isExact
    ? [keys.releasedTasks(home, queue, now), keys.readyTasks(home, queue)]
    : [keys.takeableTasks(home, queue, now)];
  const read = ranges.map(({ pks, ...range }) =>
    readHeads(table, { ...range, pks: pks.filter((_, number) => parts.includes(number)) }, limit),
  );
  const rows = (await Promise.all(read)).flat().map(toRow);
  return rows.sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, limit * parts.length);
}

/** The depths of queues as a Prometheus instant vector, at a time in milliseconds since 1970. */
export function toDepthSamples(depths: readonly Depth[], now: number) {
  const sample = (queue: string, status: string, count: number) => {
    return { metric: { queue, status }, value: [now / 1000, String(count)] };
  };
  const results = depths.flatMap(({ queue, ready, held }) => [
    sample(queue, 'ready', ready),
    sample(queue, 'held', held),
  ]);
  return { results, warnings: null };
}
