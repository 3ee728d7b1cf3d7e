import { addDuration, parseDuration } from '../../time/durations.ts';
import { DAY_MS } from '../../time/units.ts';
import { isAcyclic } from './flow.ts';
import { isLongLambda } from './lambdas.ts';
import type { ActionPlan, FunctionPlan, Plan, StatePlan, Work, WorkOf } from './plan.ts';
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

/**
 * The kind of callee of an action. `native`: a function of Weft itself, which runs within the step. `worker`: a program
 * that fetches its tasks over HTTP.
 */
export type CalleeKind = 'subflow' | 'container' | 'native' | 'worker';

const KIND_OF: Readonly<Record<FunctionPlan['type'], CalleeKind>> = {
  subflow: 'subflow',
  'knative-workflow': 'container',
  'knative-namespace': 'container',
  'knative-global': 'container',
  http: 'native',
  worker: 'worker',
  lambda: 'native',
  mail: 'native',
};

/** Whether a call of each kind ends only after a wait of its caller. */
const TAKES_TIME: Readonly<Record<CalleeKind, boolean>> = {
  subflow: false,
  container: true,
  native: false,
  worker: true,
};

/** The kind of callee of a function. */
export const calleeKindOf = ({ type }: FunctionPlan): CalleeKind => KIND_OF[type];

/** The function that an action calls; undefined for one that the workflow does not have. */
const functionOf = ({ functions }: Pick<Plan, 'functions'>, { function: id }: ActionPlan): FunctionPlan | undefined =>
  Object.hasOwn(functions, id) ? functions[id] : undefined;

/** The kind of callee of an action; undefined for a function that the workflow does not have. */
export function calleeOf(plan: Pick<Plan, 'functions'>, action: ActionPlan): CalleeKind | undefined {
  const called = functionOf(plan, action);
  return called && calleeKindOf(called);
}

/** Whether an action calls a service of the namespace or of the installation, of which the plan has the name alone. */
export function callsStoredService(plan: Pick<Plan, 'functions'>, action: ActionPlan): boolean {
  const called = functionOf(plan, action);
  return called?.type === 'knative-namespace' || called?.type === 'knative-global';
}

/** Whether an action makes an invocation of Lambda that may take long: a state machine makes it. */
export function callsLongLambda(plan: Pick<Plan, 'functions'>, action: ActionPlan): boolean {
  const called = functionOf(plan, action);
  return called !== undefined && isLongLambda(called);
}

/** Whether an action calls a subflow whose path is computed: only the call determines the workflow. */
export function callsComputedSubflow(plan: Pick<Plan, 'functions'>, action: ActionPlan): boolean {
  const called = functionOf(plan, action);
  return called?.type === 'subflow' && called.allowed !== undefined;
}

/** Whether an action sends a mail by the server that a setting of the namespace names. */
export function usesMailSetting(plan: Pick<Plan, 'functions'>, action: ActionPlan): boolean {
  const called = functionOf(plan, action);
  return called?.type === 'mail' && called.server === undefined;
}

/** True for a state that always waits, or that waits for a container, a worker or a long invocation of Lambda. */
export const isLikelyToWait = (plan: Plan, { work }: StatePlan): boolean => {
  const waiting = waitingOf(work);
  const takesTime = (action: ActionPlan): boolean =>
    TAKES_TIME[calleeOf(plan, action) ?? 'subflow'] || callsLongLambda(plan, action);
  return waiting === 'always' || (waiting === 'perhaps' && actionsOf(work).some(takesTime));
};

/** True if no state is likely to wait: only calls of subflows might make a run wait. */
export function hasNoLikelyWait(plan: Plan): boolean {
  return !Object.values(plan.states).some((state) => isLikelyToWait(plan, state));
}

/** The shortest delay that a timer ends, milliseconds: shorter ones are waited for by the state machine, to the second. */
export const MIN_TIMER_MS = 60_000;

/** The milliseconds of a duration from the beginning of 1970; undefined for a text that is none. */
export function durationMs(text: string): number | undefined {
  const parsed = parseDuration(text);
  return parsed && addDuration(0, parsed);
}

/** Whether a timer ends a delay. */
export const isTimed = ({ duration }: Pick<WorkOf<'sleep'>, 'duration'>): boolean =>
  (durationMs(duration) ?? 0) >= MIN_TIMER_MS;

/** The longest delay for which an EXPRESS execution is used, milliseconds: one second of it costs $1.04 per million. */
export const MAX_SHORT_MS = 30_000;

/** Whether an execution of the tier EXPRESS waits for the end of a delay, if the run has no machine yet or need not keep it. */
export const isShort = ({ duration }: Pick<WorkOf<'sleep'>, 'duration'>): boolean =>
  (durationMs(duration) ?? Number.POSITIVE_INFINITY) <= MAX_SHORT_MS;

/** The kinds of callees whose calls take little time of a step. */
const BRIEF_CALLEES: ReadonlySet<CalleeKind | undefined> = new Set(['subflow', 'worker']);

/** Whether a run that waits for this work needs no machine: for the end of a short delay, or of one call that another process makes. */
export function isDetachable(plan: Pick<Plan, 'functions'>, work: Work): boolean {
  if (work.do === 'sleep') return isShort(work);
  return work.do === 'call' && BRIEF_CALLEES.has(calleeOf(plan, work.action));
}

/** Whether that also holds for a wait for events, a decision or the end of a longer delay, if runs wait in the table. */
export const isDetachableInTable = (work: Work): boolean =>
  work.do === 'sleep' ? isTimed(work) : work.do.startsWith('listen') || work.do === 'approve';

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
  return hasNoLikelyWait(plan) && isAcyclic(plan);
}
