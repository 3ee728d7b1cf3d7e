import * as metrics from '../../domain/metrics/metrics.ts';
import * as namespaces from '../../domain/namespaces/namespaces.ts';
import { removeStaleBlobs } from '../../domain/purging/stale-blobs.ts';
import { collectAllUnused } from '../../domain/services/garbage.ts';
import * as keys from '../../domain/storage/keys.ts';
import { readAll } from '../../domain/storage/queries.ts';
import type { CleanupPorts } from '../ports.ts';

/**
 * The upkeep between requests: adds the runs that ended since the last sweep to the metrics, and removes containers that no
 * workflow asks for any more and blobs whose owner has expired. Safe to repeat and to interrupt.
 */
export async function sweep(ports: CleanupPorts): Promise<void> {
  for (const item of await readAll(ports.table, keys.NAMESPACES)) {
    const namespace = namespaces.fromItem(item);
    await metrics.rollUp(ports, namespace);
    await collectAllUnused(ports, namespace);
  }
  await removeStaleBlobs(ports);
}
