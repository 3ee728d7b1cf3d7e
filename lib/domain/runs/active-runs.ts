import type { Run } from './run.ts';

/** How many pending runs each namespace has, of those that this process stored or was informed of. */
const counts = new Map<string, number>();

function add(namespaceId: string, change: number): void {
  const count = (counts.get(namespaceId) ?? 0) + change;
  if (count > 0) counts.set(namespaceId, count);
  else counts.delete(namespaceId);
}

/** Counts a run by the commit that began or ended it. A call of a container is no run. */
export function countCommit({
  namespaceId,
  seq,
  status,
  service,
}: Pick<Run, 'namespaceId' | 'seq' | 'status' | 'service'>) {
  if (service !== undefined) return;
  if (seq === 1 && status === 'pending') add(namespaceId, 1);
  if (seq > 1 && status !== 'pending') add(namespaceId, -1);
}

/**
 * The number of pending runs of a namespace that this process began. It is exact where one process serves the whole
 * installation, except for the runs that were pending when the process started.
 */
export function activeRuns(namespaceId: string): number {
  return counts.get(namespaceId) ?? 0;
}
