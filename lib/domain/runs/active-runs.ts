import type { Key, Table, Write } from '../../ports/table.ts';
import * as keys from '../storage/keys.ts';
import type { Run } from './run.ts';

/** How many pending runs each namespace has, of those that this process stored or was informed of. */
const counts = new Map<string, number>();

function add(namespaceId: string, change: number): void {
  const count = (counts.get(namespaceId) ?? 0) + change;
  if (count > 0) counts.set(namespaceId, count);
  else counts.delete(namespaceId);
}

/** 1 for the commit that begins a run, -1 for the one that ends it, else 0. A run that ends in its first commit is not counted. */
function changeOf({ seq, status, kind }: Pick<Run, 'seq' | 'status' | 'kind'>): number {
  if (kind === 'call') return 0;
  if (seq === 1) return status === 'pending' ? 1 : 0;
  return status === 'pending' ? 0 : -1;
}

/** Counts a run by the commit that began or ended it. A call of a container is no run. */
export function countCommit(run: Pick<Run, 'namespaceId' | 'seq' | 'status' | 'kind'>): void {
  const change = changeOf(run);
  if (change !== 0) add(run.namespaceId, change);
}

/**
 * Counts a run that begins in place, until it is stored. Returns a function that ends this count: from then on the run is
 * counted by its commit.
 */
export function countBeginning({ namespaceId, kind }: Pick<Run, 'namespaceId' | 'kind'>): () => void {
  let isCounted = kind === 'workflow';
  if (isCounted) add(namespaceId, 1);
  return () => {
    if (isCounted) add(namespaceId, -1);
    isCounted = false;
  };
}

/**
 * The number of pending runs of a namespace that this process began. It is exact where one process serves the whole
 * installation, except for the runs that were pending when the process started.
 */
export function activeRuns(namespaceId: string): number {
  return counts.get(namespaceId) ?? 0;
}

/**
 * The writes by which a commit counts a run in the table: none unless the namespace limited its active runs when the run
 * began. They belong to the transaction of the commit, so that the count stays exact over crashes.
 */
export function countingWrites(run: Pick<Run, 'id' | 'namespaceId' | 'seq' | 'status' | 'kind' | 'settings'>): Write[] {
  const change = run.settings.isCounted === true ? changeOf(run) : 0;
  if (change === 0) return [];
  const shards = keys.activeRuns(run.namespaceId);
  const key = shards[(Number.parseInt(run.id.slice(-4), 16) || 0) % shards.length] as Key;
  return [{ do: 'update', key, add: { count: change } }];
}

/** The number of pending runs of a namespace, of those that are counted in the table. */
export async function readActiveRuns(table: Table, namespaceId: string): Promise<number> {
  const items = await table.get(keys.activeRuns(namespaceId));
  return items.reduce((sum, item) => sum + Number(item?.['count'] ?? 0), 0);
}
