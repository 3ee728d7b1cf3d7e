import type { ResumeSignal } from '../../../compiler/emit/task-protocol.ts';
import type { Exit, Work } from '../../../compiler/plan/plan.ts';
import type { WaitingKind } from '../../../compiler/plan/traits.ts';
import type { Wait } from '../../../domain/runs/waits.ts';
import type { StepUnit } from '../../run/commit/step-unit.ts';
import type { Suspend } from '../../run/suspension.ts';

export type Kind = Work['do'];

/** The plan of one kind of work. */
export type WorkOf<K extends Kind> = Extract<Work, { readonly do: K }>;

/** How a state's work is left: by an exit it chose, by the state's own exit (undefined), or suspended. */
export type Result = Exit | Suspend | undefined;

/** The same for one kind of work: only a kind that may wait can suspend. */
export type ResultOf<K extends Kind> = K extends WaitingKind ? Result : Exit | undefined;

/** Does one kind of work for a state. Throws StateError. */
export type Perform<K extends Kind> = (unit: StepUnit, work: WorkOf<K>) => Promise<ResultOf<K>>;

/** A wait that is over, or a checkpoint that was made. */
export interface EndedWait {
  readonly wait: Wait;
  readonly signal: ResumeSignal;
}

/** Goes on with a state's work after a wait or a checkpoint. Throws StateError. */
export type Resume<K extends WaitingKind> = (unit: StepUnit, work: WorkOf<K>, ended: EndedWait) => Promise<Result>;
