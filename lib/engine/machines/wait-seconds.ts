/** The longest wait that Step Functions accepts, seconds. */
const MAX_WAIT_SECONDS = 99_999_999;

/** Milliseconds as the whole seconds that a state machine waits: rounded up, never negative. */
export const toWaitSeconds = (ms: number): number => Math.min(Math.max(Math.ceil(ms / 1000), 0), MAX_WAIT_SECONDS);
