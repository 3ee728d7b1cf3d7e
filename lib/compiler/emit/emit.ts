import { mayBeExpress } from '../plan/execution.ts';
import type { Plan } from '../plan/plan.ts';
import type { StateMachine } from './asl.ts';
import { MachineBuilder, type MachineKind } from './machine-builder.ts';

export type { MachineKind } from './machine-builder.ts';
export { TRANSIENT_ERRORS } from './task-protocol.ts';
export { STEPS_FUNCTION } from './waits.ts';

/** A definition in the Amazon States Language, and the tier (the type of the state machine) for which it is made. */
export interface Emitted {
  readonly definition: StateMachine;
  readonly tier: 'EXPRESS' | 'STANDARD';
}

/**
 * Makes the state machine of a plan. States that do not wait run in batches, each a task; a wait is a state with the
 * user's name. If a run may end without a wait, the machine that begins at its start is a single task of the tier EXPRESS;
 * when such a run must wait after all, the machine for any state continues it.
 */
export function emit(plan: Plan, kind: MachineKind = 'start'): Emitted {
  const isExpress = kind === 'start' && mayBeExpress(plan);
  const builder = new MachineBuilder(plan);
  const StartAt = isExpress ? builder.addSingleTask() : builder.addAll(kind);
  const definition: StateMachine = {
    Comment: 'Made by Weft from a workflow; the states keep their names.',
    QueryLanguage: 'JSONata',
    StartAt,
    States: builder.states,
  };
  return { definition, tier: isExpress ? 'EXPRESS' : 'STANDARD' };
}
