import { TASK_ERROR } from '../../compiler/emit/task-protocol.ts';
import { ServiceError } from '../../domain/errors.ts';
import type * as runs from '../../domain/runs/runs.ts';
import { OverRateError } from '../limits/starts.ts';

/** Makes the state machine call the step again: every task of a batch retries this name. */
export class RetryError extends Error {
  override readonly name = TASK_ERROR.again;
}

/** Ends the execution with the error of its run, so that the AWS console shows it. */
export class RunFailedError extends Error {
  override readonly name: string;

  constructor({ code, message }: runs.Failure) {
    super(message);
    this.name = code;
  }
}

/** Whether an error is a result of the step: it makes the machine retry, or end as the run did. */
export const isStepResult = (error: unknown): boolean =>
  error instanceof RetryError || error instanceof RunFailedError || error instanceof OverRateError;

/** A fault of the service that may pass, such as a database that cannot be reached: every task retries this name. */
export class FaultError extends Error {
  override readonly name = TASK_ERROR.fault;

  constructor(fault: unknown) {
    super(fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault), { cause: fault });
  }
}

/** Whether an error is a mistake in the code: it would only be repeated. A failed `fetch` is a TypeError with a cause. */
const isBug = (error: unknown): boolean =>
  error instanceof ReferenceError ||
  error instanceof SyntaxError ||
  error instanceof RangeError ||
  (error instanceof TypeError && error.cause === undefined);

/**
 * The error with which a call of the steps function ends its task: a result as it is, and a mistake of a caller or in the
 * code, which ends the run; any other fault as FaultError, which the machine retries.
 */
export const toTaskError = (error: unknown): unknown =>
  isStepResult(error) || error instanceof ServiceError || isBug(error) ? error : new FaultError(error);

/** Throws the result of `toTaskError` for an error. */
export function throwTaskError(error: unknown): never {
  throw toTaskError(error);
}
