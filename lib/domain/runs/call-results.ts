import type { SentCall } from './records.ts';
import { isNativeCall, type Run } from './run.ts';

/** The key under which a call keeps the container's answer: the answer may be any value, a run's data is an object. */
const RESULT = 'result';

/** The data of a container call that returned `value`. */
export const keepResult = (value: unknown): Run['data'] => ({ [RESULT]: value });

/** The key under which a failed call keeps how long a retry must wait. */
const RETRY_AFTER = 'retryAfter';

/** The data of a call whose server asked for a delay before a retry, milliseconds; undefined: it did not. */
export const keepRetryAfter = (ms: number | undefined): Run['data'] => (ms === undefined ? {} : { [RETRY_AFTER]: ms });

/** How long a retry of a failed call must wait at least, milliseconds. */
export const retryAfterOf = ({ kind, data }: Run): number => (kind === 'workflow' ? 0 : Number(data[RETRY_AFTER] ?? 0));

/** The key under which a call of a native function keeps the call that it sent outside. */
const SENT = 'sent';
/** The longest destination that is kept, characters. */
const MAX_DESTINATION = 200;

/**
 * A sent call as a record holds it: the text `KIND STATUS MS TO` with `-` for an unknown value, which is shorter than an
 * object.
 */
export const sentText = ({ kind, to, status, ms }: SentCall): string =>
  `${kind} ${status ?? '-'} ${ms ?? '-'} ${to.slice(0, MAX_DESTINATION)}`;

/** The inverse of `sentText`. */
export function sentFrom(text: string): SentCall {
  const [kind, status = '-', ms = '-', ...to] = text.split(' ');
  return {
    kind: kind as SentCall['kind'],
    to: to.join(' '),
    ...(status === '-' ? {} : { status: Number(status) }),
    ...(ms === '-' ? {} : { ms: Number(ms) }),
  };
}

/** The data of a call of a native function that sent a call outside. */
export const keepSent = (sent: SentCall | undefined): Run['data'] => (sent === undefined ? {} : { [SENT]: sent });

/** The call that a native function sent outside; undefined for any other call, and if it sent none. */
export const sentOf = (run: Run): SentCall | undefined =>
  isNativeCall(run) ? (run.data[SENT] as SentCall | undefined) : undefined;

/** The value that a complete child returns to its caller. */
export const resultOf = ({ kind, data }: Run): unknown => (kind === 'workflow' ? data : data[RESULT]);

/**
 * Whether a container call failed without an error code. Such a failure is neither retried nor caught (workflow-language
 * reference, 7.5 and 11.3).
 */
export const isCrashedCall = ({ kind, status }: Run): boolean => kind === 'call' && status === 'crashed';

/** Whether the container of a call in a branch of mode `or` has been called (see `noteBegin`). */
export const isCallBegun = ({ kind, step }: Run): boolean => kind === 'call' && step > 0;
