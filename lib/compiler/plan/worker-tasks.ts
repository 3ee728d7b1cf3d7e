/** The name of a queue of tasks for workers. It is a segment of the path of a request. */
export const QUEUE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** The highest priority of a task; the lowest is its negative. */
export const MAX_PRIORITY = 1000;
