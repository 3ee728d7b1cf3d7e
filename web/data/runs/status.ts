import type { InstanceRecord } from '../../../clients/api/operations.ts';

/** The status of a run as pages show it; in the API it is `pending` until the end, and `failed` for a cancelled run. */
export type Status = 'running' | 'queued' | 'waiting' | 'complete' | 'failed' | 'crashed' | 'cancelled' | 'timedout';

const CANCELLED = /\.cancels\.(api|parent|event)$/;
const TIMED_OUT = /\.cancels\.timeout\.(hard|soft)$/;

type Ended = Pick<InstanceRecord, 'status' | 'errorCode' | 'queued'>;

/** The status of a run; `isWaiting` if a pending run is known to wait for an event. */
export function statusOf({ status, errorCode, queued }: Ended, isWaiting = false): Status {
  if (queued === true) return 'queued';
  if (status === 'pending') return isWaiting ? 'waiting' : 'running';
  if (status === 'complete' || status === 'crashed') return status;
  if (CANCELLED.test(errorCode)) return 'cancelled';
  return TIMED_OUT.test(errorCode) ? 'timedout' : 'failed';
}

/** The word for a status. */
export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  running: 'Running',
  queued: 'Queued',
  waiting: 'Waiting',
  complete: 'Complete',
  failed: 'Failed',
  crashed: 'Crashed',
  cancelled: 'Cancelled',
  timedout: 'Timed out',
};

/** Whether a run has ended. */
export const isOver = ({ status }: Pick<InstanceRecord, 'status'>): boolean => status !== 'pending';

const TRIGGERS: Readonly<Record<string, string>> = {
  api: 'API',
  cron: 'Schedule',
  cloudevent: 'Event',
  instance: 'Parent run',
  webhook: 'Webhook',
  rerun: 'Repetition',
};

/** The trigger of a run: its kind, its word, and the id behind the colon of `instance:<id>` or `cloudevent:<id>`. */
export function triggerOf(invoker: string): { readonly kind: string; readonly word: string; readonly id: string } {
  const colon = invoker.indexOf(':');
  const kind = colon < 0 ? invoker : invoker.slice(0, colon);
  return { kind, word: TRIGGERS[kind] ?? (kind || 'Unknown'), id: colon < 0 ? '' : invoker.slice(colon + 1) };
}
