import * as metrics from '../../domain/metrics/metrics.ts';
import { removeStaleBlobs } from '../../domain/purging/stale-blobs.ts';
import { collectAllUnused } from '../../domain/services/garbage.ts';
import type { CleanupPorts } from '../ports.ts';
import { visitNamespaces } from './visits.ts';

/**
 * The upkeep between requests: adds the runs that ended since the last sweep to the metrics, and removes containers that no
 * workflow asks for any more and blobs whose owner has expired. Safe to repeat and to interrupt. `until`: the time at which
 * it stops, milliseconds since 1970; the next sweep continues there.
 */
export async function sweep(ports: CleanupPorts, until?: number): Promise<void> {
  await visitNamespaces(ports, { name: 'sweep', until }, async (namespace, readAt) => {
    await metrics.rollUp(ports, namespace, readAt);
    await collectAllUnused(ports, namespace);
  });
  await removeStaleBlobs(ports);
}
