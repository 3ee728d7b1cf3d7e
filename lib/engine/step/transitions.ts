import type { Exit } from '../../compiler/plan/plan.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';
import type { Suspend } from '../run/suspension.ts';

/** The end of a run. */
export type End =
  | { readonly end: 'complete' }
  | { readonly end: 'failed' | 'crashed'; readonly code: string; readonly message: string };

/** The successor of a state: another state, a wait, or the run's end. */
export type Next = { readonly to: string } | { readonly suspend: Suspend } | End;

/** Goes to the state that an exit names; the run ends where it names none. */
export function transition(unit: StepUnit, { transition: to }: Pick<Exit, 'transition'>): Next {
  if (to === undefined || to === '') return endRun(unit);
  unit.log(`Transitioning to next state: ${to} (${unit.step + 1}).`);
  return { to };
}

/** A run that passed an error state ends failed with the error of that state. */
function endRun(unit: StepUnit): End {
  const { raised } = unit;
  if (raised !== undefined) unit.log(`Workflow failed with error '${raised.code}': ${raised.message}`, 'error');
  unit.log('Workflow completed.');
  return raised === undefined ? { end: 'complete' } : { end: 'failed', ...raised };
}
