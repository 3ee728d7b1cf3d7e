import { addDuration, parseDuration } from '../../time/durations.ts';
import { DAY_MS } from '../../time/units.ts';
import { isAcyclic } from './flow.ts';
import type { ActionPlan, FunctionPlan, Plan, StatePlan, WorkOf } from './plan.ts';
import { actionsOf, longestWaitOf, type WaitingKind, waitingOf } from './traits.ts';

/** A state that may wait. */
export type WaitingState = StatePlan & { readonly work: WorkOf<WaitingKind> };

/** True for a state that may wait. */
export function mayWait(state: StatePlan): state is WaitingState {
  return waitingOf(state.work) !== 'never';
}

/** True if no state of the plan may wait. */
export function isWaitFree(plan: Plan): boolean {
  return !Object.values(plan.states).some(mayWait);
}

/** What an action calls. `native`: a function of Weft itself, which runs within the step. */
export type CalleeKind = 'subflow' | 'container' | 'native';

const KIND_OF: Readonly<Record<FunctionPlan['type'], CalleeKind>> = {
  subflow: 'subflow',
  'knative-workflow': 'container',
  'knative-namespace': 'container',
  'knative-global': 'container',
  http: 'native',
};

/** What a function is. */
export const calleeKindOf = ({ type }: FunctionPlan): CalleeKind => KIND_OF[type];

/** What an action calls; undefined for a function that the workflow does not have. */
export function calleeOf({ functions }: Pick<Plan, 'functions'>, { function: id }: ActionPlan): CalleeKind | undefined {
  const plan = Object.hasOwn(functions, id) ? functions[id] : undefined;
  return plan && calleeKindOf(plan);
}

/** True for a state that waits, or that calls a container and waits for its result, which takes its time. */
const isLikelyToWait = (plan: Plan, { work }: StatePlan): boolean => {
  const waiting = waitingOf(work);
  const isContainerCall = actionsOf(work).some((action) => calleeOf(plan, action) === 'container');
  return waiting === 'always' || (waiting === 'perhaps' && isContainerCall);
};

/** True if a run may end without a wait: only its calls of subflows might make it wait. */
export function mayRunInPlace(plan: Plan): boolean {
  return !Object.values(plan.states).some((state) => isLikelyToWait(plan, state));
}

/** The longest wait in one part, in days: an execution of Step Functions lasts a year at most. */
export const MAX_PART_DAYS = 300;

/** A run with a longer wait may need more than one execution. */
const LONG_WAIT_DAYS = 30;

function isWaitLongerThan(days: number, { work }: StatePlan): boolean {
  const duration = parseDuration(longestWaitOf(work) ?? '');
  return duration !== undefined && addDuration(0, duration) > days * DAY_MS;
}

/** True for a state whose wait is divided into several parts. */
export function waitsInParts(state: StatePlan): boolean {
  return isWaitLongerThan(MAX_PART_DAYS, state);
}

/** True if a run may have to continue in a new execution, because it may repeat states or wait for long. */
export function mayContinueAsNew(plan: Plan): boolean {
  return !isAcyclic(plan) || Object.values(plan.states).some((state) => isWaitLongerThan(LONG_WAIT_DAYS, state));
}

/**
 * True if a run may begin in a machine of the tier EXPRESS, which ends after five minutes and cannot wait: only its calls
 * of subflows might make it wait, and no state runs twice.
 */
export function mayBeExpress(plan: Plan): boolean {
  return mayRunInPlace(plan) && isAcyclic(plan);
}
