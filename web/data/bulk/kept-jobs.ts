import { keepPreference, readPreference } from '../browser/storage.ts';
import type { BulkOrder, BulkPlan, BulkProgress } from './actions.ts';

/** An action on many runs that has not ended, as stored in this browser, without the key. */
export interface KeptJob {
  readonly order: BulkOrder;
  readonly plan: Pick<BulkPlan, 'at' | 'total'>;
  readonly planned: number;
  readonly progress: BulkProgress;
}

const NAME = 'jobs';
const KEPT_MS = 7 * 24 * 3_600_000;

/** The name of an action, the same in every tab for the same action on the same runs. */
export const nameOf = ({ namespace, kind, filters }: Omit<BulkOrder, 'revision'>): string =>
  JSON.stringify([namespace, kind, filters]);

function isKept(value: unknown): value is KeptJob {
  const { order, plan, progress } = (value ?? {}) as Partial<KeptJob>;
  const isWhole = order?.filters !== undefined && progress?.done !== undefined;
  return isWhole && Date.parse(plan?.at ?? '') > Date.now() - KEPT_MS;
}

/** The stored actions of all tabs of this browser; actions of more than a week ago are dropped. */
export function keptJobs(): readonly KeptJob[] {
  try {
    const found: unknown = JSON.parse(readPreference(NAME) ?? '[]');
    return Array.isArray(found) ? found.filter(isKept) : [];
  } catch {
    // Entries that another version of the console has stored are not offered.
    return [];
  }
}

function store(kept: readonly KeptJob[]): void {
  keepPreference(NAME, kept.length === 0 ? undefined : JSON.stringify(kept));
}

const others = (order: BulkOrder): readonly KeptJob[] =>
  keptJobs().filter((job) => nameOf(job.order) !== nameOf(order));

/** Stores the progress of an action in place of its previous entry. */
export function keepJob(job: KeptJob): void {
  store([...others(job.order), job]);
}

/** Removes a stored action. */
export function dropJob(order: BulkOrder): void {
  store(others(order));
}

const lockOf = (order: BulkOrder): string => `weft.job ${nameOf(order)}`;

/**
 * Follows an action under a lock, so that other tabs do not. Browsers have locks only for HTTPS and
 * localhost; elsewhere another tab may show it too.
 */
export async function underLock(order: BulkOrder, work: () => Promise<void>): Promise<void> {
  if (navigator.locks === undefined) return work();
  await navigator.locks.request(lockOf(order), { ifAvailable: true }, work);
}

/** The stored actions that no tab follows. */
export async function interruptedJobs(): Promise<readonly KeptJob[]> {
  const locks = await navigator.locks?.query();
  const held = new Set(locks?.held?.map(({ name }) => name));
  return keptJobs().filter(({ order }) => !held.has(lockOf(order)));
}
