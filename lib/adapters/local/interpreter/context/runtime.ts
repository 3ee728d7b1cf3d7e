import type { Clock } from '../../../../ports/clock.ts';
import type { Timers } from '../../concurrency/timers.ts';
import type { Limits } from './limits.ts';
import type { Execution, Thread } from './thread.ts';

/** Calls a function; throws what the function throws. `token` is the task token where the task waits for a callback. */
export type Invoke = (functionName: string, payload: unknown, context: InvokeContext) => Promise<unknown>;

/** The context of a call, beside its payload. */
export interface InvokeContext {
  readonly token?: string;
  /** The client context of the function: base64 of JSON. */
  readonly clientContext?: string;
}

/** The tenant of an execution, by its input, JSON text. */
export type TenantOf = (input: string) => Promise<string>;

/** Stores executions. All that is noted within one turn of the event loop is stored in one transaction. */
export interface Journal {
  /** The execution started or ended. */
  note(execution: Execution): void;
  /** The thread changed, or no longer exists. */
  noteThread(thread: Thread): void;
  /**
   * Resolves when all that was noted so far is stored. Rejects when a write fails; the journal then retries by itself.
   */
  stored(): Promise<void>;
}

/** The services that the interpreter uses. */
export interface Runtime {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly timers: Timers;
  readonly journal: Journal;
  readonly invoke: Invoke;
  /** On whose account the functions of an execution with this input run; by default all are of one tenant. */
  readonly tenantOf?: TenantOf | undefined;
  /** Called when an execution has ended and its end is noted in the journal. */
  readonly onExecutionEnd: (execution: Execution) => void;
  /**
   * Called when a state is entered or retried: Step Functions bills it as a state transition, "each time a step of your
   * workflow is executed", with retries (aws.amazon.com/step-functions/pricing). Start and end execute no step.
   */
  readonly onTransition?: ((tier: Execution['tier']) => void) | undefined;
  /** Called when a state begins to wait, with the milliseconds: an execution of the tier EXPRESS is billed for its time. */
  readonly onWait?: ((tier: Execution['tier'], ms: number) => void) | undefined;
}

/** Resolves when the journal is stored, however often a write fails before: no side effect may come earlier. */
export async function waitUntilStored({ journal }: Pick<Runtime, 'journal'>): Promise<void> {
  for (;;) {
    try {
      return await journal.stored();
    } catch {
      // The journal retries after a pause of its own.
    }
  }
}
