import { ServiceError } from '../../../domain/errors.ts';
import * as runs from '../../../domain/runs/runs.ts';
import { derivedId, spreadId } from '../../../domain/storage/ids.ts';
import type { ListRequest } from '../../../domain/storage/list-requests.ts';
import { toTimestamp } from '../../../time/timestamps.ts';
import { FullError } from '../../admission/refusals.ts';
import type { CleanupPorts } from '../../ports.ts';
import type { Warning } from '../start/effects.ts';
import { link, planRerun, type Rerun, rerun } from '../start/rerun.ts';
import { type Selection, selected } from './selection.ts';

/** Which runs are repeated, and how. A filter by status is among those of the selection. */
export interface BulkRerun extends Rerun, Selection {
  /** No run is started. */
  readonly dryRun: boolean;
  /** The most runs of this request. */
  readonly limit: number;
  /** A repetition in this way that began since then counts as made, milliseconds since 1970: for what is tried again after a fault. */
  readonly since?: number;
  /** Called with a run whose workflow has no place for it. True: the caller repeats it later. */
  readonly hold?: (id: string, error: FullError) => boolean;
}

/** The result for a run: the id of its repetition, or why it has none. */
interface Repeated {
  readonly instance: string;
  readonly rerun?: string;
  readonly skipped?: string;
  /** Warnings of the effects outside the run that the repetition repeats or lacks; absent without any. */
  readonly warnings?: readonly Warning[];
}

/** Why a run is not repeated with others; undefined if it is. */
function obstacleOf(run: runs.Run | undefined): string | undefined {
  if (run === undefined) return 'the run is not stored any more';
  if (run.status === 'pending') return 'the run has not ended';
  if (run.parent !== undefined) return 'a subflow is repeated with the run that called it';
  const last = run.reruns?.at(-1);
  return last === undefined ? undefined : `the run was repeated already, as ${last}`;
}

/** Whether a limit keeps the namespace from starting runs. */
export const isFull = ({ code }: ServiceError): boolean => code === 'too-many' || code === 'over-quota';

/** Whether a run was repeated by an id, since a time. */
async function isMade(ports: CleanupPorts, { reruns = [] }: runs.Run, id: string, since: number): Promise<boolean> {
  if (!reruns.includes(id)) return false;
  const made = await runs.find(ports, id);
  return made !== undefined && made.created >= since;
}

/** Repeats one run. Throws `too-many` or `over-quota` where a limit is reached; another error of the caller is a reason to skip. */
export async function repeat(
  ports: CleanupPorts,
  id: string,
  { dryRun, since, ...how }: Rerun & Pick<BulkRerun, 'dryRun' | 'since'>,
): Promise<Repeated> {
  const run = await runs.find(ports, id);
  const skipped = obstacleOf(run);
  if (run === undefined) return { instance: id, ...(skipped === undefined ? {} : { skipped }) };
  // Two requests start the same run, also after a crash between the start and the link to it.
  const own = spreadId(derivedId(run.created, id, 'rerun'));
  if (skipped !== undefined) {
    const isOwn = since !== undefined && (await isMade(ports, run, own, since));
    return isOwn ? { instance: id, rerun: own } : { instance: id, skipped };
  }
  const warned = (warnings: readonly Warning[]) => (warnings.length === 0 ? {} : { warnings });
  try {
    if (dryRun) return { instance: id, ...warned(await planRerun(ports, run, how)) };
    const { run: started, warnings } = await rerun(ports, run, how, own);
    return { instance: id, rerun: started.id, ...warned(warnings) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (!isFull(error)) return { instance: id, skipped: error.message };
    // After a crash before the link, the repetition itself may have the place that is not free.
    if (dryRun || (await runs.find(ports, own)) === undefined) throw error;
    await link(ports, id, own);
    return { instance: id, rerun: own };
  }
}

/** Throws `malformed` for filters without a status. */
export function needStatus({ filter }: ListRequest): void {
  if (filter.some(({ field, val }) => field === 'STATUS' && val !== '')) return;
  throw new ServiceError(
    'malformed',
    'a filter by status is required: filter.field=STATUS, filter.type=MATCH, filter.val=failed',
  );
}

/** The reply of a repetition by filter. */
export interface BulkRerunReply {
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly at: string;
  /** In a dry run: how many runs the filter selects. */
  readonly total?: number;
  readonly instances: readonly Repeated[];
  /** Where the next request goes on; absent at the end. */
  readonly next?: string;
  /** A limit of starts was reached: the seconds to wait before the next request. */
  readonly retryAfter?: number;
}

/**
 * Repeats the runs of a namespace that a filter selects, the oldest first, at most `limit` of them. Runs that have not
 * ended, subflows, and runs that were repeated already are skipped, so that a repeated request continues. Throws
 * `not-found`, `refused`, and `malformed` for a filter that is unknown or lacks the status.
 */
export async function rerunMany(ports: CleanupPorts, namespace: string, wanted: BulkRerun): Promise<BulkRerunReply> {
  needStatus(wanted.request);
  const reply = { namespace, dryRun: wanted.dryRun, at: toTimestamp(wanted.at) };
  const done: Repeated[] = [];
  let total = 0;
  let held = 0;
  let last = wanted.after;
  for await (const { id } of selected(ports, namespace, wanted)) {
    total += 1;
    if (done.length + held >= wanted.limit) {
      if (wanted.dryRun) continue;
      return { ...reply, instances: done, next: last };
    }
    try {
      done.push(await repeat(ports, id, wanted));
    } catch (error) {
      if (!(error instanceof ServiceError) || !isFull(error)) throw error;
      if (!(error instanceof FullError && wanted.hold?.(id, error))) {
        if (done.length + held === 0) throw error;
        return { ...reply, instances: done, next: last, retryAfter: error.retryAfter ?? 1 };
      }
      held += 1;
    }
    last = id;
  }
  return { ...reply, ...(wanted.dryRun ? { total } : {}), instances: done };
}
