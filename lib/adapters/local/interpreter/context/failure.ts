import type { Outcome } from './thread.ts';

/** The error names that the States Language gives to its own failures. */
export const ERRORS = {
  all: 'States.ALL',
  dataLimit: 'States.DataLimitExceeded',
  heartbeat: 'States.HeartbeatTimeout',
  noChoice: 'States.NoChoiceMatched',
  query: 'States.QueryEvaluationError',
  runtime: 'States.Runtime',
  taskFailed: 'States.TaskFailed',
  timeout: 'States.Timeout',
} as const;

const LONGEST_ERROR = 256;
const LONGEST_CAUSE = 32_768;

/** What a state fails with: an error name and, where there is one, a cause. */
export class StateFailure extends Error {
  override readonly name = 'StateFailure';
  readonly error: string | undefined;
  override readonly cause: string | undefined;

  constructor(error: string | undefined, cause?: string) {
    super(`${error ?? 'no error'}: ${cause ?? 'no cause'}`);
    this.error = error?.slice(0, LONGEST_ERROR);
    this.cause = cause?.slice(0, LONGEST_CAUSE);
  }
}

/** What `$states.errorOutput` holds; a part that the failure lacks is left out. */
export function errorOutput(failure: StateFailure): Record<string, string> {
  return {
    ...(failure.error === undefined ? {} : { Error: failure.error }),
    ...(failure.cause === undefined ? {} : { Cause: failure.cause }),
  };
}

/** The failure kept in the journal as JSON text. */
export function failureText(failure: StateFailure): string {
  return JSON.stringify(errorOutput(failure));
}

/** The inverse of `failureText`. */
export function failureOf(text: string): StateFailure {
  const { Error: error, Cause: cause } = JSON.parse(text) as { Error?: string; Cause?: string };
  return new StateFailure(error, cause);
}

/** How an execution ends that a failure ends. */
export function failedOutcome(failure: StateFailure): Outcome {
  const { error, cause } = failure;
  return { status: 'FAILED', ...(error === undefined ? {} : { error }), ...(cause === undefined ? {} : { cause }) };
}

/** A failure no Retry and no Catch may touch. */
export function isFinal(failure: StateFailure): boolean {
  return failure.error === ERRORS.runtime;
}

type Matcher = (error: string) => boolean;

// States.ALL misses the two errors that end an execution; a heartbeat that fails to come is a kind of timeout.
const WILDCARDS: Readonly<Record<string, Matcher>> = {
  [ERRORS.all]: (error) => error !== ERRORS.dataLimit,
  [ERRORS.taskFailed]: (error) => error !== ERRORS.timeout && error !== ERRORS.heartbeat && error !== ERRORS.dataLimit,
  [ERRORS.timeout]: (error) => error === ERRORS.timeout || error === ERRORS.heartbeat,
};

/** Whether an `ErrorEquals` list names the failure, by the rules of Retry and Catch. */
export function matches(errorEquals: readonly string[], failure: StateFailure): boolean {
  if (isFinal(failure)) return false;
  const error = failure.error ?? '';
  return errorEquals.some((pattern) => (WILDCARDS[pattern] ?? ((name) => name === pattern))(error));
}

/**
 * What Step Functions makes of a Lambda function that threw: the error's name, and as cause the JSON text
 * `{errorType, errorMessage, trace}` that Lambda answers.
 */
export function taskFailure(thrown: unknown): StateFailure {
  const { name, message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const trace = (stack ?? '').split('\n').slice(0, 8);
  return new StateFailure(name, JSON.stringify({ errorType: name, errorMessage: message, trace }));
}
