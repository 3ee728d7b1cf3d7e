import type { JobReply } from '../../../clients/api/operations.ts';
import { call } from '../api/client.ts';
import { ApiError, toApiError } from '../api/errors.ts';
import { isPassing } from '../api/reach.ts';
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
  /** Runs that are repeated later, because their workflows have no place for them. */
  readonly held?: number;
  /** What a job that has not ended waits for, as the service says it. */
  readonly waitsFor?: string;
  /** The id of the job of the service. */
  readonly job?: string;
  readonly isStopped?: boolean;
}

/** The parameters with which a plan is performed. */
export interface BulkWork {
  /** The progress that is known: its job is followed. */
  readonly from: BulkProgress;
  readonly onProgress: (progress: BulkProgress) => void;
  /** Called between requests: whether the job is to be stopped, or followed no longer. */
  readonly wish: () => 'stop' | 'leave' | undefined;
}

/** An action on all runs that match filters. */
export interface BulkAction {
  plan(): Promise<BulkPlan>;
  /** Lets the service perform the action, or follows it, and reports its progress. Throws ApiError. */
  run(plan: Pick<BulkPlan, 'at'>, work: BulkWork): Promise<void>;
}

const SHOWN = 100;
const AGAIN_MS = 700;
/** The status of the error of a job that failed, which no request reports. */
const FAILED = 409;

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Job = JobReply['job'];

async function findJob(namespace: string, id: string): Promise<Job | undefined> {
  return (await call('listJobs', { namespace })).jobs.find((job) => job.id === id);
}

/** The job as it is now; as it was, while the service is away. */
async function again(namespace: string, job: Job): Promise<Job> {
  try {
    return (await findJob(namespace, job.id)) ?? { ...job, state: 'over' };
  } catch (error) {
    if (isPassing(toApiError(error))) return job;
    throw error;
  }
}

const progressOf = ({ id, state, done, skipped, held, error }: Job): BulkProgress => ({
  ...{ done, skipped, job: id, isStopped: state === 'stopped' },
  ...(held === undefined ? {} : { held }),
  ...(state !== 'running' || error === undefined ? {} : { waitsFor: error }),
});

/** The progress of a job, asked again and again until its end. Throws ApiError if it failed. */
async function follow(namespace: string, begun: Job, { onProgress, wish }: BulkWork): Promise<void> {
  for (let job = begun; ; ) {
    onProgress(progressOf(job));
    if (job.state === 'failed') throw new ApiError(FAILED, job.error ?? 'the job failed');
    if (job.state !== 'running') return;
    if (wish() === undefined) await rest(AGAIN_MS);
    if (wish() === 'leave') return;
    if (wish() === 'stop') ({ job } = await call('stopJob', { namespace }, { query: { job: job.id } }));
    else job = await again(namespace, job);
  }
}

interface JobRequest {
  readonly namespace: string;
  readonly query: Record<string, unknown>;
  readonly body: { readonly action: BulkKind; readonly revision?: 'pinned' | 'latest' };
}

/** Lets a job of the service do the work, and follows it; one that exists already is followed again. Throws ApiError. */
async function runJob({ namespace, query, body }: JobRequest, work: BulkWork): Promise<void> {
  const known = work.from.job === undefined ? undefined : await findJob(namespace, work.from.job);
  const present = known?.state === 'failed' ? undefined : known;
  await follow(namespace, present ?? (await call('createJob', { namespace }, { query, body })).job, work);
}

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
    run: ({ at }, work) => {
      const planned = toListQuery({ ...filters, until: filters.until === '' ? at : filters.until }, Date.now());
      return runJob({ namespace, query: planned, body: { action: 'rerun', revision } }, work);
    },
  };
}

const MOST_CANCELLED = 1000;

/** Cancels runs in progress. A run that ended in the meantime is skipped. */
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
    run: ({ at }, work) =>
      runJob(
        {
          namespace,
          query: toListQuery({ ...filters, status: 'pending', until: at }, Date.now()),
          body: { action: 'cancel' },
        },
        work,
      ),
  };
}

/** The action that plans and performs an order. */
export const actionOf = ({ namespace, kind, filters, revision }: BulkOrder): BulkAction =>
  kind === 'cancel' ? cancelAction(namespace, filters) : rerunAction(namespace, filters, revision);
