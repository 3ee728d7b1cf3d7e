import type { InstanceRecord, WaitingReply } from '../../../clients/api/operations.ts';
import { call, filterQuery } from '../../data/api/client.ts';
import { toApiError } from '../../data/api/errors.ts';

/** A run that has not begun, with what it waits for. */
export interface QueuedRun {
  readonly run: InstanceRecord;
  readonly workflow: string;
  /** Runs of other keys do not wait for it. */
  readonly key: string;
  /** Its number in the queue, and the runs that have the places. */
  readonly queue?: NonNullable<WaitingReply['concurrency']>;
  /** The field of the workflow that holds it back, and until when. */
  readonly held?: NonNullable<WaitingReply['held']>;
}

export interface QueueSample {
  /** Those that wait longest, by workflow and key, first those that begin first. */
  readonly rows: readonly QueuedRun[];
  /** The number of all queued runs. */
  readonly total: number;
}

/** Each row is a request of its own. */
const MOST = 40;
const AT_ONCE = 5;

/** The state of a queued run; undefined if it has begun or ended since it was listed. */
async function queuedRun(namespace: string, run: InstanceRecord, signal: AbortSignal): Promise<QueuedRun | undefined> {
  try {
    const path = { namespace, instance: run.id };
    const { concurrency: queue, held } = await call('getInstanceWaiting', path, { signal });
    const place = queue ?? held;
    if (place === undefined) return undefined;
    const { workflow, key } = place;
    return { run, workflow, key, ...(queue === undefined ? {} : { queue }), ...(held === undefined ? {} : { held }) };
  } catch (error) {
    if (toApiError(error).status === 404) return undefined;
    throw error;
  }
}

const orderOf = ({ queue, held }: QueuedRun): string =>
  queue === undefined ? (held?.until ?? '') : String(queue.place).padStart(9, '0');

const byGroup = (one: QueuedRun, other: QueuedRun): number =>
  one.workflow.localeCompare(other.workflow) ||
  one.key.localeCompare(other.key) ||
  orderOf(one).localeCompare(orderOf(other));

/** Reads the queued runs of a namespace, at most 40, with the place of each. Throws ApiError. */
export async function readQueue(namespace: string, signal: AbortSignal): Promise<QueueSample> {
  const filters = filterQuery([{ field: 'STATUS', type: 'MATCH', val: 'queued' }]);
  const list = async (limit: number, offset: number) =>
    (await call('listInstances', { namespace }, { query: { ...filters, limit, offset }, signal })).instances;
  const newest = await list(MOST, 0);
  const { total } = newest.pageInfo;
  // The list has the newest first, and those that wait longest begin next.
  const oldest = total > MOST ? await list(MOST, total - MOST) : newest;
  const rows: QueuedRun[] = [];
  for (let at = 0; at < oldest.results.length; at += AT_ONCE) {
    const some = oldest.results.slice(at, at + AT_ONCE).map((run) => queuedRun(namespace, run, signal));
    rows.push(...(await Promise.all(some)).filter((row) => row !== undefined));
  }
  return { rows: rows.toSorted(byGroup), total };
}
