import type { Tier } from '../../../../ports/executions.ts';
import type { Timer } from '../../concurrency/timers.ts';
import type { Program, Step } from '../program/program.ts';

export type Status = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** How an execution ended. Output is JSON text. */
export interface Outcome {
  readonly status: Exclude<Status, 'RUNNING'>;
  readonly output?: string;
  readonly error?: string;
  readonly cause?: string;
}

/** One run of a machine. Times are milliseconds since 1970, input and output JSON text. */
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
  /** History events so far, counted as Step Functions counts them. */
  events: number;
  /** How many threads it ever had: the next one's id. */
  threads: number;
  alarm: Timer | undefined;
  /** Whether the journal knows it. */
  stored: boolean;
  /** Read from the journal and not yet resumed: answers are taken, nothing else moves. */
  asleep: boolean;
}

/**
 * Where a thread stands. `ready`, `item`, `result` and `failed` have work to do at once; `task`, `wait`, `retry` and
 * `children` wait for something outside; `ended` waits for its siblings.
 */
export type Phase = 'item' | 'ready' | 'task' | 'wait' | 'retry' | 'children' | 'result' | 'failed' | 'ended';

export interface Variables {
  readonly values: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** What goes with the phase and is kept in the journal beside it. */
export interface Details {
  /** When the state was entered. */
  readonly entered: number;
  /** How often each Retry rule of the state has been used. */
  readonly retries: readonly number[];
  /** When the wait, the pause before a retry, or the patience with a task ends. */
  readonly due?: number | undefined;
  /** The error of a task whose patience ends. */
  readonly dueError?: string | undefined;
  readonly token?: string | undefined;
  /** The function that hands the token on has been called with success: only the answer is missing. */
  readonly submitted?: boolean | undefined;
}

/** One line of control: the root of an execution, a branch of a Parallel, or an iteration of a Map. */
export interface Thread {
  readonly execution: Execution;
  readonly id: number;
  readonly parent: Thread | undefined;
  /** Which branch or item of the parent. */
  readonly place: number;
  readonly program: Program;
  step: Step;
  phase: Phase;
  /** The state's input, JSON text. */
  input: string;
  /** Assigned in this scope; those of the enclosing scopes are read through `parent`. */
  variables: Variables;
  /** What the phase needs: a task's call, the children's plan, a result, a failure; JSON text. */
  work: string | undefined;
  details: Details;
  events: number;
  /** False once nothing it does counts any more. */
  live: boolean;
  stored: boolean;
  alarm: Timer | undefined;
  /** The call whose result is awaited; another object's result is stale. */
  call: object | undefined;
  family: Family | undefined;
}

/** The children of a Parallel or Map, started in order of their place. */
export interface Family {
  readonly plan: FamilyPlan;
  readonly children: Thread[];
  running: number;
}

export interface FamilyPlan {
  readonly total: number;
  /** Most children at a time. */
  readonly width: number;
  /** The items of a Map. */
  readonly items?: readonly unknown[];
  /** The input of the branches of a Parallel, JSON text. */
  readonly input?: string;
}

export const NO_VARIABLES: Variables = { values: {}, text: '{}' };

/** The variables a thread sees: its own and those of the scopes around it. */
export function visible(thread: Thread): Record<string, unknown> {
  return { ...(thread.parent ? visible(thread.parent) : {}), ...thread.variables.values };
}
