import type { Ports } from '../../ports/ports.ts';
import { isSpread } from '../storage/keys/spread-keys.ts';
import { double } from '../storage/spread.ts';
import type { Namespace } from './namespaces.ts';
import { addPartitions } from './partitions.ts';

/**
 * Does writes of rows of a namespace. When the database throttles one of the keys over which they are spread, the namespace
 * gets twice as many partitions, used ten seconds later (decision 7); throws the errors of the writes.
 */
export async function withRelief<T>(
  needs: Pick<Ports, 'table' | 'clock'>,
  namespace: Pick<Namespace, 'id' | 'name'>,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } finally {
    const throttled = needs.table.takeThrottled?.((pk) => isSpread(namespace.id, pk)) ?? [];
    // The result of the writes does not depend on this: the next throttled one tries again.
    if (throttled.length > 0) await addPartitions(needs, namespace, double).catch(() => undefined);
  }
}
