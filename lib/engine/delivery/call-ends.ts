import type { ResumeSignal, ReturnedCall, TaskReply } from '../../compiler/emit/task-protocol.ts';
import type { Run } from '../../domain/runs/runs.ts';
import type { CallKey, Parent } from '../../domain/runs/waits.ts';
import { toWaitSeconds } from '../machines/wait-seconds.ts';
import { decideRetry } from '../run/retry-decisions.ts';

/** The meaning of the end of a run for the state that called it. */
type CallEnd =
  /** The call counts, and the state may wait for others. */
  | { readonly kind: 'returned'; readonly call: ReturnedCall }
  /** The call decides the state. */
  | { readonly kind: 'won' | 'failed'; readonly call: ReturnedCall }
  /** Another attempt follows after `delay` milliseconds. */
  | { readonly kind: 'retry'; readonly next: CallKey; readonly delay: number };

/** The meaning of the end of a run for its caller; `brand`: that of the error codes. */
function callEndOf(run: Run, { i, k, mode, retries }: Parent, brand: string): CallEnd {
  if (run.status === 'complete') return { kind: mode === 'or' ? 'won' : 'returned', call: { i, k } };
  const decision = decideRetry(run, retries, k, brand);
  if (decision.kind === 'retry') return { kind: 'retry', next: { i, k: k + 1 }, delay: decision.delay };
  const exceeded = decision.kind === 'exhausted' ? { exceeded: true } : {};
  if (mode === 'and') return { kind: 'failed', call: { i, k, ...exceeded } };
  return { kind: 'returned', call: { i, k, failed: true, ...exceeded } };
}

/** The attempt that follows a failed one, and the pause before it in milliseconds; undefined if none follows. */
export function nextAttemptOf(run: Run, brand: string): (CallKey & { readonly delay: number }) | undefined {
  if (run.parent === undefined || run.status === 'pending') return undefined;
  const end = callEndOf(run, run.parent, brand);
  return end.kind === 'retry' ? { ...end.next, delay: end.delay } : undefined;
}

/**
 * The signal by which the end of a run resumes its caller, whose state makes this call only; undefined where the call is
 * repeated, or the state makes several.
 */
export function signalOf(run: Run, brand: string): ResumeSignal | undefined {
  const { parent } = run;
  if (parent?.isAlone !== true || run.status === 'pending') return undefined;
  const end = callEndOf(run, parent, brand);
  if (end.kind === 'retry') return undefined;
  return end.kind === 'failed' ? { kind: 'callDecided', call: end.call } : { kind: 'callsReturned', calls: [end.call] };
}

/**
 * The reply to a machine that makes an attempt after `delay`; `timeLeft`: until the caller stops waiting; milliseconds. If
 * the pause is longer than that, the machine comes back when the time is over, and the attempt is not made.
 */
export function retryReply(
  next: CallKey,
  { delay, timeLeft, isAlone }: { readonly delay: number; readonly timeLeft: number; readonly isAlone: boolean },
): TaskReply {
  const { i, k } = next;
  const seconds = Math.max(toWaitSeconds(timeLeft - delay), 1);
  return { reply: 'retry', next: { i, k, again: toWaitSeconds(Math.min(delay, timeLeft)), seconds }, isAlone };
}

/** The circumstances of a reply. */
interface Circumstances {
  readonly brand: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The time of the next attempt has passed, and its timer is lost. */
  readonly isLost: boolean;
}

const SECOND_MS = 1000;

/** The reply to the task of a machine whose call has ended. */
export function replyOfEnd(run: Run, parent: Parent, { brand, now, isLost }: Circumstances): TaskReply {
  const end = callEndOf(run, parent, brand);
  const isAlone = parent.isAlone === true;
  if (end.kind === 'retry') {
    const delay = isLost ? SECOND_MS : end.delay;
    return retryReply(end.next, { delay, timeLeft: parent.until - now, isAlone });
  }
  if (end.kind === 'returned') return { reply: isAlone ? 'returned' : 'ended', call: end.call };
  return { reply: end.kind, call: end.call };
}
