import { ServiceError } from '../../domain/errors.ts';
import type { WorkerCallee } from '../../domain/runs/calls.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import { toTimestamp } from '../../time/timestamps.ts';

/** The longest lease, milliseconds: a worker that needs longer renews it. */
export const MAX_LEASE_MS = 12 * 60 * 60_000;

/** A duration of a request in milliseconds, between two bounds. Throws `malformed` for a text that is none. */
export function durationOf(text: string, field: string, [least, most]: readonly [number, number]): number {
  const duration = parseDuration(text);
  if (duration === undefined) {
    throw new ServiceError('malformed', `'${field}' must be an ISO 8601 duration such as PT30S`);
  }
  return Math.min(Math.max(addDuration(0, duration), least), most);
}

/** The length of a lease that a request asks for, or that of the function. */
export const leaseMsOf = (text: string | undefined, { leaseMs }: Pick<WorkerCallee, 'leaseMs'>): number =>
  text === undefined ? leaseMs : durationOf(text, 'lease', [1000, MAX_LEASE_MS]);

/** Whether a task may be taken: it has no lease, or one that is over, and it is not delayed. */
export const isTakeable = ({ lease, notBefore = 0 }: WorkerCallee, now: number): boolean =>
  (lease?.until ?? notBefore) <= now;

/**
 * Returns the worker that holds a task and the end of its lease, or when the task is offered next; `ready`: any worker
 * may take it now.
 */
export function toHolder({ lease, notBefore, taken }: WorkerCallee, now: number) {
  const common = { taken };
  if (lease !== undefined && lease.until > now) {
    return { ...common, status: 'leased', worker: lease.worker, leaseUntil: toTimestamp(lease.until) };
  }
  if (notBefore !== undefined && notBefore > now) return { ...common, status: 'delayed', from: toTimestamp(notBefore) };
  return { ...common, status: 'ready' };
}
