import { parseJson } from '../../../../language/json-numbers.ts';
import type { Outcome } from './thread.ts';

/** The error names that Amazon States Language reserves for errors of its own ("Errors", States Language). */
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

/** Limits of Step Functions, characters; longer texts are cut. */
const MAX_ERROR_LENGTH = 256;
const MAX_CAUSE_LENGTH = 32_768;

/** The error of a state: an error name and an optional cause, as Retry, Catch and `$states.errorOutput` see it. */
export class StatesError extends Error {
  override readonly name = 'StatesError';
  readonly error: string | undefined;
  override readonly cause: string | undefined;

  constructor(error: string | undefined, cause?: string) {
    super(`${error ?? 'no error'}: ${cause ?? 'no cause'}`);
    this.error = error?.slice(0, MAX_ERROR_LENGTH);
    this.cause = cause?.slice(0, MAX_CAUSE_LENGTH);
  }
}

/** The value of `$states.errorOutput`: `{Error, Cause}`, without the fields that the error does not have. */
export function toErrorOutput({ error, cause }: StatesError): Record<string, string> {
  return {
    ...(error === undefined ? {} : { Error: error }),
    ...(cause === undefined ? {} : { Cause: cause }),
  };
}

/** The error as the journal stores it: JSON text of `toErrorOutput`. */
export function toStoredError(error: StatesError): string {
  return JSON.stringify(toErrorOutput(error));
}

/** The inverse of `toStoredError`. */
export function fromStoredError(text: string): StatesError {
  const { Error: error, Cause: cause } = parseJson(text) as { Error?: string; Cause?: string };
  return new StatesError(error, cause);
}

/** The outcome of an execution that fails with this error. */
export function toFailedOutcome({ error, cause }: StatesError): Outcome {
  return { status: 'FAILED', ...(error === undefined ? {} : { error }), ...(cause === undefined ? {} : { cause }) };
}

/** Whether neither Retry nor Catch applies to the error. */
export function isUncatchable({ error }: StatesError): boolean {
  return error === ERRORS.runtime;
}

type Matcher = (error: string) => boolean;

/** States.ALL does not match the two errors that end an execution. A missing heartbeat is a kind of timeout. */
const WILDCARDS: Readonly<Record<string, Matcher>> = {
  [ERRORS.all]: (error) => error !== ERRORS.dataLimit,
  [ERRORS.taskFailed]: (error) => error !== ERRORS.timeout && error !== ERRORS.heartbeat && error !== ERRORS.dataLimit,
  [ERRORS.timeout]: (error) => error === ERRORS.timeout || error === ERRORS.heartbeat,
};

/** Whether an `ErrorEquals` list matches the error, by the rules of Retry and Catch. */
export function matchesErrorEquals(errorEquals: readonly string[], failure: StatesError): boolean {
  if (isUncatchable(failure)) return false;
  const error = failure.error ?? '';
  return errorEquals.some((pattern) => (WILDCARDS[pattern] ?? ((name) => name === pattern))(error));
}

/** A `StatesError` stays as it is; any other thrown value is a fault of the interpreter, which is States.Runtime. */
export function toStatesError(thrown: unknown): StatesError {
  if (thrown instanceof StatesError) return thrown;
  return new StatesError(ERRORS.runtime, thrown instanceof Error ? thrown.message : String(thrown));
}

/**
 * The error of a task whose Lambda function threw: the name of the thrown error, and as cause the JSON text
 * `{errorType, errorMessage, trace}` that Lambda returns.
 */
export function toTaskError(thrown: unknown): StatesError {
  if (thrown instanceof StatesError) return thrown;
  const { name, message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const trace = (stack ?? '').split('\n').slice(0, 8);
  return new StatesError(name, JSON.stringify({ errorType: name, errorMessage: message, trace }));
}
