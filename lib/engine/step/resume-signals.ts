import type { Wait } from '../../domain/runs/waits.ts';
import { isTransient, TASK_ERROR } from '../executions/task-errors.ts';
import type { Rejection, ResumeSignal, ReturnedCall } from '../run/suspension.ts';

/**
 * The output of a wait, which a machine passes to the next step: calls that returned, the error of a task, or anything
 * else. Machines of earlier versions pass concurrent calls as a list.
 */
export type WaitOutput =
  | readonly ReturnedCall[]
  | { readonly returned: readonly ReturnedCall[] }
  | ReturnedCall
  | { readonly error: string; readonly cause?: string }
  | object;

const TIMEOUTS: ReadonlySet<string> = new Set(['States.Timeout', 'States.HeartbeatTimeout', TASK_ERROR.timedOut]);

/** The errors by which one call decides its state. */
const DECISIONS: ReadonlySet<string> = new Set([TASK_ERROR.callWon, TASK_ERROR.callFailed]);

const isCall = (value: object): value is ReturnedCall => 'i' in value && 'k' in value;

function fromError(error: string, cause: string): ResumeSignal {
  if (TIMEOUTS.has(error)) return { kind: 'timedOut' };
  if (error === TASK_ERROR.returned) return { kind: 'callsReturned', calls: [JSON.parse(cause) as ReturnedCall] };
  if (error === TASK_ERROR.due) return { kind: 'due' };
  if (error === TASK_ERROR.heard) return { kind: 'eventsReceived' };
  if (DECISIONS.has(error)) return { kind: 'callDecided', call: JSON.parse(cause) as ReturnedCall };
  if (error === TASK_ERROR.callRejected) return { kind: 'callRejected', failure: JSON.parse(cause) as Rejection };
  return { kind: 'machineFailed', error, cause };
}

/** Reads the output that a machine passes after the wait that it names; `wait` is the run's present one. */
export function toResumeSignal(wait: Wait | undefined, output: WaitOutput | undefined): ResumeSignal {
  if (wait === undefined || !wait.isWaiting || output === undefined) return { kind: 'due' };
  if (Array.isArray(output)) return { kind: 'callsReturned', calls: output as readonly ReturnedCall[] };
  if ('returned' in output) return { kind: 'callsReturned', calls: output.returned as readonly ReturnedCall[] };
  // A timeout has no cause.
  if ('error' in output) return fromError(String(output.error), 'cause' in output ? String(output.cause) : '');
  // As earlier versions answered a task.
  if ('heard' in output) return { kind: 'eventsReceived' };
  return isCall(output) ? { kind: 'callsReturned', calls: [output] } : { kind: 'due' };
}

/** Whether a task of the wait ended because the service was at fault, and not the task. */
export const isFault = (output: WaitOutput | undefined): boolean =>
  output !== undefined && 'error' in output && isTransient(String(output.error));
