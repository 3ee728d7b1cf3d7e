/**
 * Amazon States Language in its JSONata dialect, as far as Weft uses it. The emitter writes these shapes and the local
 * interpreter reads them. https://states-language.net and the Step Functions developer guide are the source.
 */

/** Any JSON value; a string that begins with `{%` and ends with `%}` is a JSONata expression. */
export type Template = unknown;

/** A whole number of seconds, or an expression that yields one. */
export type Seconds = number | string;

/** Either `Next` or `End: true`. */
export interface Onward {
  readonly Next?: string;
  readonly End?: true;
}

export interface Effects {
  readonly Assign?: Readonly<Record<string, Template>>;
  readonly Output?: Template;
}

interface Common {
  readonly Comment?: string;
  readonly QueryLanguage?: 'JSONata';
}

export interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly IntervalSeconds?: number;
  readonly MaxAttempts?: number;
  readonly BackoffRate?: number;
  readonly MaxDelaySeconds?: number;
  readonly JitterStrategy?: 'FULL' | 'NONE';
}

export interface Catcher extends Effects {
  readonly ErrorEquals: readonly string[];
  readonly Next: string;
}

interface Guarded {
  readonly Retry?: readonly Retrier[];
  readonly Catch?: readonly Catcher[];
}

export const INVOKE = 'arn:aws:states:::lambda:invoke';
export const INVOKE_AND_WAIT = 'arn:aws:states:::lambda:invoke.waitForTaskToken';

export interface TaskState extends Common, Onward, Effects, Guarded {
  readonly Type: 'Task';
  readonly Resource: string;
  readonly Arguments?: Template;
  readonly TimeoutSeconds?: Seconds;
  readonly HeartbeatSeconds?: Seconds;
}

export interface PassState extends Common, Onward, Effects {
  readonly Type: 'Pass';
}

export interface ChoiceRule extends Effects {
  readonly Condition: boolean | string;
  readonly Next: string;
  readonly Comment?: string;
}

/** Its own `Assign` and `Output` belong to `Default`. */
export interface ChoiceState extends Common, Effects {
  readonly Type: 'Choice';
  readonly Choices: readonly ChoiceRule[];
  readonly Default?: string;
}

/** Exactly one of `Seconds` and `Timestamp`. */
export interface WaitState extends Common, Onward, Effects {
  readonly Type: 'Wait';
  readonly Seconds?: Seconds;
  readonly Timestamp?: string;
}

export interface SucceedState extends Common {
  readonly Type: 'Succeed';
  readonly Output?: Template;
}

export interface FailState extends Common {
  readonly Type: 'Fail';
  readonly Error?: string;
  readonly Cause?: string;
}

export interface ParallelState extends Common, Onward, Effects, Guarded {
  readonly Type: 'Parallel';
  readonly Branches: readonly Branch[];
  readonly Arguments?: Template;
}

export interface MapState extends Common, Onward, Effects, Guarded {
  readonly Type: 'Map';
  readonly ItemProcessor: Branch & { readonly ProcessorConfig?: { readonly Mode: 'INLINE' } };
  readonly Items?: Template;
  readonly ItemSelector?: Template;
  readonly MaxConcurrency?: number | string;
}

export type State =
  | TaskState
  | PassState
  | ChoiceState
  | WaitState
  | SucceedState
  | FailState
  | ParallelState
  | MapState;

/** States that run together under names of their own. */
export interface Branch {
  readonly Comment?: string;
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
}

export interface StateMachine extends Branch {
  readonly QueryLanguage: 'JSONata';
  readonly Version?: string;
  readonly TimeoutSeconds?: number;
}
