/** The name of a queue of tasks for workers. It is a segment of the path of a request. */
export const QUEUE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** The highest priority of a task; the lowest is its negative. */
export const MAX_PRIORITY = 1000;

/** The task of a worker function: queries, evaluated as one over the data of the action (docs/workers.md). */
export interface WorkerTaskPlan {
  readonly queue: unknown;
  /** An ISO 8601 duration. */
  readonly lease?: unknown;
  /** A whole number, or true for 1 and false for 0. */
  readonly priority?: unknown;
}
