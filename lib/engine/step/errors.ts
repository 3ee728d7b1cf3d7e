import type * as runs from '../../domain/runs/runs.ts';

/** Makes the state machine call the step again: every task of a batch retries this name. */
export class RetryError extends Error {
  override readonly name = 'Weft.Again';
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
export const isStepResult = (error: unknown): boolean => error instanceof RetryError || error instanceof RunFailedError;
