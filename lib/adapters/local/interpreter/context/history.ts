import { ERRORS, StateFailure } from './failure.ts';
import type { Thread } from './thread.ts';

/**
 * Counts history events as Step Functions does (aws-facts 1.1); a failure when the execution has too many. An express
 * execution has no history.
 */
export function count(thread: Thread, events: number, most: number): StateFailure | undefined {
  const { execution } = thread;
  thread.events += events;
  execution.events += events;
  if (execution.tier === 'EXPRESS' || execution.events < most) return undefined;
  return new StateFailure(ERRORS.runtime, `The execution reached the maximum number of history events (${most}).`);
}
