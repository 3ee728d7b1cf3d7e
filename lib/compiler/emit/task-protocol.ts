import { parseJson } from '../../language/json-numbers.ts';

/**
 * The protocol between the steps function and the state machines that call it: where a machine goes after a step, how its
 * waiting tasks end, and what it passes to the step after a wait. Only this folder knows the names by which definitions
 * distinguish these; they are part of every published machine.
 */

/** One attempt of one call of a state: the number of the call, and of the attempt, from 0. */
interface Attempt {
  readonly i: number;
  readonly k: number;
}

/** A call whose end a machine reports. */
export interface ReturnedCall extends Attempt {
  /** It failed where one failure does not fail the state. */
  readonly failed?: boolean;
  /** Its retries are exhausted. */
  readonly exceeded?: boolean;
}

/** Why a call could not be made: the fields of the failure of the state. */
export interface Rejection {
  readonly kind: 'catchable' | 'uncatchable' | 'plain' | 'internal';
  readonly code: string;
  readonly own: boolean;
  readonly message: string;
}

/** A failed call that the machine is to repeat. */
export interface NextAttempt extends Attempt {
  /** Seconds until the attempt. */
  readonly again: number;
  /** How long the attempt may last, seconds. */
  readonly seconds: number;
}

/** Where the machine goes next; `next` is empty at the end. Every field is there, since a machine may read each. */
export interface Outcome {
  /** The id of the state that waits. */
  readonly next: string;
  /** The number of its wait. */
  readonly pause: number;
  /** How long the machine waits at most. */
  readonly seconds: number;
  /** The calls that the machine makes. */
  readonly calls?: readonly object[];
  /** When a run that is held back may begin; `HELD_RUN` waits for it. */
  readonly until?: string;
  /** The invocation that the machine of one call makes. */
  readonly invoke?: object;
}

/** How a task of a machine ends that waits for its token. */
export type TaskReply =
  /** The run was resumed where the wait ended: the machine follows it. */
  | { readonly reply: 'moved'; readonly to: Outcome }
  /** The step after the wait resumes the run. */
  | { readonly reply: 'eventsReceived' | 'due' | 'timedOut' }
  /** The run does not wait at this wait any more. */
  | { readonly reply: 'left' }
  /** The only call of a state returned; the step after the wait resumes the run. */
  | { readonly reply: 'returned'; readonly call: ReturnedCall }
  /** One of several calls has ended; the machine waits for the others. */
  | { readonly reply: 'ended'; readonly call: ReturnedCall }
  /** One call decides its state: it won (mode `or`) or failed (mode `and`). */
  | { readonly reply: 'won' | 'failed'; readonly call: ReturnedCall }
  /** A call cannot be made: the state fails. */
  | { readonly reply: 'rejected'; readonly failure: Rejection }
  /** The call is repeated later. `isAlone`: it is the only one of its state. */
  | { readonly reply: 'retry'; readonly next: NextAttempt; readonly isAlone: boolean }
  /** No timer ends a delay: the machine itself waits for the rest. */
  | { readonly reply: 'rest'; readonly seconds: number };

/** The result of a task as the port `Executions` passes it. */
type Answer = { readonly output: unknown } | { readonly error: string; readonly cause: string };

/** The errors by which tasks end that do not lead to the next state of their machine. */
export const TASK_ERROR = {
  callWon: 'Weft.Won',
  callFailed: 'Weft.Failed',
  callRejected: 'Weft.Rejected',
  returned: 'Weft.Returned',
  retry: 'Weft.Retry',
  timedOut: 'Weft.Late',
  eventsReceived: 'Weft.Heard',
  due: 'Weft.Due',
  rest: 'Weft.Rest',
  left: 'Weft.Left',
  /** A fault of the service, which passes: every task retries it. */
  fault: 'Weft.Fault',
  /** The step was cut short, after a commit: every task of a batch calls it again. */
  again: 'Weft.Again',
} as const;

const withError = (error: string, cause?: object): Answer => ({
  error,
  cause: cause === undefined ? '' : JSON.stringify(cause),
});

type Reply = TaskReply['reply'];
type ReplyOf<K extends Reply> = Extract<TaskReply, { readonly reply: K }>;

const ANSWERS: { readonly [K in Reply]: (reply: ReplyOf<K>) => Answer } = {
  moved: ({ to }) => ({ output: to }),
  eventsReceived: () => withError(TASK_ERROR.eventsReceived),
  due: () => withError(TASK_ERROR.due),
  timedOut: () => withError(TASK_ERROR.timedOut),
  left: () => withError(TASK_ERROR.left),
  returned: ({ call }) => withError(TASK_ERROR.returned, call),
  ended: ({ call }) => ({ output: call }),
  won: ({ call }) => withError(TASK_ERROR.callWon, call),
  failed: ({ call }) => withError(TASK_ERROR.callFailed, call),
  rejected: ({ failure }) => withError(TASK_ERROR.callRejected, failure),
  retry: ({ next, isAlone }) => (isAlone ? withError(TASK_ERROR.retry, next) : { output: next }),
  rest: ({ seconds }) => withError(TASK_ERROR.rest, { seconds }),
};

/** A reply to a task in the words of the States Language. */
export const toAnswer = (reply: TaskReply): Answer => (ANSWERS[reply.reply] as (reply: TaskReply) => Answer)(reply);

