import type { StatesError } from './states-error.ts';
import type { BranchGroupPlan, Variables } from './thread.ts';

/**
 * The next command of a thread. A state returns it; the interpreter executes it and notes the result in the journal.
 * Times are milliseconds since 1970, texts are JSON.
 */
export type Command =
  /** Leave the state with an output, for the state `next`; undefined: the branch ends. */
  | {
      readonly kind: 'leave';
      readonly output: string;
      readonly variables: Variables;
      readonly next: string | undefined;
    }
  /** Start an iteration with its input. */
  | { readonly kind: 'start'; readonly input: string }
  | { readonly kind: 'wait'; readonly due: number }
  /** Enter the state again at `due`; `retries` counts the uses of each Retry rule. */
  | { readonly kind: 'retry'; readonly due: number; readonly retries: readonly number[] }
  /** Call a function; at `due` the task fails with `dueError`. */
  | {
      readonly kind: 'invoke';
      readonly work: string;
      readonly token?: string;
      readonly due?: number;
      readonly dueError?: string;
    }
  | { readonly kind: 'fork'; readonly plan: BranchGroupPlan }
  /** The state failed: its Retry and Catch apply. */
  | { readonly kind: 'fail'; readonly error: StatesError }
  /** Neither Retry nor Catch handles the error: the parent state fails, or the execution. */
  | { readonly kind: 'propagate'; readonly error: StatesError };
