import type { Item, Key, Table, Write } from '../../ports/table.ts';
import { RETENTION_DAYS, SECONDS_OF_A_DAY, toHead } from '../runs/items.ts';
import type { Run } from '../runs/run.ts';
import { getAll, putAt } from '../storage/batches.ts';
import * as keys from '../storage/keys/concurrency-keys.ts';
import { run } from '../storage/keys.ts';
import { countPartition } from '../storage/merging.ts';
import { pagesOf } from '../storage/queries.ts';

export type { Group } from '../storage/keys/concurrency-keys.ts';

/** A run that waits in a queue. */
export interface QueueRow {
  readonly id: string;
  readonly at: Key;
}

/** A place that ends by itself: that of a call which is made within the step of its caller, and not stored. */
export interface PlaceLease {
  /** The id of the call. */
  readonly id: string;
  /** The id of the run that makes it. */
  readonly caller: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** A lease as the text of a holder. The holder that is a run is its id alone. */
export const leaseText = ({ id, caller, until }: PlaceLease): string => `${id} ${caller} ${until}`;

/** The id of the run or the call that a text of a holder names, and its lease if it has one. */
export function holderOf(text: string): { readonly id: string; readonly lease?: PlaceLease } {
  const [id = '', caller, until] = text.split(' ');
  return caller === undefined ? { id } : { id, lease: { id, caller, until: Number(until) } };
}

/** Who has the places of a group, and who waits for one. */
export interface Places {
  /** The texts of the holders, the oldest first: the ids of the runs that have a place, and leases. */
  readonly holders: readonly string[];
  /** Changes with the holders; undefined: there are none. */
  readonly version: string | undefined;
  /** The first ones of the queue. */
  readonly queue: readonly QueueRow[];
}

/** The group of a run: that of its function for a call. */
export function groupOf(run: Run): keys.Group {
  if (run.kind === 'workflow') return { owner: run.workflowId, key: run.concurrency?.key ?? '' };
  const { scope = '', key = '' } = run.site.limits ?? {};
  return { owner: keys.scopeOwner(run.namespaceId, scope), key };
}

/** Reads the places of a group with one query, and the first `most` of its queue. */
export async function read(table: Table, group: keys.Group, most: number): Promise<Places> {
  const { items } = await table.query({ ...keys.groupItems(group), limit: 1 + most });
  const held = items.find(({ sk }) => !keys.isQueued(sk));
  return {
    holders: (held?.['holders'] ?? []) as string[],
    version: held === undefined ? undefined : String(held['version']),
    queue: items
      .filter(({ sk }) => keys.isQueued(sk))
      .slice(0, most)
      .map(({ sk, id }) => ({ id: String(id), at: keys.queueEntry(group, sk) })),
  };
}

/** How long an item outlives the last change of it: a run is pending for at most half of that. */
const LASTING_SECONDS = 2 * RETENTION_DAYS * SECONDS_OF_A_DAY;
/** When such an item expires, seconds since 1970. `now`: milliseconds since 1970. */
export const expiry = (now: number): number => Math.ceil(now / 1000) + LASTING_SECONDS;

/** The new holders of a group, and the version that they were read with. `now`: milliseconds since 1970. */
export interface NewHolders {
  readonly holders: readonly string[];
  readonly before: string | undefined;
  readonly version: string;
  readonly now: number;
}

/** The position of a run in its queue, from 1. */
export async function queuePositionOf(table: Table, group: keys.Group, queuedAt: string): Promise<number> {
  return countPartition(table, keys.queueUpTo(group, queuedAt));
}

/** The groups of an owner that have a queue. */
export async function* queuedGroups(table: Table, owner: string): AsyncGenerator<keys.Group> {
  for (const shard of keys.concurrencyShards(owner)) {
    let last: unknown;
    for await (const items of pagesOf(table, { ...shard, only: ['key'] })) {
      for (const { sk, key } of items) {
        if (!keys.isQueued(sk) || key === last) continue;
        last = key;
        yield { owner, key: String(key) };
      }
    }
  }
}

/** The write of the holders, on the condition that they are as they were read. Without holders there is no item. */
export function holdersWrite(group: keys.Group, { holders, before, version, now }: NewHolders): Write {
  const key = keys.holders(group);
  const when = before === undefined ? ({ absent: true } as const) : { equals: { version: before } };
  if (holders.length === 0) return { do: 'delete', key, when };
  return putAt(key, { holders: [...holders], version, ttl: expiry(now) }, when);
}

/** The write that adds a run to the queue of its group, and the sort key of the row. */
export function queueWrite(
  group: keys.Group,
  order: keys.QueueOrder,
  { id, now }: { readonly id: string; readonly now: number },
): { readonly write: Write; readonly queuedAt: string } {
  const key = keys.queued(group, order, id);
  return { write: putAt(key, { id, key: group.key, ttl: expiry(now) }), queuedAt: key.sk };
}

/** The key of a run's row in the queue. */
export const queueEntryOf = (group: keys.Group, queuedAt: string): Key => keys.queueEntry(group, queuedAt);

/**
 * Returns those of the holders that are runs which exist and have not ended, or leases that have not. The large parts of runs
 * are not read. `now`: milliseconds since 1970.
 */
export async function pendingOf(table: Table, holders: readonly string[], now: number): Promise<string[]> {
  const all = holders.map((text) => ({ text, ...holderOf(text) }));
  const ids = all.flatMap(({ id, lease }) => (lease === undefined ? [id] : []));
  const items = await getAll(table, ids.map(run));
  const isPending = (item: Item | undefined): boolean => item !== undefined && toHead(item).status === 'pending';
  const pending = new Set(ids.filter((_, index) => isPending(items[index])));
  return all
    .filter(({ id, lease }) => (lease === undefined ? pending.has(id) : lease.until > now))
    .map(({ text }) => text);
}
