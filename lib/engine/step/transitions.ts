import { handlerField } from '../../compiler/plan/handlers.ts';
import type { Exit } from '../../compiler/plan/plan.ts';
import type { RunEnd } from '../../domain/runs/runs.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';
import { enterHandler, handlerOf } from '../run/handling.ts';
import type { Suspend } from '../run/suspension.ts';

/** The successor of a state: another state, a wait, or the run's end. */
export type Next = { readonly to: string } | { readonly suspend: Suspend } | RunEnd;

/** Goes to the state that an exit names; the run ends where it names none. */
export function transition(unit: StepUnit, { transition: to }: Pick<Exit, 'transition'>): Next {
  if (to === undefined || to === '') return endOf(unit);
  unit.log(`Transitioning to next state: ${to} (${unit.step + 1}).`);
  return { to };
}

/**
 * A run that passed an error state ends failed with the error of that state. The end of a handler does not end the run:
 * `beforeEnd` decides that.
 */
function endOf(unit: StepUnit): RunEnd {
  if (unit.handling !== undefined) return { end: 'complete' };
  const { raised } = unit;
  if (raised !== undefined) unit.log(`Workflow failed with error '${raised.code}': ${raised.message}`, 'error');
  if (raised === undefined && unit.tools.plan.output !== undefined) return { end: 'complete' };
  unit.log('Workflow completed.');
  return raised === undefined ? { end: 'complete' } : { end: 'failed', ...raised };
}

/** Leads a run that would end to its next handler, if it has one; else it ends as it would have without handlers. */
export function beforeEnd(unit: StepUnit, end: RunEnd): { readonly to: string } | RunEnd {
  const { handling } = unit;
  if (handling !== undefined && end.end !== 'complete') {
    unit.log(
      `The handler '${handlerField(handling.phase)}' failed, which changes nothing: '${end.code}': ${end.message}`,
      'error',
    );
  }
  const handler = handlerOf(unit, end.end === 'complete' ? 'success' : 'failure');
  if (handler === undefined) return handling?.end ?? end;
  unit.recorder.note({ because: handler.phase });
  enterHandler(unit, handler, end);
  return { to: handler.state };
}

/** As `beforeEnd`, for the successor of a state. */
export const orHandler = (unit: StepUnit, next: Next): Next =>
  'to' in next || 'suspend' in next ? next : beforeEnd(unit, next);
