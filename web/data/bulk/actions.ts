import { call } from '../api/client.ts';
import { toApiError } from '../api/errors.ts';
import { isSearch, type RunFilters, toListQuery } from '../runs/filters.ts';

/** An action on the runs of a list. */
export type BulkKind = 'cancel' | 'rerun';

/** The runs that an action is for, and how it is done to them. */
export interface BulkOrder {
  readonly namespace: string;
  readonly kind: BulkKind;
  readonly filters: RunFilters;
  readonly revision: 'pinned' | 'latest';
}

/** A run that an action on many runs would process, or has processed. */
export interface BulkRow {
  readonly id: string;
  /** Why the action skips the run. */
  readonly skipped?: string;
}

/** The runs that an action would change, found by a request that changes nothing. */
export interface BulkPlan {
  readonly total: number;
  /** The first ones. */
  readonly rows: readonly BulkRow[];
  /** The time of the plan: runs that came later are left out. */
  readonly at: string;
}

/** How far an action is. */
export interface BulkProgress {
  readonly done: number;
  readonly skipped: number;
  /** The cursor of the next request. */
  readonly after?: string;
}

/** How a plan is carried out. */
export interface BulkWork {
  /** How far it was when it was interrupted. */
  readonly from: BulkProgress;
  readonly onProgress: (progress: BulkProgress) => void;
  /** Asked between requests. */
  readonly isStopped: () => boolean;
}

/** An action on all runs that have the properties of the filters. */
export interface BulkAction {
  plan(): Promise<BulkPlan>;
  /** Performs or continues the action, and reports how far it is. Throws ApiError. */
  run(plan: Pick<BulkPlan, 'at'>, work: BulkWork): Promise<void>;
}

const SHOWN = 100;
const AT_ONCE = 20;

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const BUSY_MS = 2000;

/** Sends a request again for as long as the service replies that it has too much to do. Throws ApiError. */
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

/** Statuses by which one run is refused, as one that has ended, and not the whole action. */
const IS_SKIPPED: ReadonlySet<number> = new Set([400, 404, 406, 409, 422]);

/** Starts the ended runs again, the oldest first. Those that were repeated already, and subflows, are skipped. */
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

/** Cancels the runs in progress, at most a thousand at a time. A run that ended in the meantime is skipped. */
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
      // Runs that are cancelled are not in the list any longer.
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

/** The action of an order, which plans and does it. */
export const actionOf = ({ namespace, kind, filters, revision }: BulkOrder): BulkAction =>
  kind === 'cancel' ? cancelAction(namespace, filters) : rerunAction(namespace, filters, revision);
