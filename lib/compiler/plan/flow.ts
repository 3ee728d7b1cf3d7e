import type { Plan, StatePlan } from './plan.ts';
import { exitsOf, waitingOf } from './traits.ts';

/** A place that names the next state, or ends the run if it names none. */
interface Target {
  readonly transition?: string;
}

const isEnd = ({ transition }: Target): boolean => transition === undefined || transition === '';

const targetsOf = (targets: readonly Target[]): string[] =>
  targets.flatMap((target) => (isEnd(target) ? [] : [target.transition ?? '']));

/** The exits after a failure: those of the catch list, and the handlers of the workflow. */
const exitsOfFailure = ({ catch: catchers, handlers = [] }: StatePlan): readonly Target[] => [
  ...catchers,
  ...handlers.map((transition) => ({ transition })),
];

/** The exits of a state: its own, those that its work may choose, and those after a failure. */
const allExits = (state: StatePlan): readonly Target[] => [
  state.exit,
  ...exitsOf(state.work),
  ...exitsOfFailure(state),
];

/** Returns the ids of the states that may follow a state, after a success or a failure. */
export function successors(state: StatePlan): string[] {
  return [...new Set(targetsOf(allExits(state)))];
}

/** Returns the ids of these states and of all that may follow them. */
export function statesFrom(states: Plan['states'], begin: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...begin];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const state = Object.hasOwn(states, id) ? states[id] : undefined;
    if (state === undefined || seen.has(id)) continue;
    seen.add(id);
    open.push(...successors(state));
  }
  return seen;
}

const mayEndAfter = (state: StatePlan): boolean => allExits(state).some(isEnd);

/** How a batch of states may be left: by a wait in one of these states, in the order of the plan, or by the run's end. */
export interface BatchExits {
  readonly waits: readonly string[];
  readonly mayEnd: boolean;
  /** The number of states that the batch may pass. */
  readonly passed: number;
}

const POSITIONS = new WeakMap<Plan['states'], ReadonlyMap<string, number>>();

/** The positions of the states in a plan, by their ids: the exits of thousands of batches are put into their order. */
function positionsIn({ states }: Plan): ReadonlyMap<string, number> {
  const positions = POSITIONS.get(states) ?? new Map(Object.keys(states).map((id, index) => [id, index]));
  POSITIONS.set(states, positions);
  return positions;
}

/** Returns the exits of a batch that may begin with any of these states. */
export function exitsFrom(plan: Plan, begin: readonly string[]): BatchExits {
  const seen = new Set<string>();
  const waits = new Set<string>();
  let mayEnd = false;
  const open = [...begin];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const state = Object.hasOwn(plan.states, id) ? plan.states[id] : undefined;
    if (state === undefined || seen.has(id)) continue;
    seen.add(id);
    const waiting = waitingOf(state.work);
    if (waiting !== 'never') waits.add(id);
    // A state that always waits may still fail before it waits.
    const exits = waiting === 'always' ? exitsOfFailure(state) : allExits(state);
    open.push(...targetsOf(exits));
    mayEnd ||= exits.some(isEnd);
  }
  const positions = positionsIn(plan);
  const inOrder = [...waits].sort((one, other) => (positions.get(one) ?? 0) - (positions.get(other) ?? 0));
  return { waits: inOrder, mayEnd, passed: seen.size };
}

/** Returns the exits of the batch that begins when the wait of a state is over. */
export function exitsAfter(plan: Plan, state: StatePlan): BatchExits {
  const exits = exitsFrom(plan, successors(state));
  return { ...exits, mayEnd: exits.mayEnd || mayEndAfter(state) };
}

const ACYCLIC = new WeakMap<Plan['states'], boolean>();

/** Returns true if no state can be entered twice in a run. The answer about a plan is kept: each of its machines needs it. */
export function isAcyclic(plan: Plan): boolean {
  const known = ACYCLIC.get(plan.states) ?? findsNoCycle(plan);
  ACYCLIC.set(plan.states, known);
  return known;
}

/** Iterative, because a plan may have thousands of states. */
function findsNoCycle(plan: Plan): boolean {
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
