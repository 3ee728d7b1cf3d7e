import type { ActionPlan } from '../../../compiler/plan/plan.ts';
import type { CallList } from '../../calls/list.ts';
import { CallRound, keepReturned } from '../../calls/round.ts';
import { internalFailure } from '../../evaluation/failures.ts';
import type { StepUnit } from '../../run/commit/step-unit.ts';
import type { Perform, Resume, WorkOf } from './work.ts';

function actionAt({ actions }: WorkOf<'all'>, i: number): ActionPlan {
  const action = actions[i];
  if (action === undefined) throw internalFailure(`the state has no action ${i}`);
  return action;
}

const listOf = (unit: StepUnit, work: WorkOf<'all'>): CallList => ({
  total: work.actions.length,
  actions: work.actions,
  mode: work.mode,
  timeout: work.timeout,
  callAt: (i) => ({ action: actionAt(work, i), data: unit.data }),
  lineFor: (_, returned) => `Action returned. (${returned}/${work.actions.length})`,
});

/** Makes the calls of all actions at once; `return` becomes the list of their results, by position. */
export const all: Perform<'all'> = async (unit, work) => {
  unit.log('Sleeping until children return.');
  return keepReturned(unit, await new CallRound(unit, listOf(unit, work)).advance());
};

/** Takes in the results of the calls. */
export const resumeAll: Resume<'all'> = async (unit, work, { wait, signal }) =>
  keepReturned(unit, await new CallRound(unit, listOf(unit, work), wait.calls).resume(signal));
