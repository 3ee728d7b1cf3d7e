import type { CalleeKind } from '../../../compiler/plan/execution.ts';
import type { ActionPlan } from '../../../compiler/plan/plan.ts';
import { startAsync } from '../../calls/async.ts';
import type { CallList } from '../../calls/list.ts';
import { CallRound, keepReturned, type Returned } from '../../calls/round.ts';
import { childId } from '../../run/child-ids.ts';
import type { StepUnit } from '../../run/commit/step-unit.ts';
import { checkpoint, type Suspend } from '../../run/suspension.ts';
import type { Perform, Resume, WorkOf } from './work.ts';

const FIRST = { i: 0, k: 0 };

const listOf = (unit: StepUnit, { action, timeout }: WorkOf<'call'>): CallList => ({
  total: 1,
  actions: [action],
  mode: 'and',
  timeout,
  callAt: () => ({ action, data: unit.data }),
  lineFor: () => undefined,
});

/** Starts the child and goes on; the child's result is ignored. */
async function callAndForget(unit: StepUnit, { action, timeout }: WorkOf<'call'>): Promise<Suspend | undefined> {
  // The child may read what the run wrote.
  if (unit.mustCommitFirst) return checkpoint(unit);
  await startAsync(unit, action, { i: FIRST.i, data: unit.data, timeout });
  return undefined;
}

const CALL_LINES: Readonly<Record<CalleeKind, (action: ActionPlan, id: string) => string>> = {
  subflow: (action, id) => `Sleeping until child '${id}' returns (${action.function}).`,
  container: (action, id) => `Sleeping until function '${action.function}' returns (${id}).`,
  worker: (action, id) => `Sleeping until a worker returns (${action.function}, ${id}).`,
  native: (action, id) => `Calling function '${action.function}' (${id}).`,
};

const firstOf = ({ results: [result] }: Returned): unknown => result;

/** Calls a subflow, a container or a worker; `return` becomes its result. */
export const call: Perform<'call'> = async (unit, work) => {
  if (work.async) return callAndForget(unit, work);
  const { action } = work;
  const round = new CallRound(unit, listOf(unit, work));
  const kind = (await round.kindOf(action)) ?? 'subflow';
  unit.log(CALL_LINES[kind](action, childId(unit.caller, unit.origin, FIRST)));
  return keepReturned(unit, await round.advance(), firstOf);
};

/** Takes in the result of the call; after a checkpoint, makes an asynchronous one. */
export const resumeCall: Resume<'call'> = async (unit, work, { wait, signal }) => {
  if (work.async) return callAndForget(unit, work);
  return keepReturned(unit, await new CallRound(unit, listOf(unit, work), wait.calls).resume(signal), firstOf);
};
