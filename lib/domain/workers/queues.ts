import type { Ports } from '../../ports/ports.ts';
import type { Item } from '../../ports/table.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as keys from '../storage/keys/worker-keys.ts';
import { runIdIn } from '../storage/keys.ts';
import { type Range, readPage } from '../storage/queries.ts';

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
export async function depthOf(needs: Needs, { id }: Namespace, queue: string): Promise<Depth> {
  const [ready, held] = await Promise.all([
    countUpTo(needs, keys.readyTasks(id, queue), MAX_COUNT),
    countUpTo(needs, keys.heldTasks(id, queue), MAX_COUNT),
  ]);
  return { queue, ready, held };
}

/** The names of the queues with open tasks, sorted; `MAX_QUEUES` at most. Reads one row of each. */
export async function queuesOf({ table }: Needs, { id }: Namespace): Promise<string[]> {
  const names: string[] = [];
  let from: string | undefined;
  while (names.length < MAX_QUEUES) {
    const [row] = (await table.query({ ...keys.openTasks(id), from, limit: 1 })).items;
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
export async function tasksOf({ table }: Needs, { id }: Namespace, queue: string, limit: number): Promise<Row[]> {
  const ready = (await table.query({ ...keys.readyTasks(id, queue), limit })).items;
  const left = limit - ready.length;
  const held = left === 0 ? [] : (await table.query({ ...keys.heldTasks(id, queue), limit: left })).items;
  return [...ready, ...held].map(toRow);
}

/** The first tasks of a queue that may be taken at a time (milliseconds since 1970), by priority and age. */
export async function takeable(
  { table }: Needs,
  { id }: Namespace,
  { queue, now, limit }: { readonly queue: string; readonly now: number; readonly limit: number },
): Promise<Row[]> {
  const ranges = [keys.releasedTasks(id, queue, now), keys.readyTasks(id, queue)];
  const pages = await Promise.all(ranges.map((range) => table.query({ ...range, limit })));
  const rows = pages.flatMap(({ items }) => items.map(toRow));
  return rows.sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, limit);
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
