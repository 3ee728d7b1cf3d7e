import type { FunctionPlan } from '../compiler/plan/plan.ts';
import type { Position } from '../language/position.ts';
import type { TestVariables } from './format/suite.ts';

/** A call of a function that a case has made. */
export interface ObservedCall {
  /** The key of the function (`functionKey`). */
  readonly function: string;
  /** The type of the function. */
  readonly type: FunctionPlan['type'];
  readonly input: unknown;
  /** The state that called. */
  readonly state: string;
  /** How often the call was made: more than once when a step was repeated. */
  readonly times: number;
  /** A repeated call has its effect once: a subflow, or a function that is declared idempotent. */
  readonly isIdempotent: boolean;
}

/** An entry of a catch list that caught an error. */
export interface CaughtError {
  readonly state: string;
  /** Its place in the catch list, from 0. */
  readonly index: number;
}

/** A run of a workflow. */
export interface ObservedRun {
  readonly path: string;
  readonly status: 'pending' | 'complete' | 'failed' | 'crashed';
  /** The states that it entered, in order. */
  readonly states: readonly string[];
  /**
   * The transitions that it made. The target is undefined after a state that led to the end of the run: also after an `error`
   * state, and after one that a handler followed.
   */
  readonly transitions: readonly (readonly [from: string, to: string | undefined])[];
  readonly caught: readonly CaughtError[];
}

/** A problem that stopped a case, for the user. */
export interface ObservedProblem {
  readonly message: string;
  /** The place of its cause in the file of tests; undefined where it is not written there. */
  readonly at: Position | undefined;
}

/** The observation of a case: of the run that it started, and of all that followed from it. */
export interface Observation {
  readonly status: ObservedRun['status'];
  readonly error: { readonly code: string; readonly message: string } | undefined;
  readonly output: unknown;
  readonly states: readonly string[];
  /** Milliseconds of virtual time. */
  readonly took: number;
  readonly calls: readonly ObservedCall[];
  /** The events that runs have sent, as CloudEvents, in their order. */
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly variables: { readonly [S in keyof TestVariables]-?: Readonly<Record<string, unknown>> };
  /** How often each variable of the namespace and the workflow was written. */
  readonly variableWrites: Readonly<Record<string, number>>;
  /** All runs, in the order in which they were started. */
  readonly runs: readonly ObservedRun[];
  /** The problems that stopped the case: for example a function without a mock. */
  readonly problems: readonly ObservedProblem[];
  /** The newest lines of the log of the run, for a report of a failure. */
  readonly log: readonly string[];
}
