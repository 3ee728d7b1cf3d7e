import type { Tier } from '../../../../ports/executions.ts';
import type { Timer } from '../../concurrency/timers.ts';
import type { CompiledState, Program } from '../program/program.ts';

/** The status of an execution, in the words of Step Functions. */
export type Status = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** How an execution ended. The output is JSON text. */
export interface Outcome {
  readonly status: Exclude<Status, 'RUNNING'>;
  readonly output?: string;
  readonly error?: string;
  readonly cause?: string;
}

/** One execution of a machine. Times are milliseconds since 1970, input and output are JSON text. */
export interface Execution {
  readonly id: number;
  readonly machine: string;
  readonly tier: Tier;
  readonly handle: string;
  readonly name: string;
  readonly input: string;
  readonly started: number;
  readonly deadline: number | undefined;
  root: Thread | undefined;
  outcome: Outcome | undefined;
  ended: number | undefined;
  /** The number of history events so far, counted as Step Functions counts them. */
  events: number;
  /** The number of threads that were ever created, which is the next thread's id. */
  threads: number;
  alarm: Timer | undefined;
  /** Whether the journal has stored it. */
  stored: boolean;
  /** Loaded from the journal and not yet resumed: only answers to its tasks are accepted. */
  asleep: boolean;
}

/**
 * The phase of a thread. `ready`, `item`, `result` and `failed` have work to do at once. `task`, `wait`, `retry` and
 * `children` wait for something outside the thread. `ended` waits for the other branches of its group.
 */
export type Phase = 'item' | 'ready' | 'task' | 'wait' | 'retry' | 'children' | 'result' | 'failed' | 'ended';

/** The variables of one scope, and the same as JSON text. */
export interface Variables {
  readonly values: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** The details of a phase, which are stored in the journal with it. */
export interface Details {
  /** When the state was entered. */
  readonly entered: number;
  /** How often each Retry rule of the state was used. */
  readonly retries: readonly number[];
  /** When the wait ends, the retry is due, or the task times out. */
  readonly due?: number | undefined;
  /** The error name of the task's timeout. */
  readonly dueError?: string | undefined;
  readonly token?: string | undefined;
  /** The function that received the task token has returned: only the callback is missing. */
  readonly submitted?: boolean | undefined;
  /** How often the process was killed while the task's function ran. */
  readonly kills?: number | undefined;
}

/** One thread of control: the root of an execution, a branch of a Parallel, or an iteration of a Map. */
export interface Thread {
  readonly execution: Execution;
  readonly id: number;
  readonly parent: Thread | undefined;
  /** The index of the branch or item in the parent. */
  readonly place: number;
  readonly program: Program;
  state: CompiledState;
  phase: Phase;
  /** The state's input, JSON text. */
  input: string;
  /** The variables assigned in this scope; those of the outer scopes are read through `parent`. */
  variables: Variables;
  /** The data of the phase: a task's call, the plan of a branch group, a result, or an error; JSON text. */
  work: string | undefined;
  details: Details;
  events: number;
  /** False when the thread was discarded: its further work has no effect. */
  live: boolean;
  stored: boolean;
  alarm: Timer | undefined;
  /** Identifies the call whose result is awaited; the result of any other call is stale. */
  call: object | undefined;
  branchGroup: BranchGroup | undefined;
}

/** The branches of a Parallel, or the iterations of a Map, started in the order of their index. */
export interface BranchGroup {
  readonly plan: BranchGroupPlan;
  readonly children: Thread[];
  running: number;
}

/** How a branch group is run; stored in the journal. */
export interface BranchGroupPlan {
  readonly total: number;
  /** The most branches that run at a time. */
  readonly width: number;
  /** The items of a Map. */
  readonly items?: readonly unknown[];
  /** The input of the branches of a Parallel, JSON text. */
  readonly input?: string;
}

/** The variables of a new scope. */
export const NO_VARIABLES: Variables = { values: {}, text: '{}' };

/** The variables that a thread can read: its own and those of the outer scopes. */
export function visibleVariables(thread: Thread): Record<string, unknown> {
  return { ...(thread.parent ? visibleVariables(thread.parent) : {}), ...thread.variables.values };
}
