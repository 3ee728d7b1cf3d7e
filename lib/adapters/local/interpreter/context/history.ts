import { ERRORS, StatesError } from './states-error.ts';
import type { Thread } from './thread.ts';

/**
 * Counts history events of a thread as Step Functions does (aws-facts 1.1). Returns the error that ends the execution
 * when it reaches `limit` events. An EXPRESS execution has no history, so no limit.
 */
export function countEvents(thread: Thread, events: number, limit: number): StatesError | undefined {
  const { execution } = thread;
  thread.events += events;
  execution.events += events;
  if (execution.tier === 'EXPRESS' || execution.events < limit) return undefined;
  return new StatesError(ERRORS.runtime, `The execution reached the maximum number of history events (${limit}).`);
}