/** Why a wait is over, as a machine reports it to the step after the wait, or as the engine resumes a run itself. */
export type ResumeSignal =
  /** The time has passed, or there was no wait. */
  | { readonly kind: 'due' }
  /** Calls returned; `k` is the last attempt of each. */
  | { readonly kind: 'callsReturned'; readonly calls: readonly ReturnedCall[] }
  /** One call decides the state alone. */
  | { readonly kind: 'callDecided'; readonly call: ReturnedCall }
  /** A call could not be made; the failure of the state. */
  | { readonly kind: 'callRejected'; readonly failure: Rejection }
  /** The run received the events that it waited for. */
  | { readonly kind: 'eventsReceived' }
  /** The time of the state is over. */
  | { readonly kind: 'timedOut' }
  /** The machine failed. */
  | { readonly kind: 'machineFailed'; readonly error: string; readonly cause: string };

/** The output of a wait, which a machine passes to the next step: calls that returned, the error of a task, or anything else. */
export type WaitOutput =
  | { readonly returned: readonly ReturnedCall[] }
  | { readonly error: string; readonly cause?: string }
  | object;

type FromError = (cause: string, error: string) => ResumeSignal;

const timedOut: FromError = () => ({ kind: 'timedOut' });
const decided: FromError = (cause) => ({ kind: 'callDecided', call: parseJson(cause) as ReturnedCall });

/** The signals of errors; every other error is a failure of the machine. */
const SIGNALS: ReadonlyMap<string, FromError> = new Map([
  ['States.Timeout', timedOut],
  ['States.HeartbeatTimeout', timedOut],
  [TASK_ERROR.timedOut, timedOut],
  [TASK_ERROR.callWon, decided],
  [TASK_ERROR.callFailed, decided],
  [TASK_ERROR.returned, (cause) => ({ kind: 'callsReturned', calls: [parseJson(cause) as ReturnedCall] })],
  [TASK_ERROR.callRejected, (cause) => ({ kind: 'callRejected', failure: parseJson(cause) as Rejection })],
  [TASK_ERROR.due, () => ({ kind: 'due' })],
  [TASK_ERROR.eventsReceived, () => ({ kind: 'eventsReceived' })],
]);

/** The signal of the output of a wait; undefined: the machine passed none. */
export function toResumeSignal(output: WaitOutput | undefined): ResumeSignal {
  if (output === undefined) return { kind: 'due' };
  if ('returned' in output) return { kind: 'callsReturned', calls: output.returned as readonly ReturnedCall[] };
  if (!('error' in output)) return { kind: 'due' };
  const error = String(output.error);
  // A timeout has no cause.
  const cause = 'cause' in output ? String(output.cause) : '';
  return SIGNALS.get(error)?.(cause, error) ?? { kind: 'machineFailed', error, cause };
}

/**
 * The errors of a task for which the run is not to blame and which pass: those that the engine names (its FaultError, for
 * example a throttled database), throttling and faults of Lambda itself, and a function in a VPC whose network Lambda took away
 * while it was idle: its next calls fail until the network is there again.
 */
export const TRANSIENT_ERRORS: readonly string[] = [
  TASK_ERROR.fault,
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.TooManyRequestsException',
  'Lambda.ResourceNotReadyException',
  'Lambda.ENINotReadyException',
  'Lambda.ResourceConflictException',
];

/** Whether a task ended because of the service or of AWS, and not because of its run: the run continues elsewhere. */
export const isTransient = (error: string): boolean => TRANSIENT_ERRORS.includes(error);

/** Whether a task of the wait ended because the service was at fault, and not the task. */
export const isFault = (output: WaitOutput | undefined): boolean =>
  output !== undefined && 'error' in output && isTransient(String(output.error));

/** The input of a task that continues a run. */
export interface RunTask {
  readonly run: string;
  /** The name of the execution that asks. */
  readonly execution?: string;
  /** The number of the wait that is over. */
  readonly resume?: number;
  /** The output of the wait. */
  readonly with?: WaitOutput;
  /** How many attempts of the task have failed; undefined: the machine does not say it. */
  readonly attempt?: number;
}

/** A task that waits for its token. */
interface WaitingTask {
  readonly run: string;
  /** Ends the task. */
  readonly token: string;
}

/** The input of a task that makes one call of a waiting run; it ends when the call does. */
export interface CallTask extends WaitingTask {
  /** The number of the wait. */
  readonly pause: number;
  /** `s`: seconds until this attempt, if the one before it failed in place; `seconds`: how long the call may last. */
  readonly call: Attempt & { readonly s?: number; readonly seconds: number };
  /** It makes the only call of its state, so it may end with what follows in the run of the caller. */
  readonly alone?: boolean;
}

/** The input of a task that waits for events; it ends when the run has received them. */
export interface ListenTask extends WaitingTask {
  /** The number of the wait. */
  readonly listen: number;
}

/** The input of a task that waits for the end of a long delay. */
export interface SleepTask extends WaitingTask {
  /** The number of the wait. */
  readonly sleep: number;
}

/** The input of the call of a timer when the time of a delay has come: it names the task that set the timer. */
export interface TimerCall extends WaitingTask {
  /** The number of the wait. */
  readonly timer: number;
}

/** The input of the call of a timer when the pause before an attempt of a call is over. */
export interface RetryCall {
  readonly run: string;
  /** The attempt, for the task of the machine that has waited since the first one. */
  readonly retry: CallTask;
  /** When the pause is over, milliseconds since 1970. */
  readonly due: number;
}

/** The input for a task that waits for its token, or of a timer for one. */
export type WaitingInput = CallTask | ListenTask | SleepTask | TimerCall | RetryCall;

/** The input of the steps function: a task of a state machine, or the call of a timer. */
export type StepInput = RunTask | WaitingInput;
