import { setTimeout as sleep } from 'node:timers/promises';
import type { Item, Key, Table, Write } from '../../../ports/table.ts';
import { leasable as leases } from '../../portable/schema.ts';

/** How long this process answers from memory, milliseconds from before the read. */
const LEASE_MS = 1_000;
/** How long a write waits: longer than a lease, whatever the differences between the rates of two clocks. */
const WAIT_MS = 1_100;
/** The most items that are remembered, and keys of items that are read by leases elsewhere. */
const MAX_REMEMBERED = 10_000;

export interface LeaseOptions {
  /** Clocks, milliseconds: a lease has ended when its time is over by one of them. */
  readonly clocks?: readonly (() => number)[];
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** An item, and the times of the clocks before it was read. */
interface Lease {
  readonly item: Item;
  readonly since: readonly number[];
}

/** AWS stops a function between two requests: one of the clocks may stop with it, the other may be set back. */
const CLOCKS = [() => performance.now(), () => Date.now()];

const nameOf = ({ table, pk, sk }: Key): string => JSON.stringify([table, pk, sk]);

/** Whether very many processes read an item: that of a namespace with several partitions. */
const isHot = ({ table, pk }: Key, item: Item | undefined): boolean =>
  table === leases.table && pk === leases.namespaces && item?.[leases.spread] !== undefined;

/** Whether a write ends leases of other processes, although this one has not read the item together with a hot one. */
const isRevocation = (write: Write): boolean =>
  write.do === 'delete' && write.key.table === leases.table && write.key.pk === leases.apiKeys;

const keyOf = (write: Write): Key =>
  write.do === 'put' ? { table: write.table, pk: write.item.pk, sk: write.item.sk } : write.key;

/** The items of all keys that are still leased; undefined if one is not. */
function leasedItems(known: ReadonlyMap<string, Lease>, keys: readonly Key[], at: readonly number[]) {
  const isValid = ({ since }: Lease): boolean =>
    at.every((time, clock) => Math.abs(time - (since[clock] ?? 0)) < LEASE_MS);
  const found = keys.flatMap((key) => {
    const lease = known.get(nameOf(key));
    return lease !== undefined && isValid(lease) ? [lease.item] : [];
  });
  return found.length === keys.length ? found : undefined;
}

/**
 * A table whose `getLeased` answers from memory the items that this process has read within a second, if the call has a
 * hot item. A write that changes such an item returns when all leases of the former item have ended: so a read after
 * it is as exact as `get`, in every process, and only the writer waits. Items that are missing are never leased.
 */
export function withLeases(table: Table, options: LeaseOptions = {}): Table {
  const { clocks = CLOCKS, wait = sleep } = options;
  const times = (): number[] => clocks.map((now) => now());
  const known = new Map<string, Lease>();
  /** Items that were read in a call with a hot one: other processes may have leases of them. */
  const hot = new Set<string>();

  const read = async (keys: readonly Key[]): Promise<readonly (Item | undefined)[]> => {
    const items = await table.get(keys);
    const found = keys.filter((_, index) => items[index] !== undefined);
    if (!keys.some((key, index) => isHot(key, items[index]))) return items;
    if (hot.size > MAX_REMEMBERED) hot.clear();
    for (const key of found) hot.add(nameOf(key));
    return items;
  };

  return {
    get: read,
    async getLeased(keys) {
      const answer = leasedItems(known, keys, times());
      if (answer !== undefined) return answer;
      const since = times();
      const items = await read(keys);
      if (known.size > MAX_REMEMBERED) known.clear();
      for (const [index, item] of items.entries()) {
        const name = nameOf(keys[index] as Key);
        if (item !== undefined && hot.has(name)) known.set(name, { item, since });
        else known.delete(name);
      }
      return items;
    },
    query: (query) => table.query(query),
    ...(table.takeThrottled && { takeThrottled: table.takeThrottled }),
    async write(writes) {
      await table.write(writes);
      const changed = writes.filter((one) => one.do !== 'check' && (hot.has(nameOf(keyOf(one))) || isRevocation(one)));
      if (changed.length === 0) return;
      for (const one of changed) known.delete(nameOf(keyOf(one)));
      await wait(WAIT_MS);
    },
  };
}
