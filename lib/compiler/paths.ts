import type { Exit, Plan, StatePlan, Work } from './plan.ts';

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

export const isPause = (state: StatePlan): boolean => !WAIT_FREE.has(state.work.do);

/** Whether no state of the plan ever waits. */
export function isWaitFree(plan: Plan): boolean {
  return !Object.values(plan.states).some(isPause);
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
