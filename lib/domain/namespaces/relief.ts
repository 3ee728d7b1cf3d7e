import type { Ports } from '../../ports/ports.ts';
import { ignoreConflict } from '../storage/conflicts.ts';
import { isSpread } from '../storage/keys/spread-keys.ts';
import * as keys from '../storage/keys.ts';
import { double, spreadFrom, spreadItem } from '../storage/spread.ts';

type Needs = Pick<Ports, 'table' | 'clock'>;

/** The namespace whose rows are written. */
interface Owner {
  readonly id: string;
  readonly name: string;
}

/** Doubles the partitions of a namespace, unless they have grown a moment ago, or it was deleted. */
async function relieve({ table, clock }: Needs, { id, name }: Owner): Promise<void> {
  const [item] = await table.get([keys.namespace(name)]);
  if (item === undefined || item['id'] !== id) return;
  const now = clock.now();
  const spread = double(spreadFrom(item), now);
  if (spread === undefined) return;
  const updated = Number(item['updated']);
  // Of two steps at the same time one would be lost, with rows that a process has written by it.
  const set = { ...spreadItem(spread), updated: Math.max(now, updated + 1) };
  const write = { do: 'update', key: keys.namespace(name), set, when: { equals: { id, updated } } } as const;
  await ignoreConflict(table.write([write]));
}

/**
 * Does writes of rows of a namespace. When the database throttles one of the keys over which they are spread, the namespace
 * gets twice as many partitions, used ten seconds later (decision 71); throws the errors of the writes.
 */
export async function withRelief<T>(needs: Needs, owner: Owner, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } finally {
    const throttled = needs.table.takeThrottled?.((pk) => isSpread(owner.id, pk)) ?? [];
    // The result of the writes does not depend on this: the next throttled one tries again.
    if (throttled.length > 0) await relieve(needs, owner).catch(() => undefined);
  }
}
