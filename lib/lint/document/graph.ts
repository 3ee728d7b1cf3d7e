import { successors } from '../../compiler/plan/flow.ts';
import { exitsOf } from '../../compiler/plan/traits.ts';
import type { StateView, Workflow } from './workflow.ts';

/** The ids of the states that may follow a state, also if the compiler rejects it. */
export function nextOf({ plan, targets }: StateView): string[] {
  return plan === undefined ? targets.map(({ name }) => name) : successors(plan);
}

/** The exits of a state after a success: the id of the next state, or undefined for the end of the run. */
export function exitsAfterSuccess(state: StateView): (string | undefined)[] {
  const { plan } = state;
  if (plan === undefined) return [...nextOf(state), undefined];
  const own = exitsOf(plan.work);
  return (own.length > 0 ? own : [plan.exit]).map(({ transition }) => transition || undefined);
}

/** The states that a run can reach from this one, itself included. */
export function reachable({ states }: Workflow, from: string, next = nextOf): ReadonlySet<string> {
  const byId = new Map(states.map((state) => [state.id, state]));
  const seen = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const state = byId.get(id);
    if (state === undefined || seen.has(id)) continue;
    seen.add(id);
    open.push(...next(state));
  }
  return seen;
}

/** The groups of states that may repeat each other without a failure: each can reach the others and itself. */
export function cycles(workflow: Workflow): readonly (readonly StateView[])[] {
  const next = (state: StateView) => exitsAfterSuccess(state).filter((id) => id !== undefined);
  const from = new Map(
    workflow.states.map((state) => [
      state.id,
      new Set(next(state).flatMap((id) => [...reachable(workflow, id, next)])),
    ]),
  );
  const groups: StateView[][] = [];
  const grouped = new Set<string>();
  for (const { id } of workflow.states) {
    if (grouped.has(id) || !from.get(id)?.has(id)) continue;
    const group = workflow.states.filter((other) => from.get(id)?.has(other.id) && from.get(other.id)?.has(id));
    for (const state of group) grouped.add(state.id);
    groups.push(group);
  }
  return groups;
}
