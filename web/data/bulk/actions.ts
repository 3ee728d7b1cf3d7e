import { call } from '../api/client.ts';
import { toApiError } from '../api/errors.ts';
import { isSearch, type RunFilters, toListQuery } from '../runs/filters.ts';

/** An action on the runs of a list. */
export type BulkKind = 'cancel' | 'rerun';

/** An action on many runs: the runs, and the revision for new ones. */
export interface BulkOrder {
  readonly namespace: string;
  readonly kind: BulkKind;
  readonly filters: RunFilters;
  readonly revision: 'pinned' | 'latest';
}

/** A run that an action on many runs would process, or has processed. */
export interface BulkRow {
  readonly id: string;
  /** The reason why the action skips the run. */
  readonly skipped?: string;
}

/** The runs that an action would change, found by a request that changes nothing. */
export interface BulkPlan {
  readonly total: number;
  /** The first ones. */
  readonly rows: readonly BulkRow[];
  /** The time of the plan: the action leaves newer runs out. */
  readonly at: string;
}

/** The progress of an action. */
export interface BulkProgress {
  readonly done: number;
  readonly skipped: number;
  /** The cursor of the next request. */
  readonly after?: string;
}

/** The parameters with which a plan is performed. */
export interface BulkWork {
  /** The progress before an interruption. */
  readonly from: BulkProgress;
  readonly onProgress: (progress: BulkProgress) => void;
  /** Called between requests. */
  readonly isStopped: () => boolean;
}

/** An action on all runs that match filters. */
export interface BulkAction {
  plan(): Promise<BulkPlan>;
  /** Performs or continues the action and reports its progress. Throws ApiError. */
  run(plan: Pick<BulkPlan, 'at'>, work: BulkWork): Promise<void>;
}

const SHOWN = 100;
const AT_ONCE = 20;

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const BUSY_MS = 2000;

/** Retries a request while the service replies 429. Throws ApiError. */
async function patiently<T>(send: () => Promise<T>, isStopped: () => boolean): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const { status, retryAt = Date.now() + BUSY_MS } = toApiError(error);
      if (status !== 429 || isStopped()) throw error;
      await rest(Math.max(0, retryAt - Date.now()));
    }
  }
}

/** Statuses that reject one run, for example because it has ended, not the whole action. */
const IS_SKIPPED: ReadonlySet<number> = new Set([400, 404, 406, 409, 422]);

/** Repeats ended runs, the oldest first. Runs that were repeated before, and subflows, are skipped. */
export function rerunAction(namespace: string, filters: RunFilters, revision: 'pinned' | 'latest'): BulkAction {
  const { limit: _, offset: __, ...query }: Record<string, unknown> = { ...toListQuery(filters, Date.now()) };
  const ask = (body: { dryRun: boolean; at?: string; limit: number; after?: string }) =>
    call('rerunInstances', { namespace }, { query: { ...query, revision }, body });
  return {
    plan: async () => {
      const reply = await ask({ dryRun: true, limit: SHOWN });
      const rows = reply.instances.map(({ instance, skipped }) => ({
        id: instance,
        ...(skipped === undefined ? {} : { skipped }),
      }));
      return { total: reply.total ?? rows.length, rows, at: reply.at };
    },
    run: async ({ at }, { from, onProgress, isStopped }) => {
      const progress = { done: from.done, skipped: from.skipped };
      let { after } = from;
      do {
        const cursor = after === undefined ? {} : { after };
        const reply = await patiently(() => ask({ dryRun: false, at, limit: AT_ONCE, ...cursor }), isStopped);
        for (const { rerun } of reply.instances) progress[rerun === undefined ? 'skipped' : 'done'] += 1;
        after = reply.next;
        onProgress(after === undefined ? { ...progress } : { ...progress, after });
        if (reply.retryAfter !== undefined) await rest(reply.retryAfter * 1000);
      } while (after !== undefined && !isStopped());
    },
  };
}

const MOST_CANCELLED = 1000;

/** Cancels runs in progress, at most a thousand. A run that ended in the meantime is skipped. */
export function cancelAction(namespace: string, filters: RunFilters): BulkAction {
  const pending = async (until: string): Promise<{ ids: readonly string[]; total: number }> => {
    const query = { ...toListQuery({ ...filters, status: 'pending', until }, Date.now()), limit: MOST_CANCELLED };
    const ids: string[] = [];
    let after: string | undefined;
    let total = 0;
    do {
      const cursor = after === undefined ? {} : { after };
      const { instances } = await call('listInstances', { namespace }, { query: { ...query, ...cursor } });
      ids.push(...instances.results.map(({ id }) => id));
      total = isSearch(filters) ? ids.length : instances.pageInfo.total;
      // A search examines a part of the list in each request.
      after = isSearch(filters) && instances.pageInfo.hasNextPage ? instances.pageInfo.endCursor : undefined;
    } while (after !== undefined && ids.length < MOST_CANCELLED);
    return { ids: ids.slice(0, MOST_CANCELLED), total };
  };
  return {
    plan: async () => {
      const at = filters.until === '' ? new Date().toISOString() : filters.until;
      const { ids, total } = await pending(at);
      return { total, rows: ids.slice(0, SHOWN).map((id) => ({ id })), at };
    },
    run: async ({ at }, { from, onProgress, isStopped }) => {
      // Cancelled runs are no longer in the list.
      const progress = { done: from.done, skipped: from.skipped };
      for (const instance of (await pending(at)).ids) {
        if (isStopped()) return;
        const isDone = await patiently(() => call('cancelInstance', { namespace, instance }), isStopped).then(
          () => true,
          (error: unknown) => {
            if (IS_SKIPPED.has(toApiError(error).status)) return false;
            throw error;
          },
        );
        progress[isDone ? 'done' : 'skipped'] += 1;
        onProgress({ ...progress });
      }
    },
  };
}

/** The action that plans and performs an order. */
export const actionOf = ({ namespace, kind, filters, revision }: BulkOrder): BulkAction =>
  kind === 'cancel' ? cancelAction(namespace, filters) : rerunAction(namespace, filters, revision);
