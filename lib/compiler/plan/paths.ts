import { addDuration, parseDuration } from '../../time/durations.ts';
import type { ActionPlan, Duration, Exit, Plan, StatePlan, Work } from './plan.ts';

/** The works that need no waiting: they run inside the steps function, many in one call. */
const WAIT_FREE = new Set<Work['do']>(['nothing', 'choose', 'validate', 'raise', 'read', 'write', 'emit']);

/** The exits a work may choose besides the state's own. */
function exitsOf(work: Work): readonly Exit[] {
  if (work.do === 'choose') return [...work.conditions, work.otherwise];
  return work.do === 'listen-any' ? work.events : [];
}

/** The states a state may lead to, by success or by catch. */
export function successors(state: StatePlan): string[] {
  const targets = [state.exit, ...exitsOf(state.work), ...state.catch].map(({ transition }) => transition);
  return [...new Set(targets.filter((target) => target !== undefined && target !== ''))] as string[];
}

/** Whether a state waits when it is entered: always, perhaps (a call may be over before it would wait), never. */
export type Waiting = 'always' | 'perhaps' | 'never';

export function waitingOf({ work }: StatePlan): Waiting {
  if (WAIT_FREE.has(work.do) || isNoSleep(work)) return 'never';
  if (work.do === 'call') return work.async ? 'never' : 'perhaps';
  return work.do === 'each' || work.do === 'all' ? 'perhaps' : 'always';
}

/** A delay of no time does not wait: the segment goes on. */
function isNoSleep(work: Work): boolean {
  const duration = work.do === 'sleep' ? parseDuration(work.duration) : undefined;
  return duration !== undefined && addDuration(0, duration) === 0;
}

/** Whether no state of the plan ever waits. */
export function isWaitFree(plan: Plan): boolean {
  return Object.values(plan.states).every((state) => waitingOf(state) === 'never');
}

function actionsOf(work: Work): readonly ActionPlan[] {
  if (work.do === 'all') return work.actions;
  return work.do === 'call' || work.do === 'each' ? [work.action] : [];
}

/** Whether an action calls a container. */
export function isService({ functions }: Pick<Plan, 'functions'>, { function: name }: ActionPlan): boolean {
  return Object.hasOwn(functions, name) && functions[name]?.type !== 'subflow';
}

/** A container takes its time: who calls one and wants its answer is taken to wait. */
const isLikelyToWait = (plan: Plan, state: StatePlan): boolean =>
  waitingOf(state) !== 'never' && actionsOf(state.work).some((action) => isService(plan, action));

/** Whether a run may get to its end without waiting: only its calls of subflows could make it wait. */
export function mayRunInPlace(plan: Plan): boolean {
  return Object.values(plan.states).every((state) => waitingOf(state) !== 'always' && !isLikelyToWait(plan, state));
}

/** A machine waits this long at most in one go, days: an execution lives for a year. */
export const LONGEST_PART_DAYS = 300;
const LONG_DAYS = 30;
const MS_OF_A_DAY = 86_400_000;

/** How long a state waits at most, if it says so. */
const longestWaitOf = (work: Work): Duration | undefined =>
  work.do === 'sleep' ? work.duration : 'timeout' in work ? work.timeout : undefined;

const isWaitOver =
  (days: number) =>
  ({ work }: StatePlan): boolean => {
    const duration = parseDuration(longestWaitOf(work) ?? '');
    return duration !== undefined && addDuration(0, duration) > days * MS_OF_A_DAY;
  };

/** Whether a state waits in several parts. */
export const waitsInParts = isWaitOver(LONGEST_PART_DAYS);

/** Whether a run may need more than one execution: it can go round, or wait for long. */
export function mayOutgrow(plan: Plan): boolean {
  return !isAcyclic(plan) || Object.values(plan.states).some(isWaitOver(LONG_DAYS));
}

/** How a segment may be left: the states where it may pause, in the plan's order, and whether it may be the run's end. */
export interface Exits {
  readonly pauses: readonly string[];
  readonly mayEnd: boolean;
}

const mayEndAt = (state: StatePlan): boolean =>
  [state.exit, ...exitsOf(state.work), ...state.catch].some(
    ({ transition }) => transition === undefined || transition === '',
  );

/** The exits of a segment that may begin with any of the states. */
export function exitsFrom(plan: Plan, begin: readonly string[], endsAtOnce = false): Exits {
  const seen = new Set<string>();
  const pauses = new Set<string>();
  let mayEnd = endsAtOnce;
  const open = [...begin];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const state = Object.hasOwn(plan.states, id) ? plan.states[id] : undefined;
    if (state === undefined || seen.has(id)) continue;
    seen.add(id);
    const waiting = waitingOf(state);
    if (waiting !== 'never') pauses.add(id);
    // A state that always waits may still fail before it does.
    open.push(...(waiting === 'always' ? caughtAt(state) : successors(state)));
    mayEnd ||= waiting === 'always' ? endsWhenCaught(state) : mayEndAt(state);
  }
  return { pauses: Object.keys(plan.states).filter((id) => pauses.has(id)), mayEnd };
}

const caughtAt = (state: StatePlan): string[] =>
  state.catch.flatMap(({ transition }) => (transition === undefined || transition === '' ? [] : [transition]));

const endsWhenCaught = (state: StatePlan): boolean =>
  state.catch.some(({ transition }) => transition === undefined || transition === '');

/** The exits of the segment that begins when a pause is over. */
export function exitsAfter(plan: Plan, state: StatePlan): Exits {
  return exitsFrom(plan, successors(state), mayEndAt(state));
}

/** Whether no state can be entered twice in a run. Iterative: a plan may have thousands of states in a row. */
export function isAcyclic(plan: Plan): boolean {
  const incoming = new Map(Object.keys(plan.states).map((id) => [id, 0]));
  const edges = new Map(Object.values(plan.states).map((state) => [state.id, successors(state)]));
  for (const target of [...edges.values()].flat()) incoming.set(target, (incoming.get(target) ?? 0) + 1);
  const free = [...incoming].filter(([, count]) => count === 0).map(([id]) => id);
  let removed = 0;
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    removed += 1;
    for (const target of edges.get(id) ?? []) {
      const left = (incoming.get(target) ?? 0) - 1;
      incoming.set(target, left);
      if (left === 0) free.push(target);
    }
  }
  return removed === incoming.size;
}

/**
 * Whether a run may begin in a machine that cannot wait and ends after five minutes: only its calls could make it wait,
 * and no state comes twice.
 */
export function mayBeBrief(plan: Plan): boolean {
  return mayRunInPlace(plan) && isAcyclic(plan);
}
