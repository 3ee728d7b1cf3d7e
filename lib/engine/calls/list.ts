import type { ActionPlan } from '../../compiler/plan/plan.ts';

/** The calls that a state makes. */
export interface CallList {
  readonly total: number;
  /** `and`: every call must succeed; `or`: the first call that succeeds completes the state. */
  readonly mode: 'and' | 'or';
  /** An ISO 8601 duration. */
  readonly timeout: string | undefined;
  /** There is one call for each element of a list. */
  readonly isLoop?: boolean;
  /** The actions of all calls, each once. */
  readonly actions: readonly ActionPlan[];
  /** The action of a call, and the data over which its input is evaluated. */
  readonly callAt: (i: number) => { readonly action: ActionPlan; readonly data: unknown };
  /** The log line for a call that has returned, `returned` being how many have; undefined: none. */
  readonly lineFor: (i: number, returned: number) => string | undefined;
}
