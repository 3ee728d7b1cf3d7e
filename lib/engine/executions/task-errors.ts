import { TRANSIENT_ERRORS } from '../../compiler/emit/emit.ts';

/**
 * The errors with which the engine ends a task of a state machine that waits. The machine's catchers and the next step
 * know them by these names, which are part of every published machine.
 */
export const TASK_ERROR = {
  /** A call of mode `or` succeeded: the state is complete. The cause is the call as JSON. */
  callWon: 'Weft.Won',
  /** A call of mode `and` failed: the state fails. The cause is the call as JSON. */
  callFailed: 'Weft.Failed',
  /** A call cannot be made: the state fails. The cause is the failure as JSON. */
  callRejected: 'Weft.Rejected',
  /** The only call of a state returned, and the step after the wait resumes the run. The cause is the call as JSON. */
  returned: 'Weft.Returned',
  /** The only call of a state is repeated later. The cause is the call as JSON, with the seconds until then. */
  retry: 'Weft.Retry',
  /** The time of the wait is over. */
  timedOut: 'Weft.Late',
  /** The run has received the events that it waits for, and the step after the wait resumes it. */
  heard: 'Weft.Heard',
  /** The time of a delay has come, and the step after the wait resumes the run. */
  due: 'Weft.Due',
  /** No timer ends a delay: the machine waits for the seconds of the cause, which is JSON. */
  rest: 'Weft.Rest',
  /** The run does not wait at this wait any more. */
  left: 'Weft.Left',
  /** A fault of the service; the machine retries it. */
  fault: 'Weft.Fault',
} as const;

/** Whether a task ended because of the service or of AWS, and not because of its run: the run continues elsewhere. */
export const isTransient = (error: string): boolean => TRANSIENT_ERRORS.includes(error);
