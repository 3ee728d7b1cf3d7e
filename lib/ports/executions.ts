/** The type of a state machine in Step Functions. */
export type Tier = 'EXPRESS' | 'STANDARD';

/** A state machine, as it is to be created. */
export interface Machine {
  /** Unique in the installation, at most 80 characters of [A-Za-z0-9_-]. */
  readonly name: string;
  /** Amazon States Language, JSON text. */
  readonly definition: string;
  readonly tier: Tier;
}

/** The machine of a handle does not exist: it was deleted, or its storage was lost. `define` creates it again. */
export class NoMachineError extends Error {
  override readonly name = 'NoMachineError';
  constructor(handle: string) {
    super(`there is no machine '${handle}'`);
  }
}

/** The quota of definitions is exhausted for the moment; nothing was changed. */
export class BusyError extends Error {
  override readonly name: string = 'BusyError';
}

/** The account has as many state machines as it may: a definition succeeds only when others were deleted. */
export class MachineLimitError extends BusyError {
  override readonly name = 'MachineLimitError';
}

/** No execution starts for the moment; nothing was changed. Stored runs start later. */
export class DelayedStartError extends BusyError {
  override readonly name = 'DelayedStartError';
}

/** The error of an execution that cannot continue because a part of its stored data is lost. */
export const EXECUTION_LOST = 'Weft.ExecutionLost';

/**
 * The error with which executions are stopped whose machines are deleted with the service: their runs continue in new
 * executions when the service is deployed again.
 */
export const SERVICE_REMOVED = 'Weft.Removed';

/** State machines and their executions. */
export interface Executions {
  /**
   * Creates or updates the machine and publishes a version. Returns a handle of exactly this version. Idempotent; a
   * call that was interrupted can be repeated. Throws BusyError when the quota of definitions is exhausted: at once if not
   * `isPatient`, else after some seconds; MachineLimitError when the account may have no further machine.
   */
  define(machine: Machine, isPatient?: boolean): Promise<string>;
  /**
   * Deletes the machine of a handle with all its versions; its executions may be stopped. Has no effect on one that does
   * not exist. Throws BusyError at once.
   */
  remove(handle: string): Promise<void>;
  /**
   * Starts at most one execution per name: a second start with a name in use has no effect. Returns false when an
   * execution of that name has ended and its end was reported; else it runs, now or since before. An adapter that cannot
   * keep names of the tier EXPRESS unique starts it again. Throws NoMachineError; DelayedStartError when a quota of starts
   * or of open executions is exhausted, also after some attempts.
   */
  start(handle: string, name: string, input: unknown): Promise<boolean>;
  /**
   * Returns whether an execution of that name runs, or has ended and its end was not reported yet. An adapter that cannot
   * know this of the tier EXPRESS returns false.
   */
  isRunning(handle: string, name: string): Promise<boolean>;
  /** Stops a running execution. Has no effect on one that has ended or was never started. */
  stop(handle: string, name: string, error: string, cause: string): Promise<void>;
  /** Ends a waiting task. Returns false when no task waits with that token. */
  answer(token: string, answer: Answer): Promise<boolean>;
}

/** The result of a task that waits for its token. */
export type Answer = { readonly output: unknown } | { readonly error: string; readonly cause: string };
