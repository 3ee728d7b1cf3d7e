import type { Clock } from '../../../../ports/clock.ts';
import type { Timers } from '../../concurrency/timers.ts';
import type { Limits } from './limits.ts';
import type { Execution, Thread } from './thread.ts';

/** Calls a function; throws what the function throws. `token` is set when the caller will wait for an answer to it. */
export type Invoke = (functionName: string, payload: unknown, context: { token?: string }) => Promise<unknown>;

/** Where executions survive. What is noted between two turns of the event loop is stored together, all or nothing. */
export interface Journal {
  /** The execution began or ended. */
  note(execution: Execution): void;
  /** The thread changed, or lives no more. */
  noteThread(thread: Thread): void;
  /** Resolves when all that was noted so far is stored; throws when it cannot be, and then tries again by itself. */
  stored(): Promise<void>;
}

/** What the interpreter has around it. */
export interface World {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly timers: Timers;
  readonly journal: Journal;
  readonly invoke: Invoke;
  /** An execution has ended, and its end is noted. */
  readonly ended: (execution: Execution) => void;
  /** A state is entered, or tried again: what Step Functions counts as a transition. */
  readonly onTransition?: ((tier: Execution['tier']) => void) | undefined;
}

/** Waits for the journal however long it takes: nothing may be done before it is stored. */
export async function durable({ journal }: Pick<World, 'journal'>): Promise<void> {
  for (;;) {
    try {
      return await journal.stored();
    } catch {
      // The journal tries again after a pause of its own.
    }
  }
}
