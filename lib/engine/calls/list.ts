import type { ActionPlan } from '../../compiler/plan/plan.ts';
import type { CallMode } from '../../domain/runs/waits.ts';

/** The calls that a state makes. */
export interface CallList {
  readonly total: number;
  readonly mode: CallMode;
  /** How many calls run at once, at most; absent: as many as the engine can make. */
  readonly width?: number | undefined;
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
