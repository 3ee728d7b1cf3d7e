/**
 * The part of the Amazon States Language, with JSONata, that Weft uses. `emit` writes these types and the local
 * interpreter reads them. Sources: https://states-language.net and the developer guide of Step Functions.
 */

/** Any JSON value; a string that begins with `{%` and ends with `%}` is a JSONata expression. */
export type Template = unknown;

/** A whole number of seconds, or an expression whose result is one. */
export type Seconds = number | string;

/** How a state continues: either `Next` or `End: true`. */
export interface Onward {
  readonly Next?: string;
  readonly End?: true;
}

/** The variables and the output that a state sets. */
export interface Effects {
  readonly Assign?: Readonly<Record<string, Template>>;
  readonly Output?: Template;
}

interface Common {
  readonly Comment?: string;
  readonly QueryLanguage?: 'JSONata';
}

/** A rule for retries of a failed state. */
export interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly IntervalSeconds?: number;
  readonly MaxAttempts?: number;
  readonly BackoffRate?: number;
  readonly MaxDelaySeconds?: number;
  readonly JitterStrategy?: 'FULL' | 'NONE';
}

/** A rule for the state after a failure. */
export interface Catcher extends Effects {
  readonly ErrorEquals: readonly string[];
  readonly Next: string;
}

interface Guarded {
  readonly Retry?: readonly Retrier[];
  readonly Catch?: readonly Catcher[];
}

/** The resource that calls a Lambda function and continues with its result. */
export const INVOKE = 'arn:aws:states:::lambda:invoke';
/** The resource that calls a Lambda function and waits until the task's token is returned. */
export const INVOKE_AND_WAIT = 'arn:aws:states:::lambda:invoke.waitForTaskToken';

/** Calls a resource. */
export interface TaskState extends Common, Onward, Effects, Guarded {
  readonly Type: 'Task';
  readonly Resource: string;
  readonly Arguments?: Template;
  readonly TimeoutSeconds?: Seconds;
  readonly HeartbeatSeconds?: Seconds;
}

/** Sets variables or the output. */
export interface PassState extends Common, Onward, Effects {
  readonly Type: 'Pass';
}

/** A condition and the state that follows if it is true. */
export interface ChoiceRule extends Effects {
  readonly Condition: boolean | string;
  readonly Next: string;
  readonly Comment?: string;
}

/** Continues with the first rule that is true. Its own `Assign` and `Output` belong to `Default`. */
export interface ChoiceState extends Common, Effects {
  readonly Type: 'Choice';
  readonly Choices: readonly ChoiceRule[];
  readonly Default?: string;
}

/** Waits for a time; has exactly one of `Seconds` and `Timestamp`. */
export interface WaitState extends Common, Onward, Effects {
  readonly Type: 'Wait';
  readonly Seconds?: Seconds;
  readonly Timestamp?: string;
}

/** Ends the machine or branch successfully. */
export interface SucceedState extends Common {
  readonly Type: 'Succeed';
  readonly Output?: Template;
}

/** Ends the machine with an error. */
export interface FailState extends Common {
  readonly Type: 'Fail';
  readonly Error?: string;
  readonly Cause?: string;
}

/** Runs branches concurrently. */
export interface ParallelState extends Common, Onward, Effects, Guarded {
  readonly Type: 'Parallel';
  readonly Branches: readonly Branch[];
  readonly Arguments?: Template;
}

/** Runs a branch once for each item, concurrently. */
export interface MapState extends Common, Onward, Effects, Guarded {
  readonly Type: 'Map';
  readonly ItemProcessor: Branch & { readonly ProcessorConfig?: { readonly Mode: 'INLINE' } };
  readonly Items?: Template;
  readonly ItemSelector?: Template;
  readonly MaxConcurrency?: number | string;
}

/** Any state. */
export type State =
  | TaskState
  | PassState
  | ChoiceState
  | WaitState
  | SucceedState
  | FailState
  | ParallelState
  | MapState;

/** States with names of their own: a machine, or a part of it that runs as a whole. */
export interface Branch {
  readonly Comment?: string;
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
}

/** The definition of a state machine. */
export interface StateMachine extends Branch {
  readonly QueryLanguage: 'JSONata';
  readonly Version?: string;
  readonly TimeoutSeconds?: number;
}
